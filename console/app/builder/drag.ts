// Moving and connecting nodes with the pointer.

import { useState } from "preact/hooks";
import type { StageNode } from "../template/derive";
import type { Source } from "./connect";
import type { Places } from "./document";

export interface Point {
  x: number;
  y: number;
}

/** A connection that is being drawn. */
export interface Drag {
  source: Source;
  from: Point;
  to: Point;
}

interface Handlers {
  stages: StageNode[];
  /** A point of the canvas, from one of the window. */
  at: (event: PointerEvent) => Point;
  scale: number;
  onMoved: (places: Places) => void;
  onDrop: (source: Source, stage: StageNode, argument?: string) => void;
  onAddAfter: (source: Source) => void;
}

/** Listens to a pointer on an element until it is lifted, or its gesture is cancelled. */
function track(element: HTMLElement, onMove: (event: PointerEvent) => void, onEnd: (event: PointerEvent) => void) {
  const end = (event: PointerEvent) => {
    element.removeEventListener("pointermove", onMove);
    element.removeEventListener("pointerup", end);
    element.removeEventListener("pointercancel", end);
    onEnd(event);
  };
  element.addEventListener("pointermove", onMove);
  element.addEventListener("pointerup", end);
  element.addEventListener("pointercancel", end);
}

/** Where nodes are while they are moved. */
export function useMoving() {
  const [moving, setMoving] = useState<Places>({});
  const startMove = (id: string, place: Point, event: PointerEvent, { at, scale, onMoved }: Handlers) => {
    if (event.button !== 0 || (event.target as Element).closest(".port-out")) return;
    const start = at(event);
    const node = event.currentTarget as HTMLElement;
    let last: Places | undefined;
    const move = (now: PointerEvent) => {
      const to = at(now);
      if (!last && Math.hypot(to.x - start.x, to.y - start.y) * scale < 4) return;
      if (!last) node.setPointerCapture(now.pointerId);
      last = { [id]: { x: Math.round(place.x + to.x - start.x), y: Math.round(place.y + to.y - start.y) } };
      setMoving(last);
    };
    track(node, move, () => {
      if (last) onMoved(last);
      setMoving({});
    });
  };
  return { moving, startMove };
}

/** The connection that is being drawn from a port. */
export function useConnecting() {
  const [drag, setDrag] = useState<Drag>();
  const startConnect = (source: Source, from: Point, event: PointerEvent, handlers: Handlers) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const port = event.currentTarget as HTMLElement;
    port.setPointerCapture(event.pointerId);
    const draw = (now: PointerEvent) => setDrag({ source, from, to: handlers.at(now) });
    draw(event);
    track(port, draw, (now) => {
      setDrag(undefined);
      if (now.type === "pointercancel") return;
      const over = document.elementFromPoint(now.clientX, now.clientY);
      const node = over?.closest<HTMLElement>("[data-node]")?.dataset.node;
      const stage = handlers.stages.find((candidate) => candidate.id === node);
      if (stage) handlers.onDrop(source, stage, over?.closest<HTMLElement>("[data-argument]")?.dataset.argument);
      else if (!node && over?.closest(".builder-canvas")) handlers.onAddAfter(source);
    });
  };
  return { drag, startConnect };
}
