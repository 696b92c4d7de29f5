// A workflow as a template: its steps become stages, and the media that was sent along becomes inputs.

import { titleOf, type Workflow } from "./model";
import { kindOf } from "./retry";

interface Input {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

const inputKinds = ["image", "video", "audio"];

/** The document of a template that does what a workflow did. What has no place in one is left out, and can be added. */
export function templateOf(workflow: Workflow) {
  const inputs: Input[] = [];
  const given = ((workflow.mediaReferences ?? []) as { kind: string }[]).map(({ kind }) => kind);
  const idOf = (id: string) => {
    const word = id.replace(/\/main$/, "").replace(/[^\w-]+/g, "_");
    return /^[a-z_]/i.test(word) ? word : `step_${word}`;
  };
  const inputFor = (kind: string | undefined, index: number): string | undefined => {
    if (!kind || !inputKinds.includes(kind) || index >= given.filter((k) => k === kind).length) return undefined;
    const name = `${kind}_${index + 1}`;
    if (!inputs.some((input) => input.name === name))
      inputs.push({ name, type: kind, required: true, description: "" });
    return `$inputs.${name}`;
  };
  const resultOf = (step: string, index: number) => `$artifacts.${idOf(step)}.items[${index}].url`;
  /** What an index among the results of a kind that earlier steps made points to. */
  const madeAt = (before: number, kind: string, index: number): string | undefined => {
    let left = index;
    for (const { id, artifacts } of workflow.steps.slice(0, before)) {
      const made = artifacts.filter((artifact) => artifact.kind === kind);
      if (left < made.length) return resultOf(id, artifacts.indexOf(made[left]));
      left -= made.length;
    }
    return undefined;
  };
  const stages = workflow.steps.map(({ id, toolName, arguments: values, dependsOn }, at) => {
    const args: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(values)) {
      const kind = kindOf(name);
      const place = (index: unknown) =>
        typeof index !== "number" ? index : index < 0 ? inputFor(kind, -1 - index) : madeAt(at, kind!, index);
      const kept = !kind
        ? value
        : Array.isArray(value)
          ? value.map(place).filter((p) => p !== undefined)
          : place(value);
      if (kept !== undefined) args[name] = kept;
    }
    for (const { sourceStepId, sourceArtifactIndex, targetArgument } of dependsOn) {
      const bound =
        sourceStepId === "$input_media"
          ? inputFor(kindOf(targetArgument), sourceArtifactIndex)
          : resultOf(sourceStepId, sourceArtifactIndex);
      if (bound) args[targetArgument] = /Indices$/.test(targetArgument) ? [bound] : bound;
    }
    return { id: idOf(id), tool: toolName, args, produces: [idOf(id)] };
  });
  return { name: titleOf(workflow).slice(0, 80), category: "custom", inputs, stages };
}
