// The name of a step that a stage of a template has made: such an id is that of the stage, and main or the place of an
// item.

import { onlyStep } from "../create/form";
import { plain, words } from "../format";
import { stagesOf } from "../template/derive";
import type { Workflow } from "../types";

export type StepName = (id: string) => string;

const made = /^(.+)\/(main|\d+)$/;

const nameOf = (id: string, labelOf: (stage: string) => string | undefined): string => {
  const [, stage, part] = made.exec(id) ?? [];
  if (!stage) return id;
  const label = labelOf(stage);
  if (part === "main") return label ?? stage;
  return label ? `${label} ${Number(part) + 1}` : id;
};

export const plainStepName: StepName = (id) => nameOf(id, () => undefined);

/** The names of steps after the labels of the stages of their template. */
export function nameSteps(template: unknown): StepName {
  const labels = new Map(stagesOf(template).map(({ id, label }) => [id, plain(label) || id]));
  return (id) => nameOf(id, (stage) => labels.get(stage));
}

/** What a step is called after its tool, where its id was made by a program: it is the name of the tool, or what Create sends. */
export function toolOf({ steps, appSource }: Pick<Workflow, "appSource" | "steps">, id: string): string | undefined {
  const step = steps.find((candidate) => candidate.id === id);
  const isMade = step && (id === step.toolName || (id === onlyStep && appSource === "console"));
  return isMade ? words(step.toolName) : undefined;
}
