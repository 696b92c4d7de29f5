// Places in a long list. Browsers do not draw beyond some 33 million device pixels, so a longer list
// is as high as they allow, and its scrolling is scaled.

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
