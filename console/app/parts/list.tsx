// Long lists: only the rows in view are in the document.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { extentOf, shiftOf, toList } from "./extent";
import { useAnchor, useScrolled } from "./scroll";

const overscan = 4; // rows above and below the window

/** Rows of one height, scrolled with the window. onEnd is called when the last rows come into view. */
export function VirtualList<T>({
  items,
  rowHeight,
  keyOf,
  row,
  onEnd,
  label,
}: {
  items: T[];
  rowHeight: number;
  keyOf: (item: T) => string;
  row: (item: T, index: number) => ComponentChildren;
  onEnd?: () => void;
  label: string;
}) {
  const element = useRef<HTMLDivElement>(null);
  const extent = extentOf(items.length * rowHeight);
  // Rows of a scaled list move with the window. Others are drawn again only when some come into view.
  const { scrolled } = useScrolled(element, extent.total > extent.height ? 1 : rowHeight * (overscan / 2));
  const place = toList(extent, scrolled, innerHeight);
  const shift = shiftOf(extent, scrolled, innerHeight);
  const first = Math.max(0, Math.floor(place / rowHeight) - overscan);
  const end = Math.min(items.length, Math.ceil((place + innerHeight) / rowHeight) + overscan);
  const top = Math.floor(place / rowHeight);
  useAnchor(items, extent, scrolled, items[top] && { key: keyOf(items[top]), top: top * rowHeight }, ({ key }) => {
    const at = items.findIndex((item) => keyOf(item) === key);
    return at < 0 ? undefined : at * rowHeight;
  });
  useEffect(() => {
    if (onEnd && end > items.length - 10) onEnd();
  }, [end, items]);
  return (
    <div ref={element} class="virtual" role="list" aria-label={label} style={{ height: `${extent.height}px` }}>
      {items.slice(first, end).map((item, i) => (
        <div
          key={keyOf(item)}
          class="virtual-row"
          role="listitem"
          aria-setsize={items.length}
          aria-posinset={first + i + 1}
          style={{
            height: `${rowHeight}px`,
            transform: `translateY(${Math.round((first + i) * rowHeight + shift)}px)`,
          }}>
          {row(item, first + i)}
        </div>
      ))}
    </div>
  );
}
