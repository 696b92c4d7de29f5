// What other pages hand to this one by its address: a tool, a model, arguments, a
// reference, a workflow to show or to restore.

import { encoded, get } from "../api";
import type { Catalog } from "./catalog";
import { choicesOf, firstChoice } from "./catalog";
import { form, formOf, withTool, type Form } from "./form";
import { referTo, referToAsset, type Pointer } from "./reference";

/** The address of the form with these settings. */
export function createLink(settings: { tool?: string; model?: string; values?: Record<string, any> }): string {
  const query = new URLSearchParams();
  if (settings.tool) query.set("tool", settings.tool);
  if (settings.model) query.set("model", settings.model);
  for (const [name, value] of Object.entries(settings.values ?? {})) query.set("arg." + name, JSON.stringify(value));
  return "/?" + query;
}

/** A form whose tool and model the catalog has. */
export function settle(f: Form, catalog: Catalog): Form {
  const tool = catalog.tools.find((t) => t.name === f.tool) ?? catalog.tools.find((t) => t.name === "generate_image") ?? catalog.tools[0];
  if (!f.tool || tool.name !== f.tool) return { ...f, tool: tool.name, model: firstChoice(tool, catalog) };
  if (!tool.modelArgument || !f.model) return f;
  const choices = choicesOf(tool, catalog);
  if (choices.some((c) => c.value === f.model)) return f;
  // The model by its id, or by another of its names.
  const named = tool.models.find((m) => m.modelId === f.model || m.selectors.includes(f.model));
  return { ...f, model: named?.selectors[0] ?? named?.modelId ?? firstChoice(tool, catalog) };
}

/** Applies the settings of an address to the form, and returns a reference that came with them. */
export async function applyAddress(query: Record<string, string>, catalog: Catalog, loraName: (id: string) => string): Promise<{ kind: string; pointer: Pointer } | undefined> {
  if (query.restore && query.workflow) {
    const { workflow } = await get(encoded`/v1/creative-agent/workflows/${query.workflow}`);
    const restored = formOf(workflow, query.restore, catalog.tools, loraName);
    if (restored) form.value = settle(restored, catalog);
  } else if (query.tool || query.model) {
    const tool = catalog.tools.find((t) => t.name === query.tool) ?? catalog.tools.find((t) => t.models.some((m) => m.modelId === query.model || m.selectors.includes(query.model)));
    const values: Record<string, any> = {};
    for (const [name, value] of Object.entries(query)) {
      if (name.startsWith("arg.")) values[name.slice(4)] = parse(value);
    }
    if (tool) {
      const kept = tool.name === form.value.tool ? form.value : withTool(form.value, tool, firstChoice(tool, catalog));
      form.value = settle({ ...kept, model: query.model ?? kept.model, ...(Object.keys(values).length ? { values, loras: [] } : {}) }, catalog);
    }
  }
  if (query.reference) {
    const { artifact: a } = await get(encoded`/v1/artifacts/${query.reference}`);
    return { kind: a.kind, pointer: referTo(a.kind, a.url, a.prompt || a.kind, a.thumbnailUrl) };
  }
  if (query.asset) {
    const asset = (await get("/v1/assets")).assets.find((a: any) => a.id === query.asset);
    if (asset) return { kind: asset.contentType.split("/")[0], pointer: await referToAsset(asset) };
  }
}

function parse(value: string): any {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
