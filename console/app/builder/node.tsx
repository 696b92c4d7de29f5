// A node of the canvas: a stage, or the inputs of the template.

import { percent, words } from "../format";
import { statusName } from "../parts/chip";
import { Icon, kindIcon } from "../parts/icon";
import type { StageNode } from "../template/derive";
import type { TemplateInput } from "../template/model";
import { labelOf } from "../texts/arguments";
import { kindName, text } from "../texts/builder";
import { sourceOfInput, sourceOfStage, type Source, type Tools } from "./connect";
import type { Issue } from "./document";
import { letterOf, type Shape } from "./shape";

export interface StageRun {
  status: string;
  /** The status in words, where that differs from what it is called. */
  name?: string;
  progress: number;
  picture?: string;
}

/** What a node shows of the canvas. */
export interface NodeContext {
  inputs: TemplateInput[];
  stages: StageNode[];
  tools: Tools;
  selected: string;
  issues: Map<string, Issue[]>;
  runs: Map<string, StageRun>;
  onSelect: (id: string) => void;
  onShow: (id: string) => void;
  onOpen: (id: string) => void;
}

interface NodeProps {
  canvas: NodeContext;
  shape: Shape;
  left: number;
  top: number;
  isTabStop: boolean;
  /** While something is connected: the arguments that take it. */
  fitting: Set<string> | undefined;
  onMove: (event: PointerEvent) => void;
  onPull: (source: Source, event: PointerEvent, input?: string) => void;
}

export function Node({ canvas, shape, left, top, isTabStop, fitting, onMove, onPull }: NodeProps) {
  const { stages, tools, inputs, selected, issues, runs, onSelect, onShow, onOpen } = canvas;
  const { id } = shape;
  const stage = stages.find((node) => node.id === id);
  const isDim = fitting !== undefined && (!stage || ![...fitting].some((key) => key.split("\n")[0] === id));
  const isUnknown = stage && tools.size > 0 && !tools.has(stage.tool);
  return (
    <div
      data-node={id}
      class={`builder-node${isDim ? " dim" : ""}${stage?.isBatch ? " batch" : ""}${isUnknown ? " unknown" : ""}`}
      style={{ left: `${left}px`, top: `${top}px`, width: `${shape.width}px`, height: `${shape.height}px` }}
      role="button"
      aria-pressed={id === selected}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={() => id !== selected && onSelect(id)}
      onClick={() => onShow(id)}
      onDblClick={() => onOpen(id)}
      onPointerDown={onMove}>
      {stage ? (
        <StageFace
          stage={stage}
          shape={shape}
          tools={tools}
          issues={issues.get(id) ?? []}
          run={runs.get(id)}
          fitting={fitting}
          onPull={(event) => onPull(sourceOfStage(stage, tools), event)}
        />
      ) : (
        <InputsFace
          shape={shape}
          inputs={inputs}
          issues={issues.get(id) ?? []}
          onPull={(input, event) => onPull(sourceOfInput(input), event, input.name)}
        />
      )}
    </div>
  );
}

function Marks({ issues }: { issues: Issue[] }) {
  const worst = issues.find((issue) => issue.severity === "error") ?? issues[0];
  return worst ? (
    <span class={`node-mark ${worst.severity}`} title={worst.message}>
      <Icon name="warning" size={16} />
      <span class="offscreen">
        {text.severity[worst.severity]}: {worst.message}
      </span>
    </span>
  ) : null;
}

export function PortDot({ kind }: { kind: string }) {
  return (
    <span class={`port kind-${kind === "select" ? "text" : kind}`} title={kindName(kind)} aria-hidden="true">
      {letterOf(kind)}
    </span>
  );
}

function InputsFace({
  shape,
  inputs,
  issues,
  onPull,
}: {
  shape: Shape;
  inputs: TemplateInput[];
  issues: Issue[];
  onPull: (input: TemplateInput, event: PointerEvent) => void;
}) {
  return (
    <>
      <span class="builder-node-head">
        <span class="grow">
          <span class="node-name">{text.inputs}</span>
        </span>
        <Marks issues={issues} />
      </span>
      {shape.ports.map((port, i) => (
        <span class="port-row right" key={i}>
          <span class="small cut">{port.name || "?"}</span>
          <span class="port-out" onPointerDown={(event) => onPull(inputs[i], event)}>
            <PortDot kind={port.kind} />
          </span>
        </span>
      ))}
    </>
  );
}

function StageFace({
  stage,
  shape,
  tools,
  issues,
  run,
  fitting,
  onPull,
}: {
  stage: StageNode;
  shape: Shape;
  tools: Tools;
  issues: Issue[];
  run?: StageRun;
  fitting?: Set<string>;
  onPull: (event: PointerEvent) => void;
}) {
  const kind = tools.get(stage.tool)?.produces ?? "";
  return (
    <>
      <span class={`builder-node-head${run ? ` status-${run.status}` : ""}`}>
        {run?.picture ? (
          <img class="node-picture" src={run.picture} alt="" />
        ) : (
          <span class={`node-kind kind-${kind}`}>
            <Icon name={kind ? kindIcon(kind) : "workflow"} size={18} />
          </span>
        )}
        <span class="grow node-lines">
          <span class="node-name cut">{stage.label}</span>
          <span class="small muted cut">
            {run
              ? run.status === "running"
                ? percent(run.progress)
                : (run.name ?? statusName(run.status))
              : words(stage.tool) || text.chooseTool}
          </span>
        </span>
        <Marks issues={issues} />
        {kind && (
          <span class="port-out head-port" onPointerDown={onPull}>
            <PortDot kind={kind} />
          </span>
        )}
      </span>
      {shape.ports.map((port) => (
        <span
          class={`port-row${fitting && !fitting.has(`${stage.id}\n${port.name}`) ? " dim" : ""}`}
          data-argument={port.name}
          key={port.name}>
          <PortDot kind={port.kind} />
          <span class="small cut" title={port.name}>
            {labelOf(port.name)}
          </span>
        </span>
      ))}
    </>
  );
}
