// What other pages hand to this one by its address: a tool, a model, arguments, a
// reference, a workflow to show or to restore.

import type { Catalog } from "./catalog";
import { settle, withoutMedia, withTool, type Form } from "./form";

export type Query = Record<string, string>;

/** The address of the form with these settings. */
export function createLink(settings: {
  tool?: string;
  model?: string;
  lora?: string;
  values?: Record<string, unknown>;
}): string {
  const query = new URLSearchParams();
  if (settings.tool) query.set("tool", settings.tool);
  if (settings.model) query.set("model", settings.model);
  if (settings.lora) query.set("lora", settings.lora);
  for (const [name, value] of Object.entries(settings.values ?? {})) query.set("arg." + name, JSON.stringify(value));
  return "/?" + query;
}

/** The address of what the page shows: the tool and the model of the form, and a workflow. */
export function shownLink(form: Form, workflowId: string, artifactId?: string): string {
  const query = new URLSearchParams({ tool: form.tool, ...(form.model ? { model: form.model } : {}) });
  if (workflowId) query.set("workflow", workflowId);
  if (artifactId) query.set("artifact", artifactId);
  return "/?" + query;
}

/** Reports whether an address asks for something that the form does not have. */
export function isAsking(query: Query, form: Form): boolean {
  const hasMore =
    ["restore", "reference", "asset", "lora"].some((name) => query[name]) ||
    Object.keys(query).some((name) => name.startsWith("arg."));
  const isOther = (query.tool && query.tool !== form.tool) || (query.model && query.model !== form.model);
  return Boolean(hasMore || isOther);
}

/** The form with the tool, the model and the arguments of an address. */
export function withAddress(form: Form, query: Query, catalog: Catalog): Form {
  const serves = (name: string) =>
    catalog.tools.find((t) => t.models.some((m) => m.modelId === name || m.selectors.includes(name)));
  const tool = catalog.tools.find((t) => t.name === query.tool) ?? serves(query.model);
  if (!tool) return form;
  const given = Object.entries(query).filter(([name]) => name.startsWith("arg."));
  const values = Object.fromEntries(given.map(([name, value]) => [name.slice(4), parse(value)]));
  const same = tool.name === form.tool ? form : withTool(form, tool, catalog);
  const hasOwn = query.lora || (query.tool && (query.reference || query.asset)); // it is made with that alone
  const kept = hasOwn ? { ...same, values: withoutMedia(same.values) } : same;
  return settle({ ...kept, model: query.model ?? kept.model, ...(given.length ? { values, loras: [] } : {}) }, catalog);
}

function parse(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
