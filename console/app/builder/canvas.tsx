// The canvas: stages as nodes, moved and connected by pointer or keyboard.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { percent, words } from "../format";
import { arrows, curve, curveAround, extent, neighbour } from "../graph/layout";
import { Icon, kindIcon } from "../parts/icon";
import { inputsId, type Edge, type StageNode } from "../template/derive";
import type { Issue, TemplateInput } from "../template/model";
import { text } from "../texts/builder";
import { sourceOfInput, sourceOfStage, targetsOf, type Source, type Tools } from "./connect";
import type { Places } from "./document";
import { entryOf, exitOf, letterOf, placeAll, shapesOf, type Shape } from "./shape";

export interface StageRun {
  status: string;
  progress: number;
  picture?: string;
}

export interface CanvasProps {
  inputs: TemplateInput[];
  stages: StageNode[];
  edges: Edge[];
  tools: Tools;
  places: Places;
  selected: string;
  issues: Map<string, Issue[]>;
  runs: Map<string, StageRun>;
  scale: number;
  isStale: boolean;
  onScale: (scale: number) => void;
  onSelect: (id: string) => void;
  onOpen: (id: string) => void;
  onMove: (places: Places, group: string) => void;
  onAddAfter: (source: Source | undefined) => void;
  onConnect: (source: Source) => void;
  onDrop: (source: Source, stage: StageNode, argument?: string) => void;
  onRemove: (id: string) => void;
  onRemoveEdge: (edge: Edge) => void;
}

const margin = 40;

interface Drag {
  source: Source;
  from: { x: number; y: number };
  to: { x: number; y: number };
}

export function Canvas(props: CanvasProps) {
  const { inputs, stages, edges, tools, places, selected, scale } = props;
  const shapes = useMemo(() => shapesOf(inputs, stages, edges, tools), [inputs, stages, edges, tools]);
  const [moving, setMoving] = useState<Places>({});
  const placed = useMemo(() => placeAll(shapes, edges, { ...places, ...moving }), [shapes, edges, places, moving]);
  const [drag, setDrag] = useState<Drag>();
  const [edge, setEdge] = useState<Edge>();
  const box = useRef<HTMLDivElement>(null);
  const shapeOf = (id: string) => shapes.find((shape) => shape.id === id);
  const origin = { x: margin - Math.min(0, ...[...placed.values()].map((p) => p.x)), y: margin - Math.min(0, ...[...placed.values()].map((p) => p.y)) };
  const size = extent([...placed.values()].map((p) => ({ ...p, x: p.x + origin.x, y: p.y + origin.y })));
  const fitting = drag && new Set(targetsOf(drag.source, stages, edges, tools).map((target) => `${target.stage.id}\n${target.argument.name}`));
  const fittingStages = fitting && new Set([...fitting].map((key) => key.split("\n")[0]));
  const sourceOf = (id: string): Source | undefined => {
    const stage = stages.find((node) => node.id === id);
    return stage && sourceOfStage(stage, tools);
  };

  // A point of the canvas, from one of the window.
  const at = (event: PointerEvent) => {
    const frame = box.current!.querySelector(".graph-canvas")!.getBoundingClientRect();
    return { x: (event.clientX - frame.left) / scale - origin.x, y: (event.clientY - frame.top) / scale - origin.y };
  };
  const startMove = (id: string, event: PointerEvent) => {
    if (event.button !== 0 || (event.target as Element).closest(".port-out")) return;
    const start = at(event);
    const place = placed.get(id)!;
    const node = event.currentTarget as HTMLElement;
    let last: Places | undefined;
    const move = (now: PointerEvent) => {
      const to = at(now);
      if (!last && Math.hypot(to.x - start.x, to.y - start.y) * scale < 4) return;
      if (!last) node.setPointerCapture(now.pointerId);
      last = { [id]: { x: Math.round(place.x + to.x - start.x), y: Math.round(place.y + to.y - start.y) } };
      setMoving(last);
    };
    const end = () => {
      node.removeEventListener("pointermove", move);
      node.removeEventListener("pointerup", end);
      node.removeEventListener("pointercancel", end);
      if (last) props.onMove({ ...Object.fromEntries([...placed].map(([key, { x, y }]) => [key, { x, y }])), ...last }, "");
      setMoving({});
    };
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerup", end);
    node.addEventListener("pointercancel", end);
  };
  const startConnect = (source: Source, from: { x: number; y: number }, event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    const port = event.currentTarget as HTMLElement;
    port.setPointerCapture(event.pointerId);
    setDrag({ source, from, to: at(event) });
    const move = (now: PointerEvent) => setDrag({ source, from, to: at(now) });
    const end = (now: PointerEvent) => {
      port.removeEventListener("pointermove", move);
      port.removeEventListener("pointerup", end);
      port.removeEventListener("pointercancel", end);
      setDrag(undefined);
      if (now.type === "pointercancel") return;
      const over = document.elementFromPoint(now.clientX, now.clientY);
      const node = over?.closest<HTMLElement>("[data-node]")?.dataset.node;
      const stage = stages.find((candidate) => candidate.id === node);
      if (stage) props.onDrop(source, stage, over?.closest<HTMLElement>("[data-argument]")?.dataset.argument);
      else if (!node && over?.closest(".builder-canvas")) props.onAddAfter(source);
    };
    port.addEventListener("pointermove", move);
    port.addEventListener("pointerup", end);
    port.addEventListener("pointercancel", end);
  };

  const focus = (id: string) => {
    props.onSelect(id);
    box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`)?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const direction = arrows[event.key];
    const place = placed.get(selected);
    if (direction && event.altKey && place) {
      const step = { left: [-16, 0], right: [16, 0], up: [0, -16], down: [0, 16] }[direction];
      props.onMove({ ...Object.fromEntries([...placed].map(([key, { x, y }]) => [key, { x, y }])), [selected]: { x: place.x + step[0], y: place.y + step[1] } }, `move ${selected}`);
    } else if (direction && !event.altKey) {
      const next = placed.has(selected) ? neighbour(selected, direction, placed, edges) : shapes[0]?.id;
      if (next) focus(next);
    } else if (event.altKey) return;
    else if (event.key === "Enter") props.onOpen(selected);
    else if (event.key === "a" || event.key === "A") props.onAddAfter(sourceOf(selected));
    else if ((event.key === "c" || event.key === "C") && sourceOf(selected)) props.onConnect(sourceOf(selected)!);
    else if (event.key === "Delete" || event.key === "Backspace") {
      if (edge) {
        props.onRemoveEdge(edge);
        setEdge(undefined);
      } else if (stages.some((node) => node.id === selected)) {
        props.onRemove(selected);
        setTimeout(() => box.current?.querySelector<HTMLElement>('[data-node][tabindex="0"]')?.focus(), 30);
      }
    } else if (event.key === "Escape") setEdge(undefined);
    else return;
    event.preventDefault();
  };
  useLayoutEffect(() => {
    const node = box.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(selected)}"]`);
    const frame = box.current;
    if (!node || !frame) return;
    const focused = document.activeElement;
    if (focused !== node && focused?.hasAttribute("data-node") && frame.contains(focused)) node.focus({ preventScroll: true });
    const left = node.offsetLeft * scale;
    const top = node.offsetTop * scale;
    if (left < frame.scrollLeft || left + node.offsetWidth * scale > frame.scrollLeft + frame.clientWidth) frame.scrollLeft = left - 60;
    if (top < frame.scrollTop || top + node.offsetHeight * scale > frame.scrollTop + frame.clientHeight) frame.scrollTop = top - 60;
  }, [selected]);

  // A wide graph begins at the scale at which it fits.
  useLayoutEffect(() => {
    const fit = box.current!.clientWidth / (size.width + margin);
    if (fit < 1) props.onScale(Math.max(0.65, Math.floor(fit * 20) / 20));
  }, []);

  const tabStop = placed.has(selected) ? selected : shapes[0]?.id;
  return (
    <div class={`graph builder-canvas${props.isStale ? " stale" : ""}${drag ? " connecting" : ""}`} ref={box} role="group" aria-label={text.canvas} tabIndex={shapes.length ? undefined : 0} onKeyDown={onKey}
      onPointerDown={(event) => { if (!(event.target as Element).closest("[data-node], .edge-hit")) setEdge(undefined); }}>
      {!shapes.length && <div class="builder-empty"><p class="lead">{text.empty}</p><p class="muted">{text.emptyHelp}</p></div>}
      <div class="graph-place" style={{ width: `${(size.width + margin) * scale}px`, height: `${(size.height + margin) * scale}px` }}>
        <div class="graph-canvas" style={{ width: `${size.width + margin}px`, height: `${size.height + margin}px`, transform: `scale(${scale})` }}>
          <Frames stages={stages} placed={placed} origin={origin} />
          <svg class="graph-edges" width={size.width + margin} height={size.height + margin} aria-hidden="true">
            {edges.map((e, i) => {
              const from = shapeOf(e.from);
              const to = shapeOf(e.to);
              if (!from || !to) return null;
              const a = exitOf(from, placed.get(e.from)!, e.input);
              const b = entryOf(to, placed.get(e.to)!, e.argument);
              const others = [...placed].filter(([id]) => id !== e.from && id !== e.to).map(([, p]) => ({ ...p, x: p.x + origin.x, y: p.y + origin.y }));
              const path = curveAround(a.x + origin.x, a.y + origin.y, b.x + origin.x, b.y + origin.y, others);
              const isLit = e === edge || selected === e.from || selected === e.to;
              return (
                <g key={i}>
                  <path d={path} class={`edge ${e.kind}${isLit ? " lit" : ""}${e === edge ? " chosen-edge" : ""}`} />
                  <path d={path} class="edge-hit" onClick={() => { setEdge(e); focus(e.to); }}><title>{`${e.from === inputsId ? text.inputs : e.from} → ${e.to}: ${e.label}`}</title></path>
                </g>
              );
            })}
            {drag && <path class="edge lit" d={curve(drag.from.x + origin.x, drag.from.y + origin.y, drag.to.x + origin.x, drag.to.y + origin.y)} />}
          </svg>
          {shapes.map((shape) => {
            const place = placed.get(shape.id)!;
            const stage = stages.find((node) => node.id === shape.id);
            const style = { left: `${place.x + origin.x}px`, top: `${place.y + origin.y}px`, width: `${shape.width}px`, height: `${shape.height}px` };
            const isDim = drag !== undefined && (!stage || !fittingStages!.has(shape.id));
            return (
              <div key={shape.id} data-node={shape.id} class={`builder-node${isDim ? " dim" : ""}${stage?.isBatch ? " batch" : ""}${stage && tools.size && !tools.has(stage.tool) ? " unknown" : ""}`} style={style}
                role="button" aria-pressed={shape.id === selected} tabIndex={shape.id === tabStop ? 0 : -1}
                onFocus={() => shape.id !== selected && props.onSelect(shape.id)} onClick={() => props.onSelect(shape.id)} onDblClick={() => props.onOpen(shape.id)} onPointerDown={(event) => startMove(shape.id, event)}>
                {stage
                  ? <StageFace stage={stage} shape={shape} tools={tools} issues={props.issues.get(shape.id) ?? []} run={props.runs.get(shape.id)} fitting={fitting}
                      onPull={(event) => startConnect(sourceOfStage(stage, tools), exitOf(shape, place), event)} />
                  : <InputsFace shape={shape} inputs={inputs} issues={props.issues.get(shape.id) ?? []} onPull={(input, event) => startConnect(sourceOfInput(input), exitOf(shape, place, input.name), event)} />}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** A frame around a stage and those it holds. */
function Frames({ stages, placed, origin }: { stages: StageNode[]; placed: Map<string, { x: number; y: number; width: number; height: number }>; origin: { x: number; y: number } }) {
  const outer = [...new Set(stages.map((stage) => stage.parent).filter((parent) => parent !== undefined))];
  return (
    <>
      {outer.map((id) => {
        const inside = stages.filter((stage) => stage.parent === id || stage.id === id).map((stage) => placed.get(stage.id)!).filter(Boolean);
        const left = Math.min(...inside.map((p) => p.x)) - 14;
        const top = Math.min(...inside.map((p) => p.y)) - 14;
        const right = Math.max(...inside.map((p) => p.x + p.width)) + 14;
        const bottom = Math.max(...inside.map((p) => p.y + p.height)) + 14;
        return <div key={id} class="builder-frame" style={{ left: `${left + origin.x}px`, top: `${top + origin.y}px`, width: `${right - left}px`, height: `${bottom - top}px` }} />;
      })}
    </>
  );
}

function Marks({ issues }: { issues: Issue[] }) {
  const worst = issues.find((issue) => issue.severity === "error") ?? issues[0];
  return worst ? <span class={`node-mark ${worst.severity}`} title={worst.message}><Icon name="warning" size={16} /><span class="offscreen">{text.severity[worst.severity]}: {worst.message}</span></span> : null;
}

function PortDot({ kind }: { kind: string }) {
  return <span class={`port kind-${kind === "select" ? "text" : kind}`} aria-hidden="true">{letterOf(kind)}</span>;
}

function InputsFace({ shape, inputs, issues, onPull }: { shape: Shape; inputs: TemplateInput[]; issues: Issue[]; onPull: (input: TemplateInput, event: PointerEvent) => void }) {
  return (
    <>
      <span class="builder-node-head"><span class="grow"><span class="node-name">{text.inputs}</span></span><Marks issues={issues} /></span>
      {shape.ports.map((port, i) => (
        <span class="port-row right" key={i}>
          <span class="small cut">{port.name || "?"}</span>
          <span class="port-out" onPointerDown={(event) => onPull(inputs[i], event)}><PortDot kind={port.kind} /></span>
        </span>
      ))}
    </>
  );
}

function StageFace({ stage, shape, tools, issues, run, fitting, onPull }: {
  stage: StageNode; shape: Shape; tools: Tools; issues: Issue[]; run?: StageRun; fitting?: Set<string>; onPull: (event: PointerEvent) => void;
}) {
  const kind = tools.get(stage.tool)?.produces ?? "";
  return (
    <>
      <span class={`builder-node-head${run ? ` status-${run.status}` : ""}`}>
        {run?.picture ? <img class="node-picture" src={run.picture} alt="" /> : <span class={`node-kind kind-${kind}`}><Icon name={kind ? kindIcon(kind) : "workflow"} size={18} /></span>}
        <span class="grow node-lines">
          <span class="node-name cut">{stage.label}</span>
          <span class="small muted cut">{run ? (run.status === "running" ? percent(run.progress) : words(run.status)) : words(stage.tool) || text.chooseTool}</span>
        </span>
        <Marks issues={issues} />
        {kind && <span class="port-out head-port" onPointerDown={onPull}><PortDot kind={kind} /></span>}
      </span>
      {shape.ports.map((port) => (
        <span class={`port-row${fitting && !fitting.has(`${stage.id}\n${port.name}`) ? " dim" : ""}`} data-argument={port.name} key={port.name}>
          <PortDot kind={port.kind} /><span class="small cut">{port.name}</span>
        </span>
      ))}
    </>
  );
}
