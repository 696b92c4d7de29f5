// Long lists: only the rows in view are in the document.

import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Rows of one height, scrolled with the window. onEnd is called when the last rows come into view. */
export function VirtualList<T>({ items, rowHeight, keyOf, row, onEnd, label, role = "list" }: {
  items: T[]; rowHeight: number; keyOf: (item: T) => string; row: (item: T, index: number) => ComponentChildren; onEnd?: () => void; label: string; role?: "list" | "rowgroup";
}) {
  const element = useRef<HTMLDivElement>(null);
  const [, redraw] = useState(0);
  const [margin, setMargin] = useState(0);
  // The library measures all rows again when this function changes.
  const getItemKey = useCallback((index: number) => keyOf(items[index]), [items]);
  const options = {
    count: items.length,
    estimateSize: () => rowHeight,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    overscan: 8,
    scrollMargin: margin,
    getItemKey,
    onChange: () => redraw((n) => n + 1),
    initialRect: { width: innerWidth, height: innerHeight },
  };
  const list = useRef<Virtualizer<Window, Element>>();
  list.current ??= new Virtualizer<Window, Element>(options);
  list.current.setOptions(options);
  useLayoutEffect(() => list.current!._didMount(), []);
  useLayoutEffect(() => list.current!._willUpdate());
  useLayoutEffect(() => {
    const top = element.current!.getBoundingClientRect().top + scrollY;
    if (Math.abs(top - margin) > 1) setMargin(top);
  });
  const rows = list.current.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  useEffect(() => {
    if (onEnd && last >= items.length - 10) onEnd();
  }, [last, items.length]);
  return (
    <div ref={element} class="virtual" role={role} aria-label={label} style={{ height: `${list.current.getTotalSize()}px` }}>
      {rows.map((r) => (
        <div key={r.key} class="virtual-row" role={role === "list" ? "listitem" : "row"} aria-setsize={role === "list" ? items.length : undefined} aria-posinset={role === "list" ? r.index + 1 : undefined}
          style={{ height: `${rowHeight}px`, transform: `translateY(${r.start - margin}px)` }}>
          {row(items[r.index], r.index)}
        </div>
      ))}
    </div>
  );
}
