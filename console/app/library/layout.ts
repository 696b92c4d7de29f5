// Where the rows of a long grid are.

import { extentOf, type Extent } from "../parts/extent";
import type { Section } from "./sections";

export const headHeight = 48;

export interface Layout extends Extent {
  columns: number;
  cell: number;
  rowHeight: number;
  tops: number[]; // of sections
}

export function layOut(sections: Section[], width: number): Layout {
  const gap = width < 500 ? 4 : 10;
  const columns = Math.max(3, Math.floor((width + gap) / (width < 500 ? 112 : 168)));
  const cell = Math.floor((width - gap * (columns - 1)) / columns);
  const rowHeight = cell + gap;
  const tops: number[] = [];
  let total = 0;
  for (const s of sections) {
    tops.push(total);
    total += headHeight + Math.ceil(s.count / columns) * rowHeight;
  }
  return { columns, cell, rowHeight, tops, ...extentOf(total) };
}

export interface Row {
  key: string;
  section: number;
  top: number;
  /** The items of the row; none for the head of a section. */
  from?: number;
  to?: number;
}

/** The rows between two places. */
export function rowsBetween(l: Layout, sections: Section[], from: number, to: number): Row[] {
  let low = 0,
    high = sections.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (l.tops[middle] <= from) low = middle;
    else high = middle - 1;
  }
  const rows: Row[] = [];
  for (let i = Math.max(0, low); i < sections.length && l.tops[i] < to; i++) {
    const s = sections[i];
    if (l.tops[i] + headHeight > from) rows.push({ key: s.date, section: i, top: l.tops[i] });
    const begin = l.tops[i] + headHeight;
    const first = Math.max(0, Math.floor((from - begin) / l.rowHeight));
    const last = Math.min(Math.ceil(s.count / l.columns) - 1, Math.floor((to - begin) / l.rowHeight));
    for (let r = first; r <= last; r++)
      rows.push({
        key: `${s.date} ${r}`,
        section: i,
        top: begin + r * l.rowHeight,
        from: r * l.columns,
        to: Math.min(s.count, (r + 1) * l.columns),
      });
  }
  return rows;
}
