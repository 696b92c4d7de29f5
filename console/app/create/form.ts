// The form of a request: what the person has chosen, the request that it makes, and the
// form that a workflow was made with.

import { effect, signal } from "@preact/signals";
import type { Argument, Values } from "../parts/schema-form";
import { onForget } from "../session";
import { text } from "../texts/create";
import type { Tool } from "./catalog";
import { isPointer, references, referTo, type Reference } from "./reference";

export interface ChosenLora { id: string; name: string; strength: number }

export interface Form {
  tool: string;
  /** The value of the tool's model argument; empty lets the service choose. */
  model: string;
  values: Values;
  loras: ChosenLora[];
  /** What the tool does not take, for one that does; and the models that were chosen for other tools. */
  aside?: { values: Values; models: Record<string, string> };
}

const storageKey = "atelier.create";

const empty: Form = { tool: "", model: "", values: {}, loras: [] };

/** The form, kept while the tab is open and for the account of the session. */
export const form = signal<Form>(stored());

onForget(() => {
  form.value = empty;
  references.value = {};
});

function stored(): Form {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageKey) ?? "");
    references.value = kept.references;
    return kept.form;
  } catch {
    return empty;
  }
}

effect(() => {
  const ready: Record<string, Reference> = {};
  for (const r of Object.values(references.value)) {
    if (r.state === "ready") ready[r.id] = { ...r, thumbnailUrl: r.thumbnailUrl?.startsWith("blob:") ? r.url : r.thumbnailUrl };
  }
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ form: form.value, references: ready }));
  } catch {
    // Without storage the form lasts as long as the page.
  }
});

/** The form for another tool. What that one does not take is kept aside, and comes back with a tool that does. */
export function withTool(f: Form, next: Tool, firstModel: string): Form {
  const takes = ([name]: [string, any]) => next.arguments.some((a) => a.name === name);
  const all = Object.entries({ ...f.aside?.values, ...f.values });
  const models = { ...f.aside?.models, [f.tool]: f.model };
  return {
    tool: next.name,
    model: models[next.name] ?? firstModel,
    values: Object.fromEntries(all.filter(takes)),
    loras: f.loras, // a tool that takes none is sent none
    aside: { values: Object.fromEntries(all.filter((entry) => !takes(entry))), models },
  };
}

export interface WorkflowRequest {
  input: { steps: { id: string; toolName: string; arguments: Values }[] };
  media_references?: { kind: string; url: string }[];
  app_source: string;
}

/** How many references of each kind the form has. */
export function given(values: Values): Record<string, number> {
  const counts: Record<string, number> = {};
  JSON.stringify(values, (_, value) => {
    const reference = isPointer(value) && references.value[value.ref];
    if (reference) counts[reference.kind] = (counts[reference.kind] ?? 0) + 1;
    return value;
  });
  return counts;
}

/** Whether an upload that the form needs is still under way. */
export function isUploading(values: Values): boolean {
  return pointersOf(values).some((r) => r.state === "uploading");
}

export function pointersOf(values: Values): Reference[] {
  const list: Reference[] = [];
  JSON.stringify(values, (_, value) => {
    if (isPointer(value) && references.value[value.ref]) list.push(references.value[value.ref]);
    return value;
  });
  return list;
}

/** The uploads that failed, by the path of their argument. */
export function failedUploads(fields: Argument[], values: Values, prefix = ""): Record<string, Reference> {
  const out: Record<string, Reference> = {};
  const look = (a: Argument, value: any, path: string) => {
    if (a.media) {
      const failed = pointersOf({ value }).find((r) => r.state === "failed");
      if (failed) out[path] = failed;
    } else if (Array.isArray(value)) value.forEach((entry, i) => a.items && look(a.items, entry, `${path}[${i}]`));
    else if (a.fields && value && typeof value === "object") Object.assign(out, failedUploads(a.fields, value, path + "."));
  };
  for (const a of fields) look(a, values[a.name!], prefix + a.name);
  return out;
}

/** The request that starts what the form describes. */
export function requestOf(f: Form, tool: Tool): WorkflowRequest {
  const media: { kind: string; url: string }[] = [];
  // -1 is the first reference of its kind, -2 the second.
  const indexOf = (r: Reference): number => {
    if (!media.some((m) => m.kind === r.kind && m.url === r.url)) media.push({ kind: r.kind, url: r.url! });
    return -1 - media.filter((m) => m.kind === r.kind).findIndex((m) => m.url === r.url);
  };
  const convert = (a: Argument, value: any): any => {
    if (isPointer(value)) {
      const r = references.value[value.ref];
      return r?.url ? (a.url ? r.url : indexOf(r)) : undefined;
    }
    if (Array.isArray(value)) {
      const list = value.map((v) => convert(a.media ? a : a.items ?? a, v)).filter((v) => v !== undefined && v !== null && v !== "");
      return list.length ? list : undefined;
    }
    if (a.fields && value && typeof value === "object") return convertAll(a.fields, value);
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
    input: { steps: [{ id: "make", toolName: tool.name, arguments: values }] },
    ...(media.length ? { media_references: media } : {}),
    app_source: "console",
  };
}

/** The form with which a step of a workflow can be made again. */
export function formOf(workflow: any, stepId: string | undefined, tools: Tool[], loraName: (id: string) => string): Form | undefined {
  const step = workflow.steps.find((s: any) => s.id === stepId) ?? workflow.steps[0];
  const tool = tools.find((t) => t.name === step?.toolName);
  if (!tool) return undefined;
  const sent: { kind: string; url: string }[] = workflow.mediaReferences ?? [];
  const made: any[] = workflow.steps.slice(0, workflow.steps.indexOf(step)).flatMap((s: any) => s.artifacts ?? []);
  const point = (kind: string, index: number) => {
    const source = index < 0 ? sent.filter((m) => m.kind === kind)[-1 - index] : made.filter((m) => m.kind === kind)[index];
    return source?.url ? referTo(kind, source.url, text.references.name(index < 0 ? -index : index + 1)) : undefined;
  };
  const convert = (a: Argument, value: any): any => {
    if (a.media && a.url && typeof value === "string") return referTo(a.media === "any" ? "image" : a.media, value, text.references.name(1));
    if (a.media && typeof value === "number") return point(a.media, value);
    if (Array.isArray(value)) return value.map((v) => convert(a.media ? { ...a, type: "integer" } : a.items ?? a, v)).filter((v) => v !== undefined);
    if (a.fields && value && typeof value === "object") {
      return Object.fromEntries(a.fields.filter((f) => value[f.name!] !== undefined).map((f) => [f.name, convert(f, value[f.name!])]));
    }
    return value;
  };
  const values: Values = {};
  for (const a of tool.arguments) {
    const value = step.arguments[a.name!];
    if (value === undefined || a.name === "loras" || a.name === "loraStrengths" || a.name === tool.modelArgument) continue;
    const converted = convert(a, value);
    if (converted !== undefined) values[a.name!] = converted;
  }
  for (const binding of step.dependsOn ?? []) {
    const a = tool.arguments.find((x) => x.name === binding.targetArgument);
    const source = binding.sourceStepId === "$input_media" ? sent[binding.sourceArtifactIndex ?? 0]
      : workflow.steps.find((s: any) => s.id === binding.sourceStepId)?.artifacts?.[binding.sourceArtifactIndex ?? 0];
    if (!a?.media || !source?.url) continue;
    const pointer = referTo(source.kind, source.url, binding.sourceStepId);
    values[a.name!] = a.type === "array" ? [...(values[a.name!] ?? []), pointer] : pointer;
  }
  const ids: string[] = step.arguments.loras ?? [];
  const strengths: number[] = step.arguments.loraStrengths ?? step.arguments.lora_strengths ?? [];
  return {
    tool: tool.name,
    model: tool.modelArgument ? step.arguments[tool.modelArgument] ?? "" : "",
    values,
    loras: ids.map((id, i) => ({ id, name: loraName(id), strength: strengths[i] ?? 1 })),
  };
}
