// Changing marks: they are shown at once, and as they were when the service refuses. The service gets the changes one
// after another, so that the last one counts.

import { computed, effect, signal } from "@preact/signals";
import { post } from "../api";
import { toastError } from "../parts/toast";
import { endedSessions, session } from "../session";
import type { LibraryArtifact } from "../types";
import { readBoards } from "./boards";
import { changedBy, type Change, type MarkChange, type Marks } from "./mark";

/** An artifact or a saved upload. */
export interface Markable extends Marks {
  id: string;
  isUpload?: boolean;
}

export const markable = (a: LibraryArtifact): Markable => ({ ...a, id: a.artifactId });

/** Marks that differ from those of the items that were read, as the service said last. */
const confirmed = signal<ReadonlyMap<string, Marks>>(new Map());
/** Changes that the service has not confirmed, in the order in which they were made. */
const pending = signal<readonly Change<Markable>[]>([]);
const changes = computed(() => changedBy(confirmed.value, pending.value));
let sent: Promise<unknown> = Promise.resolve(); // ends when no change is under way
let account = 0; // counts those that have used this page
let round = 0; // counts the changes and their ends

effect(() => {
  endedSessions.value;
  account++;
  round++;
  confirmed.value = new Map();
  pending.value = [];
});

// The other tabs of the browser hear of marks that the service has changed for this one.
let others: BroadcastChannel | undefined;
effect(() => {
  const wallet = session.value?.walletAddress;
  others?.close();
  others = wallet && "BroadcastChannel" in window ? new BroadcastChannel("atelier.marks." + wallet) : undefined;
  others?.addEventListener("message", (event: MessageEvent<[string, Marks][]>) => {
    round++;
    confirm(event.data);
    void readBoards().catch(() => {});
  });
});

/** The marks that were changed. A component that calls it is drawn again when that changes. */
export const changedMarks = () => changes.value;

/** The marks of an item as they are now. */
export const marksOf = (item: Markable): Marks => changes.value.get(item.id) ?? item;

function confirm(marks: Iterable<[string, Marks]>) {
  confirmed.value = new Map([...confirmed.peek(), ...marks]);
}

/**
 * Called before items are read: waits until the service has all changes, and returns what to call with the items. The
 * service is believed unless marks changed meanwhile.
 */
export async function expectMarks() {
  await sent;
  const before = round;
  return (items: Markable[]) => {
    const known = items.filter((item) => confirmed.peek().has(item.id));
    if (before === round && known.length)
      confirm(known.map(({ id, favourite, tags, boards }) => [id, { favourite, tags, boards }]));
  };
}

const mostMarked = 100; // by one request

/** Sends a change. It returns the marks of the items that the service changed, and why it did not change the others. */
async function send({ items, change }: Change<Markable>) {
  const done: [string, Marks][] = [];
  let refused: { message: string } | undefined;
  for (let i = 0; i < items.length; i += mostMarked) {
    const some = items.slice(i, i + mostMarked);
    const idsOf = (isUpload: boolean) => some.filter((item) => !!item.isUpload === isUpload).map((item) => item.id);
    const answer = await post("/v1/library/marks", { ...change, artifactIds: idsOf(false), assetIds: idsOf(true) });
    done.push(...answer.items.map(({ id, ...marks }): [string, Marks] => [id, marks]));
    refused ??= answer.failed[0];
  }
  return { done, refused };
}

/** Changes the marks of items, and reports whether the service did so for all. */
export async function mark(items: Markable[], change: MarkChange): Promise<boolean> {
  const mine = account;
  const own = { items, change };
  pending.value = [...pending.peek(), own];
  round++;
  const work = sent.then(() => (mine === account ? send(own) : undefined));
  sent = work.catch(() => {});
  try {
    const answer = await work;
    if (!answer || mine !== account) return false;
    confirm(answer.done);
    others?.postMessage(answer.done);
    if (answer.refused) toastError(answer.refused);
    return !answer.refused;
  } catch (error) {
    if (mine === account) toastError(error);
    return false;
  } finally {
    pending.value = pending.peek().filter((p) => p !== own);
    round++;
    void readBoards().catch(() => {});
  }
}
