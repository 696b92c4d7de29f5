// When each step waited and ran.

import { useMemo, useState } from "preact/hooks";
import { clock, duration } from "../format";
import { useNow } from "../hooks";
import { Choices } from "../parts/field";
import { isOver } from "../status";
import { text } from "../texts/workflow";
import type { WorkflowEvent } from "../types";
import { stepOf, type Workflow } from "./model";

interface Span {
  kind: "queued" | "running" | "failed";
  from: number;
  to: number;
}

/**
 * The spans of each step. A step waits from when what it takes was there, and again while no
 * worker has it. Only an attempt that a worker dropped or that failed is a failed one.
 */
function spansOf(workflow: Workflow, events: WorkflowEvent[], now: number): Map<string, Span[]> {
  const ends = new Map(
    workflow.steps.map((step) => [
      step.id,
      step.timestamps.completedAt ? Date.parse(step.timestamps.completedAt) : now,
    ]),
  );
  const byStep = new Map<string, WorkflowEvent[]>();
  for (const event of events) {
    const stepId = stepOf(event);
    if (stepId) (byStep.get(stepId) ?? byStep.set(stepId, []).get(stepId)!).push(event);
  }
  const created = Date.parse(workflow.timestamps.createdAt);
  const stopped = isOver(workflow.status)
    ? Date.parse(workflow.timestamps.completedAt ?? workflow.timestamps.updatedAt)
    : now;
  return new Map(
    workflow.steps.map((step) => {
      const sources = step.dependsOn.map((b) => ends.get(b.sourceStepId)).filter((end) => end !== undefined);
      const spans: Span[] = [];
      const span: Span = { kind: "queued", from: Math.max(created, ...sources), to: 0 };
      const change = (next: Span["kind"], at: number, kind = span.kind) => {
        if (at > span.from) spans.push({ kind, from: span.from, to: at });
        span.kind = next;
        span.from = Math.max(span.from, at);
      };
      const known = byStep.get(step.id) ?? [];
      const { startedAt, completedAt } = step.timestamps;
      if (startedAt && !known.some((event) => event.type === "step_started")) change("running", Date.parse(startedAt)); // its event was removed
      for (const event of known) {
        const time = Date.parse(event.at);
        const kind = event.type === "custom" ? event.payload.kind : "";
        const isUnserved = event.type === "workflow_progress" && event.payload.waitingFor;
        if (event.type === "step_started") change("running", time, span.kind === "running" ? "failed" : span.kind);
        else if (span.kind === "running" && kind === "step_retry") change("queued", time, "failed");
        else if (
          span.kind === "running" &&
          (kind === "step_requeued" || isUnserved || event.type === "step_waiting_for_user")
        )
          change("queued", time);
      }
      change(
        "queued",
        completedAt ? Date.parse(completedAt) : stopped,
        span.kind === "running" && step.status === "failed" ? "failed" : span.kind,
      );
      return [step.id, spans];
    }),
  );
}

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
  const shown = [...spans.values()].flat().filter((span) => scale === "all" || span.kind !== "queued");
  const start = Math.min(...shown.map((span) => span.from), now);
  const length = Math.max(1000, Math.max(...shown.map((span) => span.to), start) - start);
  const total = (list: Span[], isQueued: boolean) =>
    list.reduce((n, span) => n + ((span.kind === "queued") === isQueued ? span.to - span.from : 0), 0) / 1000;
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
        {workflow.steps.map((step) => {
          const list = spans.get(step.id)!;
          const ran = total(list, false);
          const label = text.barLabel(step.id, duration(total(list, true)), ran ? duration(ran) : text.notStarted);
          return (
            <li key={step.id}>
              <button
                class="timeline-row"
                aria-pressed={step.id === selected}
                title={label}
                onClick={() => onSelect(step.id)}>
                <span class="small cut">{step.id}</span>
                <span class="timeline-track">
                  {list
                    .filter((span) => scale === "all" || span.kind !== "queued")
                    .map((span, i) => (
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
                <span class="small muted tabular">{ran ? duration(ran) : "–"}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <div class="timeline-axis small muted tabular">
        <span />
        <span class="row">
          <span>{clock(start)}</span>
          <span>{duration(length / 1000)}</span>
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
