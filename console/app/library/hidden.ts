// What the person has deleted, also before the service has: no list shows it.

import { effect, signal } from "@preact/signals";
import { endedSessions } from "../session";

/** The ids of hidden artifacts. */
export const hidden = signal<ReadonlySet<string>>(new Set());

effect(() => {
  endedSessions.value;
  hidden.value = new Set();
});

/** Takes artifacts out of all lists at once, or puts them back. */
export function setHidden(ids: string[], isHidden: boolean) {
  const next = new Set(hidden.peek());
  for (const id of ids) {
    if (isHidden) next.add(id);
    else next.delete(id);
  }
  hidden.value = next;
}

/** The items that are not hidden. A component that calls it is drawn again when that changes. */
export const visible = <T extends { artifactId: string }>(items: T[], taken = hidden.value) =>
  items.filter((a) => !taken.has(a.artifactId));
