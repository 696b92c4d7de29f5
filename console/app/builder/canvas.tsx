// The canvas: stages as nodes, moved and connected by pointer or keyboard.

import type { RefObject } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { arrows, curve, curveAround, extent, neighbour, type Place } from "../graph/layout";
import { inputsId, type Edge, type StageNode } from "../template/derive";
import { text } from "../texts/builder";
import { sourceOfStage, targetsOf, type Source } from "./connect";
import type { Places } from "./document";
import { useConnecting, useMoving, type Drag, type Point } from "./drag";
import { Node, type NodeContext } from "./node";
import { entryOf, exitOf, placeAll, shapesOf, type Shape } from "./shape";

export interface CanvasProps extends NodeContext {
  edges: Edge[];
  places: Places;
  scale: number;
  isStale: boolean;
  onScale: (scale: number) => void;
  onMove: (places: Places, group: string) => void;
  onAddAfter: (source: Source | undefined) => void;
  onConnect: (source: Source) => void;
  onDrop: (source: Source, stage: StageNode, argument?: string) => void;
  onRemove: (id: string) => void;
  onRemoveEdge: (edge: Edge) => void;
}

const margin = 40;

type Placed = Map<string, Place>;

const pointsOf = (placed: Placed): Places => Object.fromEntries([...placed].map(([id, { x, y }]) => [id, { x, y }]));

/** How far the drawing is moved, so that nothing is left of or above its beginning. */
const originOf = (placed: Placed): Point => ({
  x: margin - Math.min(0, ...[...placed.values()].map((p) => p.x)),
  y: margin - Math.min(0, ...[...placed.values()].map((p) => p.y)),
});

export function Canvas(props: CanvasProps) {
  const { stages, edges, selected, scale } = props;
  const { moving, startMove } = useMoving();
  const { drag, startConnect } = useConnecting();
  const { shapes, placed, origin, full } = useDrawn(props, moving);
  const [edge, setEdge] = useState<Edge>();
  const box = useRef<HTMLDivElement>(null);
  const fitting = drag && fittingOf(drag, props);
  const at = (event: PointerEvent) => {
    const frame = box.current!.querySelector(".graph-canvas")!.getBoundingClientRect();
    return { x: (event.clientX - frame.left) / scale - origin.x, y: (event.clientY - frame.top) / scale - origin.y };
  };
  const onMoved = (moved: Places) => props.onMove({ ...pointsOf(placed), ...moved }, "");
  const handlers = { stages, at, scale, onMoved, onDrop: props.onDrop, onAddAfter: props.onAddAfter };
  const focus = (id: string) => {
    props.onSelect(id);
    box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`)?.focus();
  };
  const onKey = keysOf(props, { placed, first: shapes[0]?.id, edge, setEdge, focus, box });
  useShown(box, selected, scale);
  // A graph is shown at the scale at which it fits, and again when it has become wider, but not while a node is moved.
  const isMoving = Object.keys(moving).length > 0;
  useLayoutEffect(() => {
    const fit = box.current!.clientWidth / full.width;
    if (fit < scale && !isMoving) props.onScale(Math.max(0.5, Math.floor(fit * 20) / 20));
  }, [full.width, shapes.length]);
  const tabStop = placed.has(selected) ? selected : shapes[0]?.id;
  const choose = (e: Edge) => {
    setEdge(e);
    focus(e.to);
  };
  return (
    <div
      class={`graph builder-canvas${props.isStale ? " stale" : ""}${drag ? " connecting" : ""}`}
      ref={box}
      role="group"
      aria-label={text.canvas}
      tabIndex={shapes.length ? undefined : 0}
      onKeyDown={onKey}
      onPointerDown={(event) => {
        if (!(event.target as Element).closest("[data-node], .edge-hit")) setEdge(undefined);
      }}>
      {!shapes.length && (
        <div class="builder-empty" onKeyDown={(event) => event.stopPropagation()}>
          <p class="lead">{text.empty}</p>
          <ol class="muted">
            {text.emptySteps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p class="row">
            <button class="primary" onClick={() => props.onAddAfter(undefined)}>
              {text.addFirst}
            </button>
            <button class="quiet" onClick={() => props.onOpen(inputsId)}>
              {text.addInputs}
            </button>
          </p>
        </div>
      )}
      <div class="graph-place" style={{ width: `${full.width * scale}px`, height: `${full.height * scale}px` }}>
        <div
          class="graph-canvas"
          style={{
            width: `${full.width}px`,
            height: `${full.height}px`,
            transform: `scale(${scale})`,
            "--scale": scale,
          }}>
          <Frames stages={stages} placed={placed} origin={origin} />
          <Edges
            stages={stages}
            edges={edges}
            shapes={shapes}
            placed={placed}
            origin={origin}
            size={full}
            chosen={edge}
            selected={selected}
            drag={drag}
            onChoose={choose}
          />
          {shapes.map((shape) => {
            const place = placed.get(shape.id)!;
            return (
              <Node
                key={shape.id}
                canvas={props}
                shape={shape}
                left={place.x + origin.x}
                top={place.y + origin.y}
                isTabStop={shape.id === tabStop}
                fitting={fitting}
                onMove={(event) => startMove(shape.id, place, event, handlers)}
                onPull={(source, event, input) => startConnect(source, exitOf(shape, place, input), event, handlers)}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The nodes and where they are, how far the drawing is moved, and how large it is. */
function useDrawn({ inputs, stages, edges, tools, places }: CanvasProps, moving: Places) {
  const shapes = useMemo(() => shapesOf(inputs, stages, edges, tools), [inputs, stages, edges, tools]);
  const placed = useMemo(() => placeAll(shapes, edges, { ...places, ...moving }), [shapes, edges, places, moving]);
  const origin = originOf(placed);
  const size = extent([...placed.values()].map((p) => ({ ...p, x: p.x + origin.x, y: p.y + origin.y })));
  return { shapes, placed, origin, full: { width: size.width + margin, height: size.height + margin } };
}

/** The arguments that take what is being connected, as "stage\nargument". */
const fittingOf = (drag: Drag, { stages, edges, tools }: CanvasProps) =>
  new Set(targetsOf(drag.source, stages, edges, tools).map((target) => `${target.stage.id}\n${target.argument.name}`));

/** Scrolls to the selected node, and moves the focus to it if another node has it. */
function useShown(box: RefObject<HTMLDivElement>, selected: string, scale: number) {
  useLayoutEffect(() => {
    const node = box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(selected)}"]`);
    const frame = box.current;
    if (!node || !frame) return;
    const focused = document.activeElement;
    if (focused !== node && focused?.hasAttribute("data-node") && frame.contains(focused))
      node.focus({ preventScroll: true });
    const left = node.offsetLeft * scale;
    const top = node.offsetTop * scale;
    if (left < frame.scrollLeft || left + node.offsetWidth * scale > frame.scrollLeft + frame.clientWidth)
      frame.scrollLeft = left - 60;
    if (top < frame.scrollTop || top + node.offsetHeight * scale > frame.scrollTop + frame.clientHeight)
      frame.scrollTop = top - 60;
  }, [selected]);
}

interface KeyContext {
  placed: Placed;
  /** The first node. */
  first: string | undefined;
  edge: Edge | undefined;
  setEdge: (edge: Edge | undefined) => void;
  focus: (id: string) => void;
  box: RefObject<HTMLDivElement>;
}

/** What keys do: arrows select, with Alt they move; letters add and connect. */
function keysOf(props: CanvasProps, { placed, first, edge, setEdge, focus, box }: KeyContext) {
  const { stages, edges, tools, selected } = props;
  const stage = stages.find((node) => node.id === selected);
  const source = stage && sourceOfStage(stage, tools);
  const remove = () => {
    if (edge) {
      props.onRemoveEdge(edge);
      setEdge(undefined);
    } else if (stage) {
      props.onRemove(selected);
      setTimeout(() => box.current?.querySelector<HTMLElement>('[data-node][tabindex="0"]')?.focus(), 30);
    }
  };
  return (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const direction = arrows[event.key];
    const place = placed.get(selected);
    const key = event.key.toLowerCase();
    if (direction && event.altKey && place) {
      const [x, y] = { left: [-16, 0], right: [16, 0], up: [0, -16], down: [0, 16] }[direction];
      props.onMove({ ...pointsOf(placed), [selected]: { x: place.x + x, y: place.y + y } }, `move ${selected}`);
    } else if (direction && !event.altKey) {
      const next = place ? neighbour(selected, direction, placed, edges) : first;
      if (next) focus(next);
    } else if (event.altKey) return;
    else if (key === "enter") props.onOpen(selected);
    else if (key === "a") props.onAddAfter(source);
    else if (key === "c" && source) props.onConnect(source);
    else if (key === "delete" || key === "backspace") remove();
    else if (key === "escape") setEdge(undefined);
    else return;
    event.preventDefault();
  };
}

interface EdgesProps {
  stages: StageNode[];
  edges: Edge[];
  shapes: Shape[];
  placed: Placed;
  origin: Point;
  size: { width: number; height: number };
  chosen: Edge | undefined;
  selected: string;
  drag: Drag | undefined;
  onChoose: (edge: Edge) => void;
}

function Edges({ stages, edges, shapes, placed, origin, size, chosen, selected, drag, onChoose }: EdgesProps) {
  const nameOf = (id: string) =>
    id === inputsId ? text.inputs : (stages.find((stage) => stage.id === id)?.label ?? id);
  const moved = ({ x, y }: Point) => [x + origin.x, y + origin.y] as const;
  const pathOf = (e: Edge) => {
    const from = shapes.find((shape) => shape.id === e.from);
    const to = shapes.find((shape) => shape.id === e.to);
    if (!from || !to) return undefined;
    const others = [...placed]
      .filter(([id]) => id !== e.from && id !== e.to)
      .map(([, p]) => ({ ...p, x: p.x + origin.x, y: p.y + origin.y }));
    return curveAround(
      ...moved(exitOf(from, placed.get(e.from)!, e.input)),
      ...moved(entryOf(to, placed.get(e.to)!, e.argument)),
      others,
    );
  };
  return (
    <svg class="graph-edges" {...size} aria-hidden="true">
      {edges.map((e, i) => {
        const path = pathOf(e);
        const isLit = e === chosen || selected === e.from || selected === e.to;
        return (
          path && (
            <g key={i}>
              <path d={path} class={`edge ${e.kind}${isLit ? " lit" : ""}${e === chosen ? " chosen-edge" : ""}`} />
              <path d={path} class="edge-hit" onClick={() => onChoose(e)}>
                <title>{`${nameOf(e.from)} → ${nameOf(e.to)}: ${e.label}`}</title>
              </path>
            </g>
          )
        );
      })}
      {drag && <path class="edge lit" d={curve(...moved(drag.from), ...moved(drag.to))} />}
    </svg>
  );
}

/** A frame around a stage and those it holds. */
function Frames({ stages, placed, origin }: { stages: StageNode[]; placed: Placed; origin: Point }) {
  const outer = [...new Set(stages.map((stage) => stage.parent).filter((parent) => parent !== undefined))];
  return (
    <>
      {outer.map((id) => {
        const inside = stages
          .filter((stage) => stage.parent === id || stage.id === id)
          .map((stage) => placed.get(stage.id)!)
          .filter(Boolean);
        const left = Math.min(...inside.map((p) => p.x)) - 14;
        const top = Math.min(...inside.map((p) => p.y)) - 14;
        const right = Math.max(...inside.map((p) => p.x + p.width)) + 14;
        const bottom = Math.max(...inside.map((p) => p.y + p.height)) + 14;
        return (
          <div
            key={id}
            class="builder-frame"
            style={{
              left: `${left + origin.x}px`,
              top: `${top + origin.y}px`,
              width: `${right - left}px`,
              height: `${bottom - top}px`,
            }}
          />
        );
      })}
    </>
  );
}
