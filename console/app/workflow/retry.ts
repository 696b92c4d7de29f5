// A workflow that does again what has failed, and takes over what is done.

import type { Bodies, Workflow } from "../types";

type Body = Bodies["POST /v1/creative-agent/workflows"];
type Media = NonNullable<Body["media_references"]>[number];
type StepInput = NonNullable<Body["input"]>["steps"][number];

const isDone = (step: Workflow["steps"][number]) => step.status === "completed" && step.artifacts.every((a) => a.url);

/** The kind of media that an argument addresses by the place of a result, such as sourceImageIndex. */
export const kindOf = (argument: string) =>
  /(image|video|audio|model)ind(?:ex|ices)$/i.exec(argument)?.[1].toLowerCase();

/**
 * The request for the steps that were not completed. What completed steps have made is sent along in their place; all
 * steps are done again when none was completed, or one uses something that cannot be sent along. Undefined when
 * everything was completed.
 */
export function retryOf(workflow: Workflow): Body | undefined {
  const done = workflow.steps.filter(isDone);
  if (done.length === workflow.steps.length) return undefined;
  return (done.length && takingOver(workflow, done)) || againOf(workflow);
}

/** The request for all steps, as they were ordered. */
export function againOf(workflow: Workflow): Body {
  const steps = workflow.steps.map(({ id, toolName, arguments: given, dependsOn }) => ({
    id,
    toolName,
    arguments: given,
    dependsOn: dependsOn as StepInput["dependsOn"],
  }));
  return bodyOf(workflow, steps, (workflow.mediaReferences ?? []) as Media[]);
}

/** A retry of a workflow of a template is of that template too, whose stages name its steps. */
const bodyOf = (workflow: Workflow, steps: StepInput[], media: Media[]): Body => ({
  continues: workflow.template && workflow.workflowId,
  input: { title: workflow.title || undefined, steps },
  media_references: media,
  app_source: "console",
});

/** The request for the steps that are not done. Undefined when one of them uses something that cannot be sent along. */
function takingOver(workflow: Workflow, done: Workflow["steps"]): Body | undefined {
  const open = workflow.steps.filter((step) => !done.includes(step));
  const media = [...((workflow.mediaReferences ?? []) as Media[])];
  const place = (kind: string, url: string): number => {
    const ofKind = () => media.filter((m) => m.kind === kind);
    if (!ofKind().some((m) => m.url === url)) media.push({ kind: kind as Media["kind"], url });
    return ofKind().findIndex((m) => m.url === url);
  };
  try {
    const steps = open.map((step): StepInput => ({
      id: step.id,
      toolName: step.toolName,
      arguments: withPlaces(step.arguments, (kind, index) => -1 - place(kind, madeAt(workflow, step.id, kind, index))),
      dependsOn: step.dependsOn.map((binding) => {
        const source = done.find((s) => s.id === binding.sourceStepId);
        if (!source) return binding as NonNullable<StepInput["dependsOn"]>[number];
        const made =
          source.artifacts.find((a) => a.id === binding.sourceArtifactId) ??
          source.artifacts[binding.sourceArtifactIndex];
        if (!made?.url || !["image", "video", "audio", "model"].includes(made.kind)) throw new Error("cannot be sent");
        const { targetArgument, transform, required } = binding;
        return {
          sourceStepId: "$input_media",
          sourceArtifactIndex: place(made.kind, made.url),
          targetArgument,
          transform,
          required,
        };
      }),
    }));
    return bodyOf(workflow, steps, media);
  } catch {
    return undefined;
  }
}

/** The arguments of a step with other places of results. */
function withPlaces(values: Record<string, unknown>, placeOf: (kind: string, index: number) => number) {
  const convert = (kind: string, value: unknown): unknown =>
    Array.isArray(value)
      ? value.map((entry) => convert(kind, entry))
      : typeof value === "number" && value >= 0
        ? placeOf(kind, value)
        : value;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const kind = kindOf(name);
      return [name, kind ? convert(kind, value) : value];
    }),
  );
}

/** The address of the result of a kind at a place, of those that the steps before one have made. */
function madeAt(workflow: Workflow, before: string, kind: string, index: number): string {
  const earlier = workflow.steps.slice(
    0,
    workflow.steps.findIndex((s) => s.id === before),
  );
  let left = index;
  for (const step of earlier) {
    const made = step.artifacts.filter((a) => a.kind === kind);
    if (left < made.length && isDone(step)) return made[left].url;
    if (!isDone(step)) break; // how many it will make is not known
    left -= made.length;
  }
  throw new Error("made by a step that is done again");
}
