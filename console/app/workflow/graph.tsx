// The steps of a workflow as a graph. It is laid out once: status only repaints the nodes.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { percent, words } from "../format";
import { arrange, arrows, curve, extent, neighbour, type Place } from "../graph/layout";
import { useModelNames } from "../models/names";
import { Progress, Status, statusName } from "../parts/chip";
import { Icon } from "../parts/icon";
import { text } from "../texts/workflow";
import { edgesOf, reasonOf, stateOf, type Edge, type Step, type Workflow } from "./model";
import { useStepName } from "./step-names";

const width = 216;
const height = 96;
const margin = 16;
const smallest = 0.7; // of the scale at which a wide graph fits its place

export function Graph({
  workflow,
  selected,
  onSelect,
}: {
  workflow: Workflow;
  selected: string;
  onSelect: (step: string) => void;
}) {
  const structure = workflow.steps
    .map((step) => [step.id, ...step.dependsOn.map((b) => b.sourceStepId)].join())
    .join("\n");
  const { edges, places, size } = useMemo(() => {
    const edges = edgesOf(workflow);
    const places = arrange(
      workflow.steps.map((step) => ({ id: step.id, width, height })),
      edges,
    );
    return { edges, places, size: extent(places.values()) };
  }, [structure]);
  const box = useRef<HTMLDivElement>(null);
  const full = { width: size.width + 2 * margin, height: size.height + 2 * margin };
  const scale = useScale(box, full.width);

  const move = (event: KeyboardEvent) => {
    const direction = arrows[event.key];
    const next = direction && neighbour(selected, direction, places, edges);
    if (!direction) return;
    event.preventDefault();
    if (!next) return;
    onSelect(next);
    box.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(next)}"]`)?.focus();
  };
  useShown(box, selected, structure);

  return (
    <div class="graph" ref={box} role="group" aria-label={`${text.graph}. ${text.graphHelp}`} onKeyDown={move}>
      <div class="graph-place" style={{ width: `${full.width * scale}px`, height: `${full.height * scale}px` }}>
        <div
          class="graph-canvas"
          style={{ width: `${full.width}px`, height: `${full.height}px`, transform: `scale(${scale})` }}>
          <Edges workflow={workflow} edges={edges} places={places} size={full} selected={selected} />
          {workflow.steps.map((step) => {
            const place = places.get(step.id)!;
            return (
              <Node
                key={step.id}
                workflow={workflow}
                step={step}
                left={place.x + margin}
                top={place.y + margin}
                selected={step.id === selected}
                onSelect={onSelect}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The scale at which a graph of some width fits its place. */
function useScale(box: RefObject<HTMLDivElement>, width: number): number {
  const [scale, setScale] = useState(1);
  useLayoutEffect(() => {
    const fit = () => setScale(Math.max(smallest, Math.min(1, (box.current!.clientWidth - 2) / width)));
    const observer = new ResizeObserver(fit);
    observer.observe(box.current!);
    fit();
    return () => observer.disconnect();
  }, [width]);
  return scale;
}

/** Scrolls to the selected step where the graph is larger than its place. */
function useShown(box: RefObject<HTMLDivElement>, selected: string, structure: string) {
  useEffect(() => {
    const node = box.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(selected)}"]`);
    const frame = box.current;
    if (!node || !frame || frame.scrollWidth <= frame.clientWidth) return;
    frame.scrollTo({
      left: node.offsetLeft - (frame.clientWidth - width) / 2,
      top: node.offsetTop - (frame.clientHeight - height) / 2,
    });
  }, [selected, structure]);
}

interface EdgesProps {
  workflow: Workflow;
  edges: Edge[];
  places: Map<string, Place>;
  size: { width: number; height: number };
  selected: string;
}

function Edges({ workflow, edges, places, size, selected }: EdgesProps) {
  const status = new Map(workflow.steps.map((step) => [step.id, step.status]));
  return (
    <svg class="graph-edges" {...size} aria-hidden="true">
      {edges.map((edge) => {
        const a = places.get(edge.from)!;
        const b = places.get(edge.to)!;
        const path = curve(
          a.x + a.width + margin,
          a.y + a.height / 2 + margin,
          b.x + margin,
          b.y + b.height / 2 + margin,
        );
        const lit = selected === edge.from || selected === edge.to;
        return (
          <path
            key={`${edge.from} ${edge.to}`}
            d={path}
            class={`edge${edge.required ? "" : " loose"}${lit ? " lit" : ""}${status.get(edge.from) === "completed" ? " done" : ""}`}
          />
        );
      })}
    </svg>
  );
}

function Node({
  workflow,
  step,
  left,
  top,
  selected,
  onSelect,
}: {
  workflow: Workflow;
  step: Step;
  left: number;
  top: number;
  selected: boolean;
  onSelect: (step: string) => void;
}) {
  const picture =
    step.artifacts
      .map((artifact) => artifact.thumbnailUrl ?? (artifact.kind === "image" ? artifact.url : undefined))
      .find(Boolean) ?? (step.status === "running" ? step.previewUrl : undefined);
  return (
    <button
      class={`graph-node status-${stateOf(workflow, step).status}`}
      data-step={step.id}
      aria-pressed={selected}
      tabIndex={selected ? 0 : -1}
      style={{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}
      onClick={() => onSelect(step.id)}>
      <StepLines workflow={workflow} step={step} />
      {picture && <img class="graph-picture" src={picture} alt="" loading="lazy" />}
    </button>
  );
}

/** A step in a few lines: in the graph, and in the list of a phone. */
export function StepLines({ workflow, step }: { workflow: Workflow; step: Step }) {
  const names = useModelNames();
  const stepName = useStepName()(step.id);
  const { message, isUsual } = reasonOf(step, (model, network) => text.noWorker(names(model), network));
  // What waits for the person is said above the steps.
  const isAsking = step.status === "waiting_for_user";
  const problem = isUsual || isAsking || step.error ? "" : message;
  const tool = words(step.toolName);
  const state = stateOf(workflow, step);
  return (
    <>
      <span class="node-name cut" title={step.id}>
        {stepName}
        {problem && tool !== stepName && <span class="small muted"> {tool}</span>}
      </span>
      {problem ? (
        <span class="node-reason small" title={problem}>
          <span class="offscreen">{state.name ?? statusName(state.status)}: </span>
          <Icon name="warning" size={14} /> {problem}
        </span>
      ) : (
        <span class="small muted cut">{tool}</span>
      )}
      {!problem && (
        <span class="node-state">
          {step.status === "running" ? (
            <>
              <span class="small tabular">{percent(step.progress)}</span>
              <span class="node-progress" aria-hidden="true">
                <Progress value={step.progress} label={stepName} />
              </span>
            </>
          ) : (
            <>
              <Status {...state} />
              {message && !isAsking && (
                <span class="small muted cut" title={message}>
                  {message}
                </span>
              )}
            </>
          )}
        </span>
      )}
    </>
  );
}
