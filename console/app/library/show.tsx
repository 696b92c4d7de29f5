// An item over the whole window, with what can be done with it.

import { encoded } from "../api";
import { libraryItem, type MediaItem } from "../parts/item";
import { leaveLightbox, openLightbox } from "../parts/lightbox";
import { text } from "../texts/library";
import type { LibraryArtifact } from "../types";
import { Details } from "./details";
import type { Library } from "./sections";

/** The item over the whole window. Its neighbours are read as it comes near the end of what was read. */
export function show(
  library: Library,
  artifactId: string,
  remove: (items: LibraryArtifact[]) => void,
  route: (url: string, replace?: boolean) => void,
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
    return (
      <>
        <button
          class="quiet"
          onClick={() => go(encoded`/?workflow=${a.workflowId}&artifact=${a.artifactId}&restore=${a.stepId}`)}>
          {text.restore}
        </button>
        {["image", "video", "audio"].includes(a.kind) && (
          <button class="quiet" onClick={() => go(encoded`/?reference=${a.artifactId}`)}>
            {text.reference}
          </button>
        )}
        <button class="quiet" onClick={() => go(encoded`/library?workflow=${a.workflowId}`)}>
          {text.sameWorkflow}
        </button>
        <button class="quiet" onClick={() => go(encoded`/workflows/${a.workflowId}`)}>
          {text.openWorkflow}
        </button>
        <button class="quiet" onClick={() => remove([a])}>
          {text.remove}
        </button>
      </>
    );
  };
  library.needAround(artifactId);
  openLightbox(
    items.map((a) => libraryItem(a)),
    items.findIndex((a) => a.artifactId === artifactId),
    { actions, details, onMove: (index) => library.needAround(items[index].artifactId), total: library.total, before },
  );
}
