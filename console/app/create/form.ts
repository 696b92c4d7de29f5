// The form of a request: what the person has chosen, the request that it makes, and the
// form that a workflow was made with.

import { isObject, listOf, numberOf, textOf, textsOf } from "../json";
import { problemsOf, type Argument, type Values } from "../parts/arguments";
import { text } from "../texts/create";
import type { Bodies, Workflow } from "../types";
import { fieldsOf } from "./arguments";
import { choicesOf, firstChoice, mediaFit, modelFor, type Catalog, type Tool } from "./catalog";
import { holdsPointer, isPointer, referencesIn, type Pointer, type Reference, type References } from "./pointer";

export interface ChosenLora {
  id: string;
  name: string;
  strength: number;
}

export interface Form {
  tool: string;
  /** The value of the tool's model argument; empty lets the service choose. */
  model: string;
  values: Values;
  loras: ChosenLora[];
  /** What the tool does not take, for one that does; and the models and the media that were chosen for other tools. */
  aside?: { values: Values; models: Record<string, string>; media?: Record<string, Values> };
}

export const emptyForm: Form = { tool: "", model: "", values: {}, loras: [] };

/**
 * The form for another tool. What that one does not take is kept aside, and comes back with a tool that does. Media
 * that it has no place for come back with the tool that they were chosen for. How many is asked again: two clips cost far more than two pictures.
 */
export function withTool(f: Form, next: Tool, catalog: Catalog): Form {
  const models = { ...f.aside?.models, [f.tool]: f.model };
  const model = models[next.name] ?? firstChoice(next, catalog);
  const fields = fieldsOf(next, modelFor(next, model, catalog, {}));
  const takes = ([name, value]: [string, unknown]) => {
    if (!next.arguments.some((a) => a.name === name)) return false;
    const field = fields.find((a) => a.name === name);
    return (
      !field ||
      (typeof value === "string" && !field.enum) ||
      !Object.keys(problemsOf([field], { [name]: value })).length
    );
  };
  const hasMedia = ([, value]: [string, unknown]) => holdsPointer(value);
  const [media, words] = split(Object.entries(f.values), hasMedia);
  const all = Object.entries({ ...f.aside?.values, ...Object.fromEntries(words) });
  const [taken, left] = split(
    all.filter(([name]) => name !== next.countArgument),
    takes,
  );
  const chosen = { ...f.aside?.media, [f.tool]: Object.fromEntries(media) };
  return {
    tool: next.name,
    model,
    values: { ...Object.fromEntries(taken), ...chosen[next.name], ...carried(f, next, model, catalog) },
    loras: f.loras, // a tool that takes none is sent none
    aside: { values: Object.fromEntries(left), models, media: chosen },
  };
}

const isSource = (a: Argument) => Boolean(a.media && !a.aside);

/** The media of a form that another tool, with a model, has a place for. */
function carried(f: Form, next: Tool, choice: string, catalog: Catalog): Values {
  let values: Values = {};
  for (const a of catalog.tools.find((t) => t.name === f.tool)?.arguments.filter(isSource) ?? []) {
    const count = { [a.media!]: 1 };
    const model = modelFor(next, choice, catalog, count);
    if (model && !mediaFit(model.parameters, count)) continue;
    const places = fieldsOf(next, model).filter((p) => isSource(p) && (p.media === a.media || p.media === "any"));
    for (const pointer of [f.values[a.name!]].flat().filter(isPointer)) {
      const free = freePlace(places, values);
      if (free) values = put(free, values, pointer);
    }
  }
  return values;
}

const split = <T>(list: T[], is: (item: T) => boolean) => [list.filter(is), list.filter((item) => !is(item))];

/** A form whose tool and model the catalog has. */
export function settle(f: Form, catalog: Catalog): Form {
  const tool =
    catalog.tools.find((t) => t.name === f.tool) ??
    catalog.tools.find((t) => t.name === "generate_image") ??
    catalog.tools[0];
  if (!f.tool || tool.name !== f.tool) return { ...f, tool: tool.name, model: firstChoice(tool, catalog) };
  if (!tool.modelArgument || !f.model) return f;
  const choices = choicesOf(tool, catalog);
  if (choices.some((c) => c.value === f.model)) return f;
  // The model by its id, or by another of its names.
  const named = tool.models.find((m) => m.modelId === f.model || m.selectors.includes(f.model));
  return { ...f, model: named?.selectors[0] ?? named?.modelId ?? firstChoice(tool, catalog) };
}

/** The form with a LoRA, once. */
export const withLora = (f: Form, lora: ChosenLora): Form =>
  f.loras.some((l) => l.id === lora.id) ? f : { ...f, loras: [...f.loras, lora] };

type Body = Bodies["POST /v1/creative-agent/workflows"];

export type WorkflowRequest = Body & Required<Pick<Body, "input">>;

type MediaReference = NonNullable<Body["media_references"]>[number];

/** How many references of each kind the form has. */
export function given(values: Values, references: References): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of referencesIn(values, references)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The uploads that failed, by the path of their argument. */
export function failedUploads(
  fields: Argument[],
  values: Values,
  references: References,
  prefix = "",
): Record<string, Reference> {
  const out: Record<string, Reference> = {};
  const look = (a: Argument, value: unknown, path: string) => {
    if (a.media) {
      const failed = referencesIn(value, references).find((r) => r.state === "failed");
      if (failed) out[path] = failed;
    } else if (Array.isArray(value)) value.forEach((entry, i) => a.items && look(a.items, entry, `${path}[${i}]`));
    else if (a.fields && isObject(value)) Object.assign(out, failedUploads(a.fields, value, references, path + "."));
  };
  for (const a of fields) look(a, values[a.name!], prefix + a.name);
  return out;
}

/**
 * Puts a reference into the first free place of the form that takes its kind. Returns the values with it,
 * or why it does not fit: no place takes the kind, or all are full.
 */
export function place(
  fields: Argument[],
  values: Values,
  kind: string,
  pointer: () => Pointer,
): Values | "none" | "full" {
  const places = fields.filter((a) => a.media && (a.media === kind || a.media === "any") && (!a.url || a.aside));
  const direct = [...places.filter((a) => !a.aside), ...places.filter((a) => a.aside)];
  // A single place is taken by the newest file.
  const chosen = freePlace(direct, values) ?? direct.find((a) => a.type !== "array" && !a.aside);
  if (chosen) return put(chosen, values, pointer());
  return direct.length ? "full" : "none";
}

const freePlace = (places: Argument[], values: Values) =>
  places.find(({ name, type, maxItems }) =>
    type === "array" ? listOf(values[name!]).length < (maxItems ?? 16) : !values[name!],
  );

const put = ({ name, type }: Argument, values: Values, pointer: Pointer): Values => ({
  ...values,
  [name!]: type === "array" ? [...listOf(values[name!]), pointer] : pointer,
});

/** The values without media. */
export const withoutMedia = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => !holdsPointer(value)));

/** The id of the step of such a request, which has no other name. */
export const onlyStep = "make";

/** The request that starts what the form describes. */
export function requestOf(f: Form, tool: Tool, references: References): WorkflowRequest {
  const media: MediaReference[] = [];
  // -1 is the first reference of its kind, -2 the second.
  const indexOf = (r: Reference): number => {
    const kind = r.kind as MediaReference["kind"]; // one that an argument takes
    if (!media.some((m) => m.kind === kind && m.url === r.url)) media.push({ kind, url: r.url! });
    return -1 - media.filter((m) => m.kind === kind).findIndex((m) => m.url === r.url);
  };
  const convert = (a: Argument, value: unknown): unknown => {
    if (isPointer(value)) {
      const r = references[value.ref];
      return r?.url ? (a.url ? r.url : indexOf(r)) : undefined;
    }
    if (Array.isArray(value)) {
      const list = value
        .map((v) => convert(a.media ? a : (a.items ?? a), v))
        .filter((v) => v !== undefined && v !== null && v !== "");
      return list.length ? list : undefined;
    }
    if (a.fields && isObject(value)) return convertAll(a.fields, value);
    return value === "" || value === null ? undefined : value;
  };
  const convertAll = (fields: Argument[], values: Values): Values => {
    const out: Values = {};
    for (const a of fields) {
      const value = values[a.name!] === undefined ? undefined : convert(a, values[a.name!]);
      if (value !== undefined) out[a.name!] = value;
    }
    return out;
  };
  const values = convertAll(tool.arguments, f.values);
  if (tool.modelArgument && f.model) values[tool.modelArgument] = f.model;
  if (f.loras.length && tool.arguments.some((a) => a.name === "loras")) {
    values.loras = f.loras.map((l) => l.id);
    values.loraStrengths = f.loras.map((l) => l.strength);
  }
  return {
    input: { steps: [{ id: onlyStep, toolName: tool.name, arguments: values }] },
    ...(media.length ? { media_references: media } : {}),
    app_source: "console",
  };
}

/** Makes a reference to something that has an address. */
export type Refer = (kind: string, url: string, name: string) => Pointer;

/** The form with which a step of a workflow can be made again. */
export function formOf(
  workflow: Workflow,
  stepId: string | undefined,
  tools: Tool[],
  refer: Refer,
  loraName: (id: string) => string,
): Form | undefined {
  const step = workflow.steps.find((s) => s.id === stepId) ?? workflow.steps[0];
  const tool = tools.find((t) => t.name === step?.toolName);
  if (!tool) return undefined;
  const sent = (workflow.mediaReferences ?? []) as MediaReference[]; // as requestOf has sent them
  const made = workflow.steps.slice(0, workflow.steps.indexOf(step)).flatMap((s) => s.artifacts);
  const point = (kind: string, index: number) => {
    const source =
      index < 0 ? sent.filter((m) => m.kind === kind)[-1 - index] : made.filter((m) => m.kind === kind)[index];
    return source?.url ? refer(kind, source.url, text.references.name(index < 0 ? -index : index + 1)) : undefined;
  };
  const convert = (a: Argument, value: unknown): unknown => {
    if (a.media && a.url && typeof value === "string")
      return refer(a.media === "any" ? "image" : a.media, value, text.references.name(1));
    if (a.media && typeof value === "number") return point(a.media, value);
    if (Array.isArray(value))
      return value
        .map((v) => convert(a.media ? { ...a, type: "integer" } : (a.items ?? a), v))
        .filter((v) => v !== undefined);
    if (a.fields && isObject(value)) {
      return Object.fromEntries(
        a.fields.filter((f) => value[f.name!] !== undefined).map((f) => [f.name, convert(f, value[f.name!])]),
      );
    }
    return value;
  };
  const values: Values = {};
  for (const a of tool.arguments) {
    const value = step.arguments[a.name!];
    if (value === undefined || a.name === "loras" || a.name === "loraStrengths" || a.name === tool.modelArgument)
      continue;
    const converted = convert(a, value);
    if (converted !== undefined) values[a.name!] = converted;
  }
  for (const binding of step.dependsOn) {
    const a = tool.arguments.find((x) => x.name === binding.targetArgument);
    const source =
      binding.sourceStepId === "$input_media"
        ? sent[binding.sourceArtifactIndex]
        : workflow.steps.find((s) => s.id === binding.sourceStepId)?.artifacts[binding.sourceArtifactIndex];
    if (!a?.media || !source?.url) continue;
    const pointer = refer(source.kind, source.url, binding.sourceStepId);
    values[a.name!] = a.type === "array" ? [...listOf(values[a.name!]), pointer] : pointer;
  }
  const strengths = listOf(step.arguments.loraStrengths ?? step.arguments.lora_strengths);
  return {
    tool: tool.name,
    model: tool.modelArgument ? textOf(step.arguments[tool.modelArgument]) : "",
    values,
    loras: textsOf(step.arguments.loras).map((id, i) => ({
      id,
      name: loraName(id),
      strength: numberOf(strengths[i]) ?? 1,
    })),
  };
}
