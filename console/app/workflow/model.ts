// Questions about workflows.

import { mediaOf, type MediaItem } from "../parts/item";
import { plain, words } from "../format";
import { isOver } from "../status";
import { text } from "../texts/workflow";
import type * as api from "../types";
import type { Estimate, WorkflowEvent } from "../types";
import { kindOf } from "./retry";
import { inWords } from "./words";

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

/** The title, or the first prompt: with its tool where that works on something, as "Animate photo: gentle motion". */
export const titleOf = (workflow: Workflow) =>
  plain(workflow.title || firstPrompt(workflow)) ||
  words(workflow.steps[0]?.toolName ?? "") ||
  workflow.workflowId.slice(-8);

function firstPrompt(workflow: Workflow): string {
  for (const step of workflow.steps) {
    const { prompt } = step.arguments;
    if (typeof prompt === "string")
      return step.toolName.startsWith("generate_") ? prompt : `${words(step.toolName)}: ${prompt}`;
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
      message: inWords(step.waiting.message, (model) => model),
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

/** What the balance lacks for an estimate that it does not cover, or empty where the tokens are others than Spark. */
export function missingOf({ steps, payment, balanceAfter }: Estimate): string {
  if (payment.tokenType === "svc") return "";
  const taken = [...payment.parts.map((part) => part.amount), balanceAfter.spark, balanceAfter.premiumSpark];
  const missing = sum([
    ...steps.filter((step) => !step.coveredByPlan).map((step) => step.cost.spark),
    ...taken.map((amount) => `-${amount}`),
  ]);
  return Number(missing) > 0 ? missing : "";
}

/** What it would cost without the discount of the plan; undefined without a discount. */
export function beforeDiscount(workflow: Workflow): string | undefined {
  const paid = workflow.steps.filter((step) => step.cost.actual || !(isOver(step.status) || isOver(workflow.status)));
  if (!paid.some((step) => step.cost.beforeDiscount)) return undefined;
  return sum(paid.map(({ cost }) => cost.beforeDiscount ?? cost.actual?.costInSpark ?? cost.estimatedSpark));
}

/** Reports whether a part of the cost is an estimate. */
export const isEstimated = (workflow: Workflow) =>
  !isOver(workflow.status) && workflow.steps.some((step) => !step.cost.actual && !isOver(step.status));

/** Reports whether a plan has paid for everything that was charged. */
export function isCovered(workflow: Workflow): boolean {
  const paid = workflow.steps.flatMap(({ cost }) => (Number(cost.actual?.costInSpark) ? [cost.actual!] : []));
  return paid.length > 0 && paid.every((cost) => cost.byPlan);
}

/** What was made, with its step: what no other step has used first. */
export function resultsOf(workflow: Workflow): { step: Step; artifact: Artifact }[] {
  const used = new Set(workflow.steps.flatMap((step) => step.dependsOn.map((binding) => binding.sourceStepId)));
  const steps = [...workflow.steps.filter((s) => !used.has(s.id)), ...workflow.steps.filter((s) => used.has(s.id))];
  return steps.flatMap((step) => step.artifacts.flatMap((artifact) => (artifact.url ? [{ step, artifact }] : [])));
}

/** The media that a step was given: of the request, by an argument or a binding, and by an address. */
export function sentTo({ mediaReferences = [] }: Workflow, step: Step): (MediaItem & { argument: string })[] {
  const places = [
    ...Object.entries(step.arguments).flatMap(([name, value]) =>
      [value].flat().flatMap((place) => (typeof place === "number" && place < 0 ? [[name, -1 - place] as const] : [])),
    ),
    ...step.dependsOn.flatMap(({ sourceStepId, sourceArtifactIndex, targetArgument }) =>
      sourceStepId === "$input_media" ? [[targetArgument, sourceArtifactIndex] as const] : [],
    ),
  ];
  const sent = mediaReferences as MediaItem[];
  const found = places.flatMap(([argument, place]) => {
    const kind = kindOf(argument);
    const url = sent.filter((media) => media.kind === kind)[place]?.url;
    return kind && url && /^https?:/.test(url) ? [{ id: `${argument} ${place}`, argument, kind, url }] : [];
  });
  const addressed = Object.entries(step.arguments).flatMap(([argument, value]) => {
    const urls = addressesIn(argument, value);
    return urls.map(({ kind, url }, i) => ({
      id: urls.length > 1 ? `${argument} ${i}` : argument,
      argument,
      kind,
      url,
    }));
  });
  return [...found, ...addressed];
}

/** The media that an argument gives by their addresses, such as mask_image_url. */
export function addressesIn(argument: string, value: unknown): { kind: string; url: string }[] {
  const kind = /image|video|audio/i.exec(argument)?.[0].toLowerCase();
  const urls = [value].flat();
  return kind && urls.every((url) => typeof url === "string" && /^https?:/.test(url))
    ? urls.map((url) => ({ kind, url: url as string }))
    : [];
}

/** The media that a step works from: what it was given, and results of other steps. */
export const sourcesOf = (workflow: Workflow, step: Step): (MediaItem & { argument: string })[] => [
  ...sentTo(workflow, step),
  ...step.dependsOn.flatMap(({ sourceStepId, sourceArtifactIndex, targetArgument: argument }) => {
    const made = workflow.steps.find(({ id }) => id === sourceStepId)?.artifacts[sourceArtifactIndex];
    return made?.url ? [{ ...mediaOf(made, ""), argument }] : [];
  }),
];

/** The step for want of whose result another one did not run. */
export const blamedBy = (workflow: Workflow, { error, dependsOn }: Step): Step | undefined =>
  error?.code === "dependency_failed"
    ? workflow.steps.find(
        ({ id, artifacts }) => !artifacts.length && dependsOn.some((binding) => binding.sourceStepId === id),
      )
    : undefined;

/**
 * The status of a step as it is shown, with a name where it differs from what the status is called: nothing is queued
 * before its cost is approved, and what lacked the result of another step has not failed by itself.
 */
export const stateOf = (workflow: Workflow, step: Step): { status: string; name?: string } =>
  step.status === "queued" && workflow.awaitingCostApproval
    ? { status: step.status, name: text.unstarted }
    : blamedBy(workflow, step)
      ? { status: "cancelled", name: text.notRun }
      : { status: step.status };

/** Reports whether the content filter has paused a workflow. */
export const isReviewed = (workflow: Workflow) =>
  workflow.status === "waiting_for_user" &&
  (workflow.waitingReason ?? workflow.waiting?.reason) === "safety_review_required";

/** What results are not, each said once; of several steps, with the name of the step. */
export const caveatsOf = (results: { artifact: Artifact; step?: string }[]): string[] => [
  ...new Set(
    results.flatMap(({ artifact: { preview, renderer, notUnderstood }, step = "" }) => [
      ...(preview ? [text.caveatPreview(renderer || text.fallback)] : []),
      ...(notUnderstood?.length ? [text.notUnderstood(notUnderstood.join("; ").replace(/\.$/, ""), step)] : []),
    ]),
  ),
];

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
