// Removing items.

import { post } from "../api";
import { toast, toastError } from "../parts/toast";
import { text } from "../texts/library";
import type { LibraryArtifact } from "../types";
import { setHidden } from "./hidden";
import { dropItems, type Library } from "./sections";

const mostDeleted = 200; // by one request

/** Deletes items after the time in which the person can take it back. */
export function removeLater(library: Library, items: LibraryArtifact[]) {
  const ids = items.map((a) => a.artifactId);
  setHidden(ids, true);
  const remove = async (isLeaving: boolean) => {
    const parts = Array.from({ length: Math.ceil(ids.length / mostDeleted) }, (_, i) =>
      ids.slice(i * mostDeleted, (i + 1) * mostDeleted),
    );
    const send = (artifactIds: string[]) => post("/v1/artifacts/delete", { artifactIds }, { keepalive: isLeaving });
    try {
      const answers = isLeaving ? await Promise.all(parts.map(send)) : [];
      if (!isLeaving) for (const part of parts) answers.push(await send(part));
      dropItems(answers.flatMap((answer) => answer.deleted));
      const refused = answers.flatMap((answer) => answer.failed);
      if (!refused.length) return;
      setHidden(
        refused.map((r) => r.artifactId),
        false,
      );
      toastError(refused[0]); // such as one that a running workflow uses
      void library.load();
    } catch (error) {
      setHidden(ids, false);
      toastError(error);
    }
  };
  toast(text.removed(items.length), {
    action: { label: text.undo, run: () => setHidden(ids, false) },
    otherwise: remove,
    dropped: text.notRemoved(items.length),
  });
}
