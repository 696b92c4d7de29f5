// The values of the inputs of a template.

import { listOf } from "../json";
import { text as form } from "../texts/schema-form";
import { text } from "../texts/template";
import { boundsOf, isMedia, type TemplateInput } from "./model";

export type Values = Record<string, unknown>;

/** The inputs that a person is asked for. */
export const asked = (inputs: TemplateInput[]) => inputs.filter((input) => !input.internal);

/** The inputs that a person must bring: without them, and without a default, nothing can start. */
export const needs = (inputs: TemplateInput[]) =>
  asked(inputs).filter((input) => input.required && input.default === undefined && input.type !== "boolean");

/** The values that the form begins with: the defaults, and empty places for lists. */
export function initial(inputs: TemplateInput[]): Values {
  const out: Values = {};
  for (const input of asked(inputs)) {
    const bounds = boundsOf(input);
    const given = input.default;
    if (bounds)
      out[input.name] = Array.isArray(given)
        ? [...given]
        : given !== undefined
          ? [given]
          : isMedia(input.type)
            ? []
            : Array(Math.max(1, bounds.min)).fill("");
    else if (given !== undefined) out[input.name] = given;
    else if (input.type === "boolean") out[input.name] = false;
  }
  return out;
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

/** The values as they are sent: empty ones are left out. */
export function filled(inputs: TemplateInput[], values: Values): Values {
  const out: Values = {};
  for (const input of asked(inputs)) {
    const value = values[input.name];
    if (Array.isArray(value)) {
      const items = value.filter((item) => !isEmpty(item));
      if (items.length) out[input.name] = items;
    } else if (!isEmpty(value)) out[input.name] = value;
  }
  return out;
}

/** What is missing, by the name of the input. */
export function lacking(inputs: TemplateInput[], values: Values): Record<string, string> {
  const given = filled(inputs, values);
  const out: Record<string, string> = {};
  for (const input of asked(inputs)) {
    const bounds = boundsOf(input);
    const n = listOf(given[input.name]).length;
    if (input.required && given[input.name] === undefined) out[input.name] = form.problems.required;
    else if (bounds && n > 0 && (n < bounds.min || n > bounds.max))
      out[input.name] = text.range(bounds.min, bounds.max);
  }
  return out;
}
