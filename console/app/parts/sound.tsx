// A sound: its loudness as bars, in a thumbnail and above the controls of a player. The service
// measures it when a sound is read alone, or else the browser.

import { useState } from "preact/hooks";
import { get } from "../api";
import { useData } from "../hooks";
import type { MediaItem } from "./item";
import { measure } from "./loudness";
import { Wave } from "./wave";

export function usePeaks(item: MediaItem): number[] | undefined {
  return useData(
    async (signal) => {
      const { peaks, url, bytes } = (await get("/v1/artifacts/{id}", { path: { id: item.id }, signal })).artifact;
      return peaks?.length ? peaks : measure(url, bytes, signal);
    },
    [item.id],
    item.peaks ?? undefined,
  ).data;
}

/** A sound with its title and its loudness, coloured as far as it was played. */
export default function SoundPlayer({ item }: { item: MediaItem }) {
  const peaks = usePeaks(item);
  const [played, setPlayed] = useState(0);
  return (
    <figure class="media sound">
      <figcaption>{item.label}</figcaption>
      <div class="sound-wave">{peaks?.length ? <Wave peaks={peaks} bars={96} played={played} /> : null}</div>
      <audio
        src={item.url}
        controls
        preload="metadata"
        aria-label={item.label}
        onTimeUpdate={({ currentTarget: { currentTime, duration } }) => setPlayed(currentTime / duration || 0)}
      />
    </figure>
  );
}
