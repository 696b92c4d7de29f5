// The workflows of the account that are not over, as the strip shows them.

import { isOver } from "../status";
import type { ChangedWorkflow, Workflow, WorkflowSummary } from "../types";
import { progressOf, sparkOf, titleOf } from "../workflow/model";

/** The list after a change, or undefined where it has to be read: a workflow that it does not have has begun. */
export function withChange(list: WorkflowSummary[], change: ChangedWorkflow): WorkflowSummary[] | undefined {
  const isKnown = list.some((row) => row.workflowId === change.workflowId);
  if (isOver(change.status)) return isKnown ? list.filter((row) => row.workflowId !== change.workflowId) : list;
  return isKnown ? list.map((row) => (row.workflowId === change.workflowId ? { ...row, ...change } : row)) : undefined;
}

/** The list with a workflow that was just started. */
export function withStarted(list: WorkflowSummary[], workflow: Workflow, kind: string | null): WorkflowSummary[] {
  const { workflowId, status, steps, artifacts, timestamps } = workflow;
  if (isOver(status) || list.some((row) => row.workflowId === workflowId)) return list;
  const row: WorkflowSummary = {
    workflowId,
    status,
    title: titleOf(workflow),
    about: "",
    kind,
    progress: progressOf(workflow),
    steps: steps.length,
    stepsDone: steps.filter((step) => isOver(step.status)).length,
    cost: sparkOf(workflow),
    coveredByPlan: "0",
    artifactCount: artifacts.length,
    thumbnailUrl: null,
    templateId: workflow.template?.id ?? null,
    appSource: workflow.appSource ?? null,
    createdAt: timestamps.createdAt,
    updatedAt: timestamps.updatedAt,
    startedAt: null,
    completedAt: null,
    waiting: workflow.waiting ?? null,
    reason: null,
  };
  return [row, ...list];
}
