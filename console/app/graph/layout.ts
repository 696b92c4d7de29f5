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
  nodes.forEach((a, i) => nodes.slice(i + 1).forEach((b) => at(a.id).x === at(b.id).x && (order += Math.sign(at(b.id).y - at(a.id).y))));
  const total = graph.graph().height ?? 0;
  return new Map(nodes.map(({ id, width, height }) => {
    const { x, y } = at(id);
    return [id, { x: Math.round(x - width / 2), y: Math.round((order < 0 ? total - y : y) - height / 2), width, height }];
  }));
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

type Direction = "left" | "right" | "up" | "down";

export const arrows: Record<string, Direction> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/**
 * The node that an arrow key leads to: along an edge to the left and right, otherwise the
 * nearest one in that direction.
 */
export function neighbour(from: string, direction: Direction, places: Map<string, Place>, edges: { from: string; to: string }[]): string | undefined {
  const start = places.get(from);
  if (!start) return undefined;
  const distance = (id: string) => {
    const place = places.get(id)!;
    return Math.hypot(place.x - start.x, place.y - start.y);
  };
  const linked = direction === "right" ? edges.filter((e) => e.from === from).map((e) => e.to)
    : direction === "left" ? edges.filter((e) => e.to === from).map((e) => e.from) : [];
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
