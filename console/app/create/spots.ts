// Points and boxes on a picture, as the tool that selects objects takes them.

import type { Place } from "./picture-frame";

export interface Point extends Place {
  label?: "positive" | "negative";
}

export interface Box {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface Spots {
  points: Point[];
  boxes: Box[];
}

/** How far a pointer has to move, as a share of a side, to draw a box and not a point. */
const least = 0.015;

const rounded = (n: number) => Math.round(n * 10_000) / 10_000;

/** What a pointer draws that was pressed at one place and released at another. */
export function drawn(from: Place, to: Place, isNegative: boolean): { point: Point } | { box: Box } {
  if (Math.abs(from.x - to.x) < least || Math.abs(from.y - to.y) < least) {
    const point: Point = { x: rounded(from.x), y: rounded(from.y) };
    return { point: isNegative ? { ...point, label: "negative" } : point };
  }
  return {
    box: {
      x0: rounded(Math.min(from.x, to.x)),
      y0: rounded(Math.min(from.y, to.y)),
      x1: rounded(Math.max(from.x, to.x)),
      y1: rounded(Math.max(from.y, to.y)),
    },
  };
}

/** The spots with another one. Beside points there is one box at most: the last. */
export function withSpot({ points, boxes }: Spots, spot: ReturnType<typeof drawn>): Spots {
  const all = "point" in spot ? { points: [...points, spot.point], boxes } : { points, boxes: [...boxes, spot.box] };
  return all.points.length ? { ...all, boxes: all.boxes.slice(-1) } : all;
}
