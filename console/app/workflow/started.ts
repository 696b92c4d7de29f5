// A workflow that was started here. The answer of its start is shown instead of being read again.

import type { Workflow } from "../types";

let last: Workflow | undefined;

/** Keeps the snapshot that a start was answered with, for the page that shows the workflow. */
export function keepStarted(workflow: Workflow) {
  last = workflow;
}

/** The snapshot of a workflow that was just started, once. */
export function takeStarted(id: string): Workflow | undefined {
  if (last?.workflowId !== id) return undefined;
  const found = last;
  last = undefined;
  return found;
}
