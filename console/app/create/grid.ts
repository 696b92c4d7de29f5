// A grid: the same request several times with one thing changed.

import type { Workflow } from "../types";
import type { Argument } from "../parts/arguments";
import type { Model, Tool } from "./catalog";
import { fieldsOf } from "./arguments";
import type { WorkflowRequest } from "./form";

/** A workflow has as many steps. */
export const mostCells = 12;

/** What a grid can change: the seed, the model, and arguments that are numbers or have few values. */
export function axesOf(tool: Tool, model: Model | undefined): Argument[] {
  return fieldsOf(tool, model).filter(
    (a) =>
      !a.media &&
      a.name !== "seed" &&
      a.name !== tool.countArgument &&
      (a.enum !== undefined || a.type === "number" || a.type === "integer"),
  );
}

/** The values of an axis that a person has written, or what is wrong with them. */
export function valuesOf(axis: Argument, written: string): unknown[] | "few" | "many" | "number" {
  const parts = written
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const isNumber = axis.type === "number" || axis.type === "integer";
  const values = [...new Set<unknown>(isNumber ? parts.map(Number) : parts)];
  if (values.length < 2) return "few";
  if (values.length > mostCells) return "many";
  const isWrong = (n: number) =>
    Number.isNaN(n) ||
    (axis.type === "integer" && !Number.isInteger(n)) ||
    n < (axis.minimum ?? -Infinity) ||
    n > (axis.maximum ?? Infinity);
  return isNumber && (values as number[]).some(isWrong) ? "number" : values;
}

/** The request with one step for each value of an argument. A step makes one result, however many the form asks for. */
export function gridOf(
  request: WorkflowRequest,
  { countArgument }: Pick<Tool, "countArgument">,
  argument: string,
  values: unknown[],
  title: string,
): WorkflowRequest {
  const [step] = request.input.steps;
  const { [countArgument ?? ""]: _, ...kept } = step.arguments;
  return {
    ...request,
    input: {
      title,
      steps: values.map((value, i) => ({ ...step, id: `cell-${i + 1}`, arguments: { ...kept, [argument]: value } })),
    },
  };
}

/** Whether a workflow is a grid. */
export const isGrid = (workflow: Workflow) =>
  workflow.steps.length > 1 && workflow.steps.every((s) => s.id.startsWith("cell-"));

/** How many columns show cells about as wide as high, with the last row as full as it gets. */
export const columnsOf = (cells: number) => Math.max(1, Math.round(Math.sqrt(cells * 1.5)));

/** What a step has that the other steps of a grid have not, such as "seed 3"; empty in other workflows. */
export function cellOf(workflow: Workflow, stepId: string, nameOf: (argument: string) => string): string {
  if (!isGrid(workflow)) return "";
  const step = workflow.steps.find((s) => s.id === stepId);
  const differs = (name: string) => new Set(workflow.steps.map((s) => JSON.stringify(s.arguments[name]))).size > 1;
  return Object.entries(step?.arguments ?? {})
    .filter(([name]) => differs(name))
    .map(([name, value]) => `${nameOf(name)} ${value}`)
    .join(", ");
}
