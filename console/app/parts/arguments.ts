// Declared arguments, as GET /v1/tools lists them, and what is wrong with values for them.

import { isObject } from "../json";
import { text } from "../texts/schema-form";
import type * as api from "../types";

/** One argument of a tool, or a field of an object within one. */
export interface Argument extends api.Argument {
  items?: Argument;
  fields?: Argument[];
  /** From the parameters of a model. */
  step?: number;
  /** Values to choose from that do not exclude others. */
  suggestions?: string[];
}

/** What an argument is for. How media are numbered is for programs: a form shows the media. */
export const aboutOf = ({ description, media }: Argument) =>
  media ? description?.replace(/ ?By number: [^.]*\.$/, "") : description;

/** The values of a form. An argument that was not set is absent. */
export type Values = Record<string, unknown>;

/** What is wrong with values, by path: the rules of the arguments alone. The service checks the rest. */
export function problemsOf(fields: Argument[], values: Values, prefix = ""): Record<string, string> {
  const out: Record<string, string> = {};
  for (const a of fields) checkValue(a, values[a.name!], prefix + a.name, out);
  return out;
}

function checkValue(a: Argument, value: unknown, path: string, out: Record<string, string>) {
  const t = text.problems;
  if (value === undefined || value === "" || value === null) {
    if (a.required) out[path] = t.required;
    return;
  }
  if (a.media && !(a.type === "array")) return; // a reference, which the request turns into an index or an address
  if (a.enum && !a.enum.includes(value)) return void (out[path] = t.choice);
  switch (a.type) {
    case "integer":
    case "number":
      if (typeof value !== "number" || Number.isNaN(value)) out[path] = t.number;
      else if (a.type === "integer" && !Number.isInteger(value)) out[path] = t.whole;
      else if (a.minimum !== undefined && a.maximum !== undefined && (value < a.minimum || value > a.maximum))
        out[path] = t.between(a.minimum, a.maximum);
      else if (a.minimum !== undefined && value < a.minimum) out[path] = t.atLeast(a.minimum);
      else if (a.maximum !== undefined && value > a.maximum) out[path] = t.atMost(a.maximum);
      return;
    case "string":
      if (typeof value !== "string") return;
      if (a.maxLength && value.length > a.maxLength) out[path] = t.longest(a.maxLength);
      else if (a.pattern && !new RegExp(a.pattern).test(value)) out[path] = a.hint ? t.pattern(a.hint) : t.format;
      return;
    case "array":
      if (!Array.isArray(value)) return;
      if (a.minItems && value.length < a.minItems) out[path] = t.fewest(a.minItems);
      if (a.maxItems && value.length > a.maxItems) out[path] = t.most(a.maxItems);
      if (a.items && !a.media)
        value.forEach((entry, i) => checkValue({ ...a.items!, required: true }, entry, `${path}[${i}]`, out));
      return;
    case "object":
      if (a.fields && isObject(value)) Object.assign(out, problemsOf(a.fields, value, path + "."));
  }
}

/** What a model publishes about one of its parameters. */
export interface ParameterRange {
  min?: number;
  max?: number;
  /** The largest value that the service takes, where it is not the largest that is usual. */
  ceiling?: number;
  step?: number;
  default?: unknown;
  allowed?: unknown[];
}

/** An argument with the range, the default and the values that a model's published parameters give it. */
export function narrow(a: Argument, parameters: Record<string, unknown> | undefined): Argument {
  const own = parameters?.[a.name ?? ""];
  if (!own || typeof own !== "object") return a;
  const { min, max, ceiling, step, default: usual, allowed }: ParameterRange = own;
  return {
    ...a,
    minimum: min ?? a.minimum,
    maximum: ceiling ?? max ?? a.maximum,
    step: step ?? a.step,
    default: usual === "" ? a.default : (usual ?? a.default),
    ...(a.type === "string" && !a.enum && allowed ? { suggestions: allowed.map(String) } : {}),
  };
}
