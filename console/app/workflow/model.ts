// Workflows as the service sends them, and questions about them.

import { plain, withTimes, words } from "../format";
import type { MediaItem } from "../parts/media";

export interface Waiting {
  reason: string;
  message: string;
  until?: string;
  position?: number;
}

export interface Summary {
  workflowId: string;
  status: string;
  title: string;
  kind: string | null;
  steps: number;
  stepsDone: number;
  progress: number;
  cost: string;
  artifactCount: number;
  thumbnailUrl: string | null;
  templateId: string | null;
  appSource: string | null;
  createdAt: string;
  updatedAt: string;
  waiting: Waiting | null;
}

export interface Artifact {
  id: string;
  kind: string;
  url: string;
  /** The picture of a video; from the library. */
  thumbnailUrl?: string;
  mimeType?: string;
  width?: number;
  height?: number;
  durationSeconds?: number;
  seed?: number;
  stepId: string;
  renderer?: string;
  preview?: boolean;
  notUnderstood?: string[];
}

export interface Binding {
  sourceStepId: string;
  sourceArtifactIndex: number;
  targetArgument: string;
  transform: string;
  required: boolean;
}

export interface StepError {
  code: string;
  message: string;
  retryable: boolean;
}

export interface Step {
  id: string;
  toolName: string;
  arguments: Record<string, any>;
  dependsOn: Binding[];
  status: string;
  waiting?: Waiting;
  /** What a queued step waits for; waiting is for paused ones only. */
  wait?: Waiting;
  waitingFor?: { reason: string; model: string; network: string; since: string };
  progress: number;
  /** What a worker shows and says of a render that is under way; from its events. */
  previewUrl?: string;
  message?: string;
  artifacts: Artifact[];
  error?: StepError;
  retry: { count: number };
  generation?: { selectedModel: string };
  routing?: { reasons?: string[] };
  cost: { estimate: any; estimatedSpark: string; actual?: { costInSpark: string; costInUSD: string; byPlan: boolean } };
  seed?: number;
  timestamps: { startedAt?: string; completedAt?: string };
}

export interface CostPreview {
  totalEstimatedCapacityUnits: number;
  tokenType: string;
  validityUntil: string;
}

export interface LogEvent {
  sequence: number;
  type: string;
  at: string;
  payload: Record<string, any>;
  message?: string;
}

export interface Workflow {
  workflowId: string;
  status: string;
  title?: string;
  steps: Step[];
  artifacts: Artifact[];
  events: LogEvent[];
  waitingReason?: string;
  waiting?: Waiting;
  awaitingCostApproval?: boolean;
  safeContentFilter: boolean;
  appSource?: string;
  template?: { id: string; version: string };
  input?: object;
  mediaReferences?: object[];
  tokenType?: string;
  billingMode?: string;
  billingPreview?: CostPreview;
  estimatedCapacityUnits: number;
  error?: StepError;
  recovery: { resumeCount: number };
  timestamps: { createdAt: string; updatedAt: string; completedAt?: string };
}

const final = ["completed", "partial_failure", "failed", "cancelled"];

export const isOver = (status: string) => final.includes(status);

export const titleOf = (workflow: Workflow) => plain(workflow.title || firstPrompt(workflow)) || words(workflow.steps[0]?.toolName ?? "") || workflow.workflowId.slice(-8);

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
export function reasonOf(step: Step, noWorker: (model: string, network: string, until?: string) => string): { message: string; isUsual: boolean } {
  if (step.waiting) return { message: withTimes(step.waiting.message), isUsual: ["queued", "dependency", "media", "cost_approval_required"].includes(step.waiting.reason) };
  if (step.waitingFor) return { message: noWorker(step.waitingFor.model, step.waitingFor.network, step.wait?.until), isUsual: false };
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
export const sparkOf = (workflow: Workflow) => sum(workflow.steps.map((step) => step.cost.actual?.costInSpark ?? (isOver(step.status) || isOver(workflow.status) ? "0" : step.cost.estimatedSpark)));

/** Reports whether a part of the cost is an estimate. */
export const isEstimated = (workflow: Workflow) => !isOver(workflow.status) && workflow.steps.some((step) => !step.cost.actual && !isOver(step.status));

export const mediaOf = (artifact: Artifact, label: string): MediaItem => ({
  id: artifact.id, kind: artifact.kind, url: artifact.url, thumbnailUrl: artifact.thumbnailUrl, contentType: artifact.mimeType,
  width: artifact.width, height: artifact.height, durationSeconds: artifact.durationSeconds, label,
});

/** The steps that each step takes results from. */
export function edgesOf(workflow: Workflow): { from: string; to: string; labels: string[]; required: boolean }[] {
  const known = new Set(workflow.steps.map((step) => step.id));
  const edges = new Map<string, { from: string; to: string; labels: string[]; required: boolean }>();
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
