// A sound in the grid: bars of its loudness. The service measures it when a sound is read alone, or else the browser.

import { get } from "../api";
import { useData } from "../hooks";
import { Thumbnail } from "../parts/media";
import type { MediaItem } from "../parts/item";
import { measure } from "./loudness";

export function Sound({ item }: { item: MediaItem }) {
  const measured = useData(
    async (signal) => {
      const { peaks, url, bytes } = (await get("/v1/artifacts/{id}", { path: { id: item.id }, signal })).artifact;
      return peaks?.length ? peaks : measure(url, bytes, signal);
    },
    [item.id],
    item.peaks ?? undefined,
  );
  return <Thumbnail item={{ ...item, peaks: measured.data }} />;
}
