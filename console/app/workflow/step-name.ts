// The name of a step that a stage of a template has made: such an id is that of the stage, and main or the place of an
// item.

import { plain } from "../format";
import { stagesOf } from "../template/derive";

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
