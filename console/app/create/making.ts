// What is made now of a workflow, and which of those that are under way is shown by itself.

import { isOver } from "../status";
import type { Artifact, WorkflowSummary } from "../types";
import { progressOf, type Step, type Workflow } from "../workflow/model";

export interface Making {
  step: Step | undefined;
  /** How far the whole workflow is. */
  share: number;
  /** The step is not begun: it waits for its turn, for a worker or for the account. */
  isQueued: boolean;
  /** The newest result of the steps that are done. */
  done: Artifact | undefined;
}

export function makingOf(workflow: Workflow): Making {
  const open = workflow.steps.filter((s) => !isOver(s.status));
  const step = open.find((s) => s.status === "running") ?? open[0] ?? workflow.steps.at(-1);
  return {
    step,
    share: progressOf(workflow),
    isQueued: step?.status === "queued",
    done: workflow.artifacts.filter((a) => a.url).at(-1),
  };
}

const most = 50;

/** The workflows that this browser has started, with another one. */
export const withOwn = (own: string[], id: string) => [id, ...own.filter((other) => other !== id)].slice(0, most);

/** The newest of the workflows under way that this browser has started: those of other clients are not shown unasked. */
export const adopted = (pending: WorkflowSummary[], own: string[]) =>
  pending.find(({ workflowId }) => own.includes(workflowId))?.workflowId;
