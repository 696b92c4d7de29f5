// Where a window is in a long list. Browsers do not draw beyond some 33 million device
// pixels, so a longer list is as high as they allow, and its scrolling is scaled.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { scrollAlong } from "../place";

const highest = 8_000_000;

/** The height of a list, and that of its element. */
export interface Extent {
  total: number;
  height: number;
}

export const extentOf = (total: number): Extent => ({ total, height: Math.min(total, highest) });

/** The place in the whole list that is at the top of the window, for a place in the element. */
export function toList(e: Extent, scrolled: number, view: number): number {
  if (e.total <= e.height) return scrolled;
  return Math.max(0, Math.min(1, scrolled / Math.max(1, e.height - view))) * (e.total - view);
}

/** The other way round. */
export function toElement(e: Extent, place: number, view: number): number {
  if (e.total <= e.height) return place;
  return (place / Math.max(1, e.total - view)) * (e.height - view);
}

/** How far the places in the list are from those in the element, while the window is there. */
export function shiftOf(e: Extent, scrolled: number, view: number): number {
  if (e.total <= e.height) return 0;
  return Math.min(scrolled, e.height - view) - toList(e, scrolled, view);
}

/** The width of an element, and how far the window is scrolled into it, in whole steps. */
export function useScrolled(element: RefObject<HTMLElement>, step = 1): { width: number; scrolled: number } {
  const [state, setState] = useState({ width: Math.min(innerWidth, 1000), scrolled: 0 });
  useLayoutEffect(() => {
    const read = () => {
      const box = element.current!.getBoundingClientRect();
      const width = Math.floor(box.width), scrolled = Math.floor(Math.max(0, -box.top) / step) * step;
      setState((old) => (old.width === width && old.scrolled === scrolled ? old : { width, scrolled }));
    };
    read();
    const sizes = new ResizeObserver(read);
    sizes.observe(element.current!);
    sizes.observe(document.body); // what is above it may grow
    addEventListener("scroll", read, { passive: true });
    return () => {
      sizes.disconnect();
      removeEventListener("scroll", read);
    };
  }, [step]);
  return state;
}

/**
 * Keeps what the window shows in its place when rows are inserted or removed above it. The
 * anchor is something near its top, with its place in the list; topOf says where it is now, if
 * it still is there.
 */
export function useAnchor<T extends { top: number }>(list: unknown, e: Extent, scrolled: number, anchor: T | undefined, topOf: (anchor: T) => number | undefined) {
  const drawn = useRef<{ list: unknown; e: Extent; anchor?: T }>();
  useLayoutEffect(() => {
    const old = drawn.current;
    drawn.current = { list, e, anchor };
    if (!old?.anchor || old.list === list || !scrolled) return;
    const top = topOf(old.anchor);
    if (top === undefined || top === old.anchor.top) return;
    scrollAlong(toElement(e, toList(old.e, scrolled, innerHeight) + top - old.anchor.top, innerHeight) - scrolled);
  });
}
