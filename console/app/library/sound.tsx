// A sound in the grid: bars of its loudness. The service measures it when a sound is read alone.

import { get } from "../api";
import { useData } from "../hooks";
import { Thumbnail } from "../parts/media";
import type { MediaItem } from "../parts/item";

export function Sound({ item }: { item: MediaItem }) {
  const measured = useData(
    async (signal) => (await get("/v1/artifacts/{id}", { path: { id: item.id }, signal })).artifact.peaks ?? [],
    [item.id],
    item.peaks ?? undefined,
  );
  return <Thumbnail item={{ ...item, peaks: measured.data }} />;
}
