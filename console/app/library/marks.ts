// Changing marks: they are shown at once, and as they were when the service refuses.

import { effect, signal } from "@preact/signals";
import { post } from "../api";
import { toastError } from "../parts/toast";
import { endedSessions, session } from "../session";
import type { LibraryArtifact } from "../types";
import { readBoards } from "./boards";
import { applied, type MarkChange, type Marks } from "./mark";

/** An artifact or a saved upload. */
export interface Markable extends Marks {
  id: string;
  isUpload?: boolean;
}

export const markable = (a: LibraryArtifact): Markable => ({ ...a, id: a.artifactId });

/** Marks that differ from those of the items that were read. */
const changes = signal<ReadonlyMap<string, Marks>>(new Map());
let round = 0; // counts the changes and their ends

effect(() => {
  endedSessions.value;
  round++;
  changes.value = new Map();
});

// The other tabs of the browser hear of marks that the service has changed for this one.
let others: BroadcastChannel | undefined;
effect(() => {
  const wallet = session.value?.walletAddress;
  others?.close();
  others = wallet && "BroadcastChannel" in window ? new BroadcastChannel("atelier.marks." + wallet) : undefined;
  others?.addEventListener("message", (event: MessageEvent<[string, Marks][]>) => {
    round++;
    set(event.data);
    void readBoards().catch(() => {});
  });
});

/** The marks that were changed. A component that calls it is drawn again when that changes. */
export const changedMarks = () => changes.value;

/** The marks of an item as they are now. */
export const marksOf = (item: Markable): Marks => changes.value.get(item.id) ?? item;

function set(marks: Iterable<[string, Marks | undefined]>) {
  const next = new Map(changes.peek());
  for (const [id, m] of marks) {
    if (m) next.set(id, m);
    else next.delete(id);
  }
  changes.value = next;
}

/** Called before items are read: returns what to call with them. The service is believed unless marks changed meanwhile. */
export function expectMarks() {
  const before = round;
  return (items: Markable[]) => {
    const known = items.filter((item) => changes.peek().has(item.id));
    if (before === round && known.length)
      set(known.map(({ id, favourite, tags, boards }) => [id, { favourite, tags, boards }]));
  };
}

const mostMarked = 100; // by one request

/** Changes the marks of items, and reports whether the service did so for all. */
export async function mark(items: Markable[], change: MarkChange): Promise<boolean> {
  const before = items.map((item): [string, Marks | undefined] => [item.id, changes.peek().get(item.id)]);
  round++;
  set(items.map((item) => [item.id, applied(marksOf(item), change)]));
  try {
    const done: [string, Marks][] = [];
    let refused: { message: string } | undefined;
    for (let i = 0; i < items.length; i += mostMarked) {
      const some = items.slice(i, i + mostMarked);
      const idsOf = (isUpload: boolean) => some.filter((item) => !!item.isUpload === isUpload).map((item) => item.id);
      const answer = await post("/v1/library/marks", { ...change, artifactIds: idsOf(false), assetIds: idsOf(true) });
      done.push(...answer.items.map(({ id, ...marks }): [string, Marks] => [id, marks]));
      refused ??= answer.failed[0];
    }
    set([...before, ...done]);
    others?.postMessage(done);
    if (refused) toastError(refused);
    return !refused;
  } catch (error) {
    set(before);
    toastError(error);
    return false;
  } finally {
    round++;
    void readBoards().catch(() => {});
  }
}
