// What is made now of a workflow, and which of those that are under way is shown by itself.

import { numberOf } from "../json";
import { isOver } from "../status";
import type { Artifact, WorkflowEvent, WorkflowSummary } from "../types";
import { progressOf, type Step, type Workflow } from "../workflow/model";

export interface Making {
  step: Step | undefined;
  /** How far the whole workflow is. */
  share: number;
  /** The step is not begun: it waits for its turn, for a worker or for the account. */
  isQueued: boolean;
  /** The newest result of the steps that are done. */
  done: Artifact | undefined;
  /** Which of several results is made now, from 1. */
  at: number | undefined;
  /** How many there will be. */
  of: number;
  /** How long it still takes, at the speed until the newest event; undefined while that says little. */
  secondsLeft: number | undefined;
}

export function makingOf(workflow: Workflow, events: Pick<WorkflowEvent, "at">[] = []): Making {
  const open = workflow.steps.filter((s) => !isOver(s.status));
  const step = open.find((s) => s.status === "running") ?? open[0] ?? workflow.steps.at(-1);
  const share = progressOf(workflow);
  const several = workflow.steps.length > 1;
  const of = several ? workflow.steps.length : (numberOf(step?.arguments.numberOfVariations) ?? 1);
  const done = several ? of - open.length : Math.floor(share * of);
  return {
    step,
    share,
    at: of > 1 && step?.status === "running" && share > 0 ? Math.min(done + 1, of) : undefined,
    of,
    secondsLeft: step?.status === "running" ? secondsLeft(workflow, share, events.at(-1)?.at) : undefined,
    isQueued: step?.status === "queued",
    done: workflow.artifacts.filter((a) => a.url).at(-1),
  };
}

// What went before says little of the rest until then: a worker loads its model first.
const leastShare = 0.05;
const leastSeconds = 2;

/** Both times are of the service: its clock may differ from the browser's. */
function secondsLeft(workflow: Workflow, share: number, now: string | undefined): number | undefined {
  const starts = workflow.steps.flatMap((s) => (s.timestamps.startedAt ? [Date.parse(s.timestamps.startedAt)] : []));
  const seconds = (Date.parse(now ?? "") - Math.min(...starts)) / 1000;
  return share >= leastShare && share < 1 && seconds >= leastSeconds ? (seconds * (1 - share)) / share : undefined;
}

const most = 50;

/** The workflows that this browser has started, with another one. */
export const withOwn = (own: string[], id: string) => [id, ...own.filter((other) => other !== id)].slice(0, most);

/** The newest of the workflows under way that this browser has started: those of other clients are not shown unasked. */
export const adopted = (pending: WorkflowSummary[], own: string[]) =>
  pending.find(({ workflowId }) => own.includes(workflowId))?.workflowId;
