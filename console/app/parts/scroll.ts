// Where the window is in a long list.

import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { scrollAlong } from "../place";
import { toElement, toList, type Extent } from "./extent";

/** The width of an element, and how far the window is scrolled into it, in whole steps. */
export function useScrolled(element: RefObject<HTMLElement>, step = 1): { width: number; scrolled: number } {
  const [state, setState] = useState({ width: Math.min(innerWidth, 1000), scrolled: 0 });
  useLayoutEffect(() => {
    const read = () => {
      const box = element.current!.getBoundingClientRect();
      const width = Math.floor(box.width),
        scrolled = Math.floor(Math.max(0, -box.top) / step) * step;
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
export function useAnchor<T extends { top: number }>(
  list: unknown,
  e: Extent,
  scrolled: number,
  anchor: T | undefined,
  topOf: (anchor: T) => number | undefined,
) {
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
