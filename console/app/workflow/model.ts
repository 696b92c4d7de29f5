// Questions about workflows.

import { plain, withTimes, words } from "../format";
import { isOver } from "../status";
import type * as api from "../types";
import type { WorkflowEvent } from "../types";

/** A result, with the picture of a video, which the library has. */
export interface Artifact extends api.Artifact {
  thumbnailUrl?: string;
}

export interface Step extends api.Step {
  artifacts: Artifact[];
  /** What a worker says of a render that is under way; from its events. */
  message?: string;
}

export interface Workflow extends api.Workflow {
  steps: Step[];
}

/** The step that an event is about, or empty. */
export const stepOf = ({ payload }: WorkflowEvent): string => ("stepId" in payload && payload.stepId) || "";

/** Reports whether an event says that a worker for a step is missing, or is there again. */
export const isAboutWorkers = ({ payload }: WorkflowEvent) => "waitingFor" in payload;

export const titleOf = (workflow: Workflow) =>
  plain(workflow.title || firstPrompt(workflow)) ||
  words(workflow.steps[0]?.toolName ?? "") ||
  workflow.workflowId.slice(-8);

function firstPrompt(workflow: Workflow): string {
  for (const step of workflow.steps) {
    if (typeof step.arguments.prompt === "string") return step.arguments.prompt;
  }
  return "";
}

/** How far a workflow is: a step counts as much as any other. */
export function progressOf(workflow: Workflow): number {
  if (!workflow.steps.length) return 0;
  const sum = workflow.steps.reduce((n, step) => n + (isOver(step.status) ? 1 : step.progress), 0);
  return sum / workflow.steps.length;
}

/** What a step waits for, in words, or empty. It is usual to wait for other steps and jobs. */
export function reasonOf(
  step: Step,
  noWorker: (model: string, network: string, until?: string) => string,
): { message: string; isUsual: boolean } {
  if (step.waiting)
    return {
      message: withTimes(step.waiting.message),
      isUsual: ["queued", "dependency", "media", "cost_approval_required"].includes(step.waiting.reason),
    };
  if (step.waitingFor)
    return { message: noWorker(step.waitingFor.model, step.waitingFor.network, step.wait?.until), isUsual: false };
  return { message: "", isUsual: true };
}

const digits = 9;

/** Adds decimal numbers without rounding. */
export function sum(values: string[]): string {
  let total = 0n;
  for (const value of values) {
    const [whole, fraction = ""] = value.replace("-", "").split(".");
    const units = BigInt(whole + fraction.padEnd(digits, "0").slice(0, digits));
    total += value.startsWith("-") ? -units : units;
  }
  const text = (total < 0n ? -total : total).toString().padStart(digits + 1, "0");
  return (total < 0n ? "-" : "") + text.slice(0, -digits) + "." + text.slice(-digits);
}

/** What was charged, and what the steps that are not over are estimated to cost, as lists add it up. */
export const sparkOf = (workflow: Workflow) =>
  sum(
    workflow.steps.map(
      (step) =>
        step.cost.actual?.costInSpark ??
        (isOver(step.status) || isOver(workflow.status) ? "0" : step.cost.estimatedSpark),
    ),
  );

/** Reports whether a part of the cost is an estimate. */
export const isEstimated = (workflow: Workflow) =>
  !isOver(workflow.status) && workflow.steps.some((step) => !step.cost.actual && !isOver(step.status));

/** Reports whether a plan has paid for everything that was charged. */
export function isCovered(workflow: Workflow): boolean {
  const paid = workflow.steps.flatMap(({ cost }) => (Number(cost.actual?.costInSpark) ? [cost.actual!] : []));
  return paid.length > 0 && paid.every((cost) => cost.byPlan);
}

export interface Edge {
  from: string;
  to: string;
  labels: string[];
  required: boolean;
}

/** The steps that each step takes results from. */
export function edgesOf(workflow: Workflow): Edge[] {
  const known = new Set(workflow.steps.map((step) => step.id));
  const edges = new Map<string, Edge>();
  for (const step of workflow.steps) {
    for (const binding of step.dependsOn) {
      if (!known.has(binding.sourceStepId)) continue;
      const key = binding.sourceStepId + "\n" + step.id;
      const edge = edges.get(key) ?? { from: binding.sourceStepId, to: step.id, labels: [], required: false };
      if (!edge.labels.includes(binding.targetArgument)) edge.labels.push(binding.targetArgument);
      edge.required ||= binding.required;
      edges.set(key, edge);
    }
  }
  return [...edges.values()];
}
