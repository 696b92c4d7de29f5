// An item over the whole window, with what can be done with it.

import { encoded } from "../api";
import { nextSteps } from "../create/next";
import { libraryItem, type MediaItem } from "../parts/item";
import { leaveLightbox, openLightbox } from "../parts/lightbox";
import { text } from "../texts/library";
import type { LibraryArtifact } from "../types";
import { Details } from "./details";
import { onMarkKey, type Editing } from "./grid";
import type { Library } from "./sections";

/** The item over the whole window. Its neighbours are read as it comes near the end of what was read. */
export function show(
  library: Library,
  artifactId: string,
  remove: (items: LibraryArtifact[]) => void,
  route: (url: string, replace?: boolean) => void,
  onEdit: (editing: Editing) => void,
) {
  const { items, before } = library.around(artifactId);
  if (!items.length) return;
  const go = (url: string) => leaveLightbox((replace) => route(url, replace));
  const itemOf = (media: MediaItem) => items.find((x) => x.artifactId === media.id)!;
  const details = (media: MediaItem) => (
    <Details artifact={itemOf(media)} onTag={(tag) => go(encoded`/library?tag=${tag}`)} />
  );
  const actions = (media: MediaItem) => {
    const a = itemOf(media);
    const isReferable = ["image", "video", "audio"].includes(a.kind);
    return [
      ...nextSteps(a.kind, a.artifactId).map(({ label, link }) => ({ label, isMain: true, run: () => go(link) })),
      {
        label: text.restore,
        isMain: true,
        run: () => go(encoded`/?workflow=${a.workflowId}&artifact=${a.artifactId}&restore=${a.stepId}`),
      },
      ...(isReferable ? [{ label: text.reference, run: () => go(encoded`/?reference=${a.artifactId}`) }] : []),
      { label: text.openWorkflow, run: () => go(encoded`/workflows/${a.workflowId}`) },
      { label: text.sameWorkflow, run: () => go(encoded`/library?workflow=${a.workflowId}`) },
      { label: text.remove, isDanger: true, run: () => remove([a]) },
    ];
  };
  library.needAround(artifactId);
  openLightbox(
    items.map((a) => libraryItem(a)),
    items.findIndex((a) => a.artifactId === artifactId),
    {
      actions,
      details,
      onMove: (index) => library.needAround(items[index].artifactId),
      onKey: (event, media) => onMarkKey(event, [itemOf(media)], onEdit),
      total: library.total,
      before,
    },
  );
}
