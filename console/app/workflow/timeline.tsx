// When each step waited and ran, as bars.

import { useMemo, useState } from "preact/hooks";
import { clock, span as lasting } from "../format";
import { useNow } from "../hooks";
import { Choices } from "../parts/field";
import { isOver } from "../status";
import { text } from "../texts/workflow";
import type { WorkflowEvent } from "../types";
import type { Workflow } from "./model";
import { spansOf, type Span } from "./spans";
import { useStepName } from "./step-names";

export function Timeline({
  workflow,
  events,
  selected,
  onSelect,
}: {
  workflow: Workflow;
  events: WorkflowEvent[];
  selected: string;
  onSelect: (step: string) => void;
}) {
  const ticking = !isOver(workflow.status);
  const tick = useNow(ticking ? 1000 : 3_600_000);
  const now = ticking ? tick : Date.parse(workflow.timestamps.completedAt ?? workflow.timestamps.updatedAt);
  const [scale, setScale] = useState<"all" | "running">("all");
  const spans = useMemo(() => spansOf(workflow, events, now), [workflow, events, now]);
  const isDrawn = (span: Span) => scale === "all" || span.kind !== "queued";
  const shown = [...spans.values()].flat().filter(isDrawn);
  const start = Math.min(...shown.map((span) => span.from), now);
  const length = Math.max(1000, Math.max(...shown.map((span) => span.to), start) - start);
  return (
    <section class="timeline" aria-label={text.timeline}>
      <div class="row timeline-head">
        <h2>{text.timeline}</h2>
        <Choices
          label={text.timelineScale}
          value={scale}
          onInput={setScale}
          options={[
            { value: "all", label: text.withWaiting },
            { value: "running", label: text.withoutWaiting },
          ]}
        />
      </div>
      <ul>
        {workflow.steps.map((step) => (
          <Row
            key={step.id}
            id={step.id}
            spans={spans.get(step.id)!}
            isDrawn={isDrawn}
            start={start}
            length={length}
            selected={step.id === selected}
            onSelect={onSelect}
          />
        ))}
      </ul>
      <div class="timeline-axis small muted tabular">
        <span />
        <span class="row">
          <span>{clock(start)}</span>
          <span>{lasting(length / 1000)}</span>
        </span>
        <span />
      </div>
      <p class="row small muted timeline-legend">
        <span>
          <i class="span queued" /> {text.queuedShade}
        </span>
        <span>
          <i class="span running" /> {text.runningShade}
        </span>
        <span>
          <i class="span failed" /> {text.failedShade}
        </span>
      </p>
    </section>
  );
}

interface RowProps {
  id: string;
  spans: Span[];
  isDrawn: (span: Span) => boolean;
  /** The time at the beginning of the track, and how long the track is. */
  start: number;
  length: number;
  selected: boolean;
  onSelect: (step: string) => void;
}

function Row({ id, spans, isDrawn, start, length, selected, onSelect }: RowProps) {
  const total = (isQueued: boolean) =>
    spans.reduce((n, span) => n + ((span.kind === "queued") === isQueued ? span.to - span.from : 0), 0) / 1000;
  const ran = total(false);
  const name = useStepName()(id);
  const label = text.barLabel(name, lasting(total(true)), ran ? lasting(ran) : text.notStarted);
  return (
    <li>
      <button class="timeline-row" aria-pressed={selected} title={label} onClick={() => onSelect(id)}>
        <span class="small cut">{name}</span>
        <span class="timeline-track">
          {spans.filter(isDrawn).map((span, i) => (
            <span
              key={i}
              class={`span ${span.kind}`}
              style={{
                left: `${((span.from - start) / length) * 100}%`,
                width: `${Math.max(0.3, ((span.to - span.from) / length) * 100)}%`,
              }}
            />
          ))}
        </span>
        <span class="small muted tabular">{ran ? lasting(ran) : "–"}</span>
      </button>
    </li>
  );
}
