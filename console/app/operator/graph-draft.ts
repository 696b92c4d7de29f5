// What the form of a workflow of ComfyUI holds: the file, what the service found in it, and what the operator decides.

import type { Bodies, Graph, GraphInspection } from "../types";

/** What goes nowhere. */
export const nowhere = "-";

export const mostBytes = 1 << 20; // of a file, as the service takes it

export interface Draft {
  /** The name of the file; empty without one. */
  file: string;
  workflow?: Record<string, unknown>;
  name: string;
  title: string;
  /** Empty: guessed. */
  tool: string;
  connectionId: string;
  /** Where arguments go, as far as the operator has decided. */
  set: Record<string, string>;
  inspection?: GraphInspection;
  /** Counts what changes an inspection, so that an outdated one is not shown. */
  asked: number;
  error?: Error;
  saved?: Graph;
}

export type Change =
  | { type: "chosen"; file: string; workflow: Record<string, unknown> }
  | { type: "refused"; error: Error }
  | { type: "named"; name: string }
  | { type: "titled"; title: string }
  | { type: "tool"; tool: string }
  | { type: "connection"; connectionId: string }
  | { type: "placed"; argument: string; target: string }
  | { type: "inspected"; asked: number; inspection: GraphInspection }
  | { type: "failed"; asked: number; error: Error }
  | { type: "saved"; graph: Graph };

export const empty: Draft = { file: "", name: "", title: "", tool: "", connectionId: "", set: {}, asked: 0 };

export function change(d: Draft, c: Change): Draft {
  const again = { ...d, error: undefined, asked: d.asked + 1 };
  switch (c.type) {
    case "chosen":
      return {
        ...empty,
        file: c.file,
        workflow: c.workflow,
        name: nameOf(c.file),
        connectionId: d.connectionId,
        asked: d.asked + 1,
      };
    case "refused":
      return { ...empty, connectionId: d.connectionId, error: c.error, asked: d.asked + 1 };
    case "named":
      return { ...d, name: c.name, error: undefined };
    case "titled":
      return { ...d, title: c.title, error: undefined };
    case "tool":
      return { ...again, tool: c.tool, set: {} }; // another tool has other arguments
    case "connection":
      return { ...again, connectionId: c.connectionId };
    case "placed":
      return { ...again, set: { ...d.set, [c.argument]: c.target } };
    case "inspected":
      return c.asked === d.asked ? { ...d, inspection: c.inspection, error: undefined } : d;
    case "failed":
      return c.asked === d.asked ? { ...d, error: c.error } : d;
    case "saved":
      return { ...d, saved: c.graph, error: undefined };
  }
}

/** The id of a model for the workflow of a file. */
export function nameOf(file: string): string {
  const base = file.toLowerCase().replace(/\.json$/, "");
  const name = base
    .replace(/[^a-z0-9.-]+/g, "_")
    .replace(/\.{2,}/g, ".")
    .replace(/^[_.-]+/, "");
  return name.slice(0, 64).replace(/[_.-]+$/, "") || "my_model";
}

/** The workflow in a file, or what is wrong with it. */
export function readWorkflow(text: string, words: { notJSON: string; tooLarge: string }): Record<string, unknown> {
  if (new TextEncoder().encode(text).length > mostBytes) throw new Error(words.tooLarge);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(words.notJSON);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(words.notJSON);
  return value as Record<string, unknown>;
}

/** The part of a request that an inspection needs. */
export function request(d: Draft): Bodies["POST /v1/operator/graphs/inspect"] {
  return {
    workflow: d.workflow ?? {},
    tool: d.tool || undefined,
    connectionId: d.connectionId || undefined,
    set: Object.keys(d.set).length ? d.set : undefined,
  };
}

/** The request that saves it. */
export const saving = (d: Draft): Bodies["POST /v1/operator/graphs"] => ({
  ...request(d),
  name: d.name.trim(),
  title: d.title.trim() || undefined,
});

/** A line of the table: an argument, where it goes and where else it could go. */
export interface Row {
  argument: string;
  /** Where it goes, as Draft.set has it. */
  at: string;
  why: string;
  value: string;
  /** Empty: it cannot be changed. */
  options: { target: string; node: string; value: string }[];
}

/** The lines of the table: what can be given a place, in an order that does not change, then what else was found. */
export function rows(i: GraphInspection, set: Record<string, string>): Row[] {
  const places = i.places.map((p) => p.argument);
  const order = [...places, ...i.inputs.map((input) => input.argument).filter((a) => !places.includes(a))];
  return order.map((argument) => {
    const input = i.inputs.find((one) => one.argument === argument);
    const place = i.places.find((p) => p.argument === argument);
    const found = input?.targets.join(",") || nowhere;
    const at = set[argument] ?? found;
    const options = place ? optionsOf(i, place.kind) : [];
    // What the form does not offer, such as two inputs for one text, stays to be chosen again.
    for (const target of [found, at])
      if (place && target !== nowhere && !options.some((o) => o.target === target))
        options.unshift({ target, node: input?.node ?? "", value: "" });
    return {
      argument,
      at,
      why: input?.why ?? "",
      value: argument === "size" ? (i.size ?? "") : (input?.value ?? ""),
      options,
    };
  });
}

function optionsOf(i: GraphInspection, kind: string): Row["options"] {
  if (kind !== "size")
    return i.settable.filter((s) => s.kind === kind).map(({ target, node, value }) => ({ target, node, value }));
  return i.settable.flatMap((s) => {
    const width = s.kind === "number" && /^(.*\.)width$/.exec(s.target);
    const height = width && i.settable.find((o) => o.target === `${width[1]}height` && o.kind === "number");
    return height
      ? [{ target: `${s.target},${height.target}`, node: s.node, value: `${s.value}x${height.value}` }]
      : [];
  });
}

type Start = Bodies["POST /v1/creative-agent/workflows"];

export type FileKind = "image" | "video" | "audio";

/** The kind of file that an argument names. */
export const kindOfNeed = (argument: string): FileKind =>
  /video/i.test(argument) ? "video" : /audio|voice/i.test(argument) ? "audio" : "image";

/** Reports whether a trial can bring the files that a model needs: one for each argument. */
export const canTry = (g: Graph) => !g.needs.some((argument) => argument.includes("#"));

/** The request that makes one with a model. Files are addresses by argument; -1 is the first reference of its kind. */
export function trial(g: Graph, prompt: string, files: Record<string, string> = {}): Start {
  const references: NonNullable<Start["media_references"]> = [];
  const values: Record<string, unknown> = prompt ? { prompt } : {};
  if (g.argument) values[g.argument] = g.selector;
  for (const argument of g.needs) {
    const kind = kindOfNeed(argument);
    references.push({ kind, url: files[argument] });
    values[argument] = -references.filter((r) => r.kind === kind).length;
  }
  return {
    input: { title: g.title, steps: [{ id: "try", toolName: g.tool, arguments: values }] },
    ...(references.length ? { media_references: references } : {}),
    app_source: "console",
  };
}
