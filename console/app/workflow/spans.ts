// When each step waited and ran.

import { isOver } from "../status";
import type { WorkflowEvent } from "../types";
import { blamedBy, stepOf, type Step, type Workflow } from "./model";

export interface Span {
  kind: "queued" | "running" | "failed";
  from: number;
  to: number;
}

/**
 * The spans of each step. A step waits from when what it takes was there, and again while no
 * worker has it. Only an attempt that a worker dropped or that failed is a failed one.
 */
export function spansOf(workflow: Workflow, events: WorkflowEvent[], now: number): Map<string, Span[]> {
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
  /** What came with the request could not be read. */
  const isUnread = (step: Step) => step.error?.code === "dependency_failed" && !blamedBy(workflow, step);
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
        step.status === "failed" && (span.kind === "running" || isUnread(step)) ? "failed" : span.kind,
      );
      return [step.id, spans];
    }),
  );
}
