// Places for the nodes of a graph that runs from left to right.

import { graphlib, layout } from "@dagrejs/dagre";

export interface Size {
  id: string;
  width: number;
  height: number;
}

export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Lays out nodes in ranks. Edges to unknown nodes are left out. */
export function arrange(nodes: Size[], edges: { from: string; to: string }[]): Map<string, Place> {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 28, ranksep: 72 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height });
  for (const { from, to } of edges) {
    if (from !== to && graph.hasNode(from) && graph.hasNode(to)) graph.setEdge(from, to);
  }
  layout(graph);
  const at = (id: string) => graph.node(id) as { x: number; y: number };
  // Of two mirror images, the one where most nodes of a rank are in the order of the list.
  let order = 0;
  nodes.forEach((a, i) =>
    nodes.slice(i + 1).forEach((b) => at(a.id).x === at(b.id).x && (order += Math.sign(at(b.id).y - at(a.id).y))),
  );
  const total = graph.graph().height ?? 0;
  return new Map(
    nodes.map(({ id, width, height }) => {
      const { x, y } = at(id);
      return [
        id,
        { x: Math.round(x - width / 2), y: Math.round((order < 0 ? total - y : y) - height / 2), width, height },
      ];
    }),
  );
}

/** The size of the drawing around some places. */
export function extent(places: Iterable<Place>): { width: number; height: number } {
  let width = 0;
  let height = 0;
  for (const place of places) {
    width = Math.max(width, place.x + place.width);
    height = Math.max(height, place.y + place.height);
  }
  return { width, height };
}

/** A curve from the right side of one place to the left side of another. */
export function curve(x1: number, y1: number, x2: number, y2: number): string {
  const bend = Math.max(28, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

const lane = 14; // between a node and an edge that goes around it

/** A curve that goes above or below the places that lie between its ends, and not behind them. */
export function curveAround(x1: number, y1: number, x2: number, y2: number, places: Place[]): string {
  const between = places.filter((p) => p.x > x1 && p.x + p.width < x2);
  const bend = Math.max(28, Math.abs(x2 - x1) / 2);
  const isHit = (p: Place) => {
    for (let t = 0; t <= 1; t += 1 / 64) {
      const u = 1 - t;
      const x = u * u * u * x1 + 3 * u * u * t * (x1 + bend) + 3 * u * t * t * (x2 - bend) + t * t * t * x2;
      const y = u * u * u * y1 + 3 * u * u * t * y1 + 3 * u * t * t * y2 + t * t * t * y2;
      if (x > p.x && x < p.x + p.width && y > p.y && y < p.y + p.height) return true;
    }
    return false;
  };
  if (!between.some(isHit)) return curve(x1, y1, x2, y2);
  const left = Math.min(...between.map((p) => p.x)) - lane;
  const right = Math.max(...between.map((p) => p.x + p.width)) + lane;
  const isFree = (y: number) => between.every((p) => y <= p.y - lane || y >= p.y + p.height + lane);
  const way = (y: number) => Math.abs(y - y1) + Math.abs(y - y2);
  const y = between
    .flatMap((p) => [p.y - lane, p.y + p.height + lane])
    .filter(isFree)
    .sort((a, b) => way(a) - way(b))[0];
  const a = (left - x1) / 2;
  const b = (x2 - right) / 2;
  return `M${x1} ${y1}C${x1 + a} ${y1} ${left - a} ${y} ${left} ${y}L${right} ${y}C${right + b} ${y} ${x2 - b} ${y2} ${x2} ${y2}`;
}

type Direction = "left" | "right" | "up" | "down";

export const arrows: Record<string, Direction> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/**
 * The node that an arrow key leads to: along an edge to the left and right, otherwise the
 * nearest one in that direction.
 */
export function neighbour(
  from: string,
  direction: Direction,
  places: Map<string, Place>,
  edges: { from: string; to: string }[],
): string | undefined {
  const start = places.get(from);
  if (!start) return undefined;
  const distance = (id: string) => {
    const place = places.get(id)!;
    return Math.hypot(place.x - start.x, place.y - start.y);
  };
  const linked =
    direction === "right"
      ? edges.filter((e) => e.from === from).map((e) => e.to)
      : direction === "left"
        ? edges.filter((e) => e.to === from).map((e) => e.from)
        : [];
  let candidates = linked.filter((id) => places.has(id));
  if (!candidates.length) {
    candidates = [...places.keys()].filter((id) => {
      const dx = places.get(id)!.x - start.x;
      const dy = places.get(id)!.y - start.y;
      if (direction === "left") return dx < 0 && Math.abs(dx) >= Math.abs(dy);
      if (direction === "right") return dx > 0 && Math.abs(dx) >= Math.abs(dy);
      return direction === "up" ? dy < 0 && Math.abs(dy) > Math.abs(dx) : dy > 0 && Math.abs(dy) > Math.abs(dx);
    });
  }
  return candidates.sort((a, b) => distance(a) - distance(b))[0];
}
