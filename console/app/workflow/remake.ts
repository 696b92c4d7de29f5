// What a fallback worker has made can be made again by a worker with the model, free of charge and once.

import { ApiError } from "../api";
import type { Step } from "../types";

/** What has happened here since the step was read. */
export interface Remake {
  busy: boolean;
  by?: string; // the workflow that makes it again, as far as this page knows
}

export type RemakeAction =
  { type: "asked" } | { type: "started"; workflowId: string } | { type: "failed"; error: unknown };

export function remakeReducer(state: Remake, action: RemakeAction): Remake {
  switch (action.type) {
    case "asked":
      return { ...state, busy: true };
    case "started":
      return { busy: false, by: action.workflowId };
    case "failed": // another page may have been first
      return { busy: false, by: usedBy(action.error) ?? state.by };
  }
}

/** The workflow that makes a step again, if a refusal names it. */
function usedBy(error: unknown): string | undefined {
  const id = error instanceof ApiError ? error.failure.details?.remakeWorkflowId : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Whether a step can be made again, or which workflow does so; undefined for any other step. */
export function offerOf(step: Step, state: Remake): { by?: string } | undefined {
  if (!step.remake) return undefined;
  const by = state.by ?? step.remake.workflowId;
  return by ? { by } : step.remake.state === "available" ? {} : undefined;
}
