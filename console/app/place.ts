// Back and forward show a page as it was left: where it was scrolled to, and the lists
// that it had read.

import { effect } from "@preact/signals";
import { session } from "./session";

const places = new Map<string, number>(); // scrolled to, by address
const lists = new Map<string, unknown>();
const mostLists = 2;

effect(() => {
  session.value?.walletAddress; // another account has other lists
  places.clear();
  lists.clear();
});

let drawn = location.pathname; // the page that is shown
let returning = false; // until the next page is drawn
addEventListener("popstate", () => { returning = location.pathname !== drawn; });

/** Keeps what a list has read when its page is left. */
export function keepList(key: string, list: unknown) {
  lists.delete(key);
  lists.set(key, list);
  if (lists.size > mostLists) lists.delete(lists.keys().next().value!);
}

/** What a list had read, for a page that the person returns to. */
export const keptList = <T>(key: string): T | undefined => (returning ? (lists.get(key) as T | undefined) : undefined);

/** Reports whether the page that is being drawn is one that the person returns to. */
export const isReturning = () => returning;

const address = () => location.pathname + location.search;
let endRestoring: (() => void) | undefined;

addEventListener("scroll", () => {
  if (!endRestoring && location.pathname === drawn) places.set(address(), scrollY);
}, { passive: true });

/** Scrolls to where the window was, also while the page grows, until the person does something. */
function restore(y: number) {
  const apply = () => scrollTo(0, y);
  const sizes = new ResizeObserver(apply);
  const events = ["wheel", "touchstart", "pointerdown", "keydown"];
  const end = () => {
    sizes.disconnect();
    clearTimeout(timer);
    for (const name of events) removeEventListener(name, end);
    endRestoring = undefined;
  };
  const timer = setTimeout(end, 10_000);
  for (const name of events) addEventListener(name, end, { passive: true });
  endRestoring = end;
  sizes.observe(document.body);
  apply();
}

/** Called when another page was drawn: it begins at its top, or where it was left. */
export function arrive() {
  endRestoring?.();
  drawn = location.pathname;
  if (returning) restore(places.get(address()) ?? 0);
  else scrollTo(0, 0);
  returning = false;
}
