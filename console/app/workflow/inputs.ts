// What a workflow of a template was started with, as far as the arguments of its steps tell.

import { textOf } from "../json";
import { stagesOf } from "../template/derive";
import { isMedia, type TemplateInput } from "../template/model";
import { asked, type Values } from "../template/values";
import type { Template } from "../types";
import { sentTo, type Step, type Workflow } from "./model";

const stageOf = (stepId: string) => stepId.split("/")[0];

/** The input that an argument of a step takes its value from. */
export function inputOf(template: unknown, stepId: string, argument: string): string | undefined {
  const bound = stagesOf(template).find(({ id }) => id === stageOf(stepId))?.args[argument];
  return /^\$inputs\.([\w-]+)$/.exec(textOf([bound].flat()[0]))?.[1];
}

const reference = /\$(inputs\.[A-Za-z_]\w*|item(?:\.\w+)?)/;

/** What the bindings in a pattern such as "A drawing of $inputs.subject" stand for in a text, where that is certain. */
export function boundIn(pattern: string, text: string): Map<string, string> {
  if (/\$\$|\$artifacts/.test(pattern)) return new Map();
  const parts = pattern.split(reference);
  const match = (any: string) =>
    new RegExp(
      `^${parts.map((part, i) => (i % 2 ? any : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))).join("")}$`,
    ).exec(text) ?? [];
  const [short, long] = [match("([^]*?)"), match("([^]*)")];
  const isCertain = short.every((value, i) => value === long[i]);
  return new Map(isCertain ? short.slice(1).map((value, i) => [parts[2 * i + 1], value]) : []);
}

/** The values of the inputs that the steps tell. Those of another version of the template tell none. */
export function enteredIn(template: Template | undefined, workflow: Workflow): Values {
  if (!template || template.version !== workflow.template?.version) return {};
  const stages = stagesOf(template).map((stage) => ({
    ...stage,
    steps: workflow.steps.filter((step) => stageOf(step.id) === stage.id),
  }));
  /** What a binding stands for in each step of a stage. */
  const read = (steps: Step[], args: Record<string, unknown>, isBinding: (name: string) => boolean, type: string) => {
    for (const [argument, value] of Object.entries(args)) {
      const pattern = textOf([value].flat()[0]);
      const name = reference.exec(pattern)?.[1] ?? "";
      const found = steps.flatMap((step): unknown[] => {
        const given = step.arguments[argument];
        if (isMedia(type)) return sentTo(workflow, step).flatMap((m) => (m.argument === argument ? [m.url] : []));
        if (pattern === `$${name}`) return [given].flat();
        return typeof given === "string"
          ? [...boundIn(pattern, given)].flatMap(([n, v]) => (isBinding(n) ? [v] : []))
          : [];
      });
      if (
        (isMedia(type) || pattern === `$${name}` ? isBinding(name) : true) &&
        found.some((v) => v !== "" && v != null)
      )
        return found;
    }
    return [];
  };
  const entered = ({ name, type, multiple }: TemplateInput) => {
    for (const { stage, steps, args } of stages) {
      const isOver = stage.overBinding === `$inputs.${name}`;
      const found = isOver
        ? read(steps, args, (n) => n.startsWith("item") && n !== "item.index", type)
        : read(steps.slice(0, 1), args, (n) => n === `inputs.${name}`, type);
      if (found.length) return multiple ? found : type === "number" ? Number(found[0]) : found[0];
    }
    return undefined;
  };
  return Object.fromEntries(
    asked(template.inputs).flatMap((input) => {
      const value = entered(input);
      return value === undefined ? [] : [[input.name, value]];
    }),
  );
}
