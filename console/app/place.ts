// Back and forward show a page as it was left: where it was scrolled to, and the lists
// that it had read. Loaded again, it is scrolled to where it was.

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
let target = 0; // where it was scrolled to
addEventListener("popstate", () => {
  returning = location.pathname !== drawn;
});

/** The name under which a list is kept: another account has other lists, also when its session begins before the page is left. */
export const listKey = (...parts: unknown[]) => JSON.stringify([session.peek()?.walletAddress, ...parts]);

/** Keeps what a list has read when its page is left. */
export function keepList(key: string, list: unknown) {
  lists.delete(key);
  lists.set(key, list);
  if (lists.size > mostLists) lists.delete(lists.keys().next().value!);
}

/** What a list had read, for a page that the person returns to. */
export const keptList = <T>(key: string): T | undefined => (returning ? (lists.get(key) as T | undefined) : undefined);

/** Reports whether the page that is being drawn is one that the person returns to. */
export const isReturning = () => returning || endRestoring !== undefined;

const address = () => location.pathname + location.search;
let endRestoring: (() => void) | undefined;

addEventListener(
  "scroll",
  () => {
    if (!endRestoring && location.pathname === drawn) places.set(address(), scrollY);
  },
  { passive: true },
);

/** Scrolls to where the window was, also while the page grows, until the person does something or it stops growing. */
function restore(y: number, isOnce = false) {
  target = y;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const apply = () => {
    clearTimeout(timer);
    timer = setTimeout(() => end(), 10_000);
    scrollTo(0, target);
    if (isOnce && Math.abs(scrollY - target) < 1) end();
  };
  const sizes = new ResizeObserver(apply);
  const events = ["wheel", "touchstart", "pointerdown", "keydown"];
  const end = () => {
    sizes.disconnect();
    clearTimeout(timer);
    for (const name of events) removeEventListener(name, end);
    endRestoring = undefined;
  };
  for (const name of events) addEventListener(name, end, { passive: true });
  endRestoring = end;
  sizes.observe(document.body);
  apply();
}

/** Scrolls by as much as the page has grown above what the window shows. */
export function scrollAlong(y: number) {
  target += y;
  scrollBy(0, y);
}

const leftKey = "atelier.left";

addEventListener("pagehide", () => {
  try {
    sessionStorage.setItem(leftKey, JSON.stringify([address(), scrollY]));
  } catch {
    // Without storage a page begins at its top when it is loaded again.
  }
});

/** Called when the console is loaded: a page that is loaded again is where it was left, once it is long enough. */
export function arriveAgain() {
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  try {
    const [left, y] = JSON.parse(sessionStorage.getItem(leftKey) ?? "[]");
    if (navigation?.type !== "reload" || left !== address() || location.hash || !(y > 0)) return;
    restore(y, true);
  } catch {
    // What is stored is not ours.
  }
}

/** Called when another page was drawn: it begins at its top, or where it was left. */
export function arrive() {
  endRestoring?.();
  drawn = location.pathname;
  if (returning) restore(places.get(address()) ?? 0);
  else scrollTo(0, 0);
  returning = false;
}
