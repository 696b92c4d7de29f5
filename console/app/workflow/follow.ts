// One workflow as it is followed: snapshots of it, and the events between them.

import { isOver } from "../status";
import type { WorkflowEvent, WorkflowProgress } from "../types";
import { isAboutWorkers, stepOf, type Step, type Workflow } from "./model";

export interface Followed {
  workflow?: Workflow;
  /** The log, without gaps and repetitions. */
  events: WorkflowEvent[];
}

export type FollowEvent =
  /** Another workflow is followed. */
  | { type: "begun" }
  /** A snapshot was read, or an action was answered with it. */
  | { type: "read"; workflow: Workflow }
  /** The stream has sent events. */
  | { type: "sent"; events: WorkflowEvent[] };

export const nothing: Followed = { events: [] };

/** The state after an event. */
export function follow(state: Followed, event: FollowEvent): Followed {
  switch (event.type) {
    case "begun":
      return nothing;
    case "read":
      return {
        workflow: withReports(event.workflow, state.workflow),
        events: append(state.events, event.workflow.events),
      };
    case "sent":
      return {
        workflow: state.workflow && apply(state.workflow, event.events),
        events: append(state.events, event.events),
      };
  }
}

/** The number of the newest event; the stream continues after it. */
export const lastSequence = (state: Followed) => state.events.at(-1)?.sequence ?? -1;

/**
 * Reports whether an event means more than it says, so that the workflow has to be read again.
 * A step that begins and the end of the only step do not: the end of the workflow is read anyway.
 */
export function needsReading(workflow: Workflow | undefined, event: WorkflowEvent): boolean {
  switch (event.type) {
    case "workflow_started":
    case "workflow_completed":
    case "workflow_failed":
    case "workflow_cancelled":
    case "step_started":
    case "artifact_created":
      return false;
    case "workflow_progress":
      return isAboutWorkers(event);
    case "step_completed":
    case "step_failed":
      return workflow?.steps.length !== 1;
  }
  return true;
}

function append(log: WorkflowEvent[], more: WorkflowEvent[]): WorkflowEvent[] {
  const last = log.at(-1)?.sequence ?? -1;
  const fresh = more.filter((event) => event.sequence > last);
  return fresh.length ? [...log, ...fresh] : log;
}

type Report = Pick<Step, "previewUrl" | "message">;

const reportOf = ({ previewUrl, message }: Report | WorkflowProgress): Report => ({
  ...(previewUrl && { previewUrl }),
  ...(message && { message }),
});

/** The newest report in the log about a step that runs. */
function newestReport(events: WorkflowEvent[], stepId: string): Report {
  const last = events.findLast((event) => event.type === "workflow_progress" && event.payload.stepId === stepId);
  return last?.type === "workflow_progress" ? reportOf(last.payload) : {};
}

/** A snapshot with what was seen in events and is not repeated in it. */
function withReports(next: Workflow, old: Workflow | undefined): Workflow {
  const steps = next.steps.map((step, i) => {
    if (step.status !== "running") return step;
    return { ...newestReport(next.events, step.id), ...(old?.steps[i] && reportOf(old.steps[i])), ...step };
  });
  return { ...next, steps };
}

/** What events say by themselves: that steps run, and how far they are. */
function apply(workflow: Workflow, events: WorkflowEvent[]): Workflow {
  const news = new Map<string, Partial<Step>>();
  const add = (id: string, change: Partial<Step>) => news.set(id, { ...news.get(id), ...change });
  for (const event of events) {
    if (event.type === "step_completed" || event.type === "step_failed") news.delete(stepOf(event)); // its preview is gone
    if (event.type === "step_started") {
      const timestamps = { startedAt: event.at };
      add(event.payload.stepId, {
        status: "running",
        progress: 0,
        wait: undefined,
        waiting: undefined,
        waitingFor: undefined,
        timestamps,
      });
    }
    if (event.type !== "workflow_progress" || isAboutWorkers(event)) continue;
    add(event.payload.stepId, { status: "running", progress: event.payload.stepProgress, ...reportOf(event.payload) });
  }
  if (!news.size) return workflow;
  const steps = workflow.steps.map((step) => (isOver(step.status) ? step : { ...step, ...news.get(step.id) }));
  const isMoving = workflow.status === "queued" && steps.some((step) => step.status === "running");
  return { ...workflow, steps, ...(isMoving && { status: "running", waiting: undefined }) };
}
