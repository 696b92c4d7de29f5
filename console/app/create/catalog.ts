// What the service can make: tools with their arguments, and the models that serve them.

import { get } from "../api";
import type { CatalogEntry, ToolEntry } from "../types";

export type Tool = ToolEntry;

/** What the console reads of the parameters of a model. They come from the files of models, and every argument may be among them. */
export interface ModelParameters extends Record<string, unknown> {
  aliases?: string[];
  ratios?: string[];
  outputResolutions?: number[];
  maxPromptLength?: number;
  costPerBaseRenderInSpark?: string | number;
  costPerBaseRenderInUSD?: string | number;
  isExternalAPI?: boolean;
  requiresStartingImage?: boolean;
  requiresContextImage?: boolean;
  requiresReferenceVideo?: boolean;
  requiresReferenceAudio?: boolean;
  acceptInputImage?: boolean;
  acceptInputAudio?: boolean;
  referenceLimits?: Record<string, number>;
}

export interface Model extends CatalogEntry {
  parameters: ModelParameters;
}

export interface Catalog {
  tools: Tool[];
  models: Map<string, Model>;
}

export const kinds = ["image", "video", "audio", "model", "json"];

/** Reads tools and models. The tools of a session make nothing by themselves and are left out. */
export async function loadCatalog(signal?: AbortSignal): Promise<Catalog> {
  const [tools, models] = await Promise.all([
    get("/v1/tools", { signal }),
    get("/v1/model-catalog", { query: { include: "parameters" }, signal }),
  ]);
  return {
    tools: tools.tools.filter((t) => t.runs !== "session" && t.produces),
    models: new Map(models.models.map((m) => [m.id, { ...m, parameters: m.parameters ?? {} }])),
  };
}

/** A value of the model argument: a name that one or several models share. */
export interface Choice {
  value: string;
  label: string;
  served: "workers" | "expected" | "preview" | "noWorker";
  models: Model[];
}

const order = { workers: 0, expected: 1, preview: 2, noWorker: 3 };

/** The models of a tool to choose from, those that are served first. */
export function choicesOf(tool: Tool, catalog: Catalog): Choice[] {
  const byName = new Map<string, Model[]>();
  for (const { modelId, selectors } of tool.models) {
    const model = catalog.models.get(modelId);
    if (!model) continue;
    const name = selectors[0] ?? modelId;
    byName.set(name, [...(byName.get(name) ?? []), model]);
  }
  const list = [...byName].map(([value, models]): Choice => ({
    value,
    label: commonName(models.map((m) => m.name)),
    served: servedBy(models),
    models,
  }));
  return list.sort((a, b) => order[a.served] - order[b.served]);
}

export function servedBy(models: Model[]): Choice["served"] {
  if (models.some((m) => m.servedBy === "workers" || m.servedBy === "vendor")) return "workers";
  if (models.some((m) => m.servedBy === "expected")) return "expected";
  return models.some((m) => m.servedBy === "preview") ? "preview" : "noWorker";
}

// "LTX 2.5 Text to Video" and "LTX 2.5 Image to Video" are modes of "LTX 2.5".
export function commonName(names: string[]): string {
  if (names.length === 1) return names[0];
  const parts = names.map((name) => name.split(" "));
  let n = 0;
  while (parts.every((p) => p[n] !== undefined && p[n] === parts[0][n])) n++;
  return parts[0].slice(0, n).join(" ") || names[0];
}

/** The first choice for a tool: its default while that is served as well as any other, else the best served one. */
export function firstChoice(tool: Tool, catalog: Catalog): string {
  if (!tool.modelArgument) return "";
  const choices = choicesOf(tool, catalog);
  const usual = choices.find((c) => c.value === tool.defaultModel);
  if (usual && usual.served === choices[0].served) return usual.value;
  return choices[0] && choices[0].served !== "noWorker" ? choices[0].value : (usual?.value ?? "");
}

/** The model that a request would use, as far as the form can tell: the first whose media fit. */
export function modelFor(
  tool: Tool,
  choice: string,
  catalog: Catalog,
  given: Record<string, number>,
): Model | undefined {
  const name = choice || tool.defaultModel || "";
  const candidates = tool.models
    .filter((m) => m.selectors.includes(name) || m.modelId === name)
    .map((m) => catalog.models.get(m.modelId))
    .filter((m) => m !== undefined);
  const list = candidates.length
    ? candidates
    : tool.models.map((m) => catalog.models.get(m.modelId)).filter((m) => m !== undefined);
  return list.find((m) => mediaFit(m.parameters, given)) ?? list[0];
}

/** Whether a model takes this many media of each kind, and has those that it needs. */
export function mediaFit(p: ModelParameters, given: Record<string, number>): boolean {
  const images = given.image ?? 0,
    videos = given.video ?? 0,
    audio = given.audio ?? 0;
  if ((p.requiresStartingImage || p.requiresContextImage) && !images) return false;
  if (p.requiresReferenceVideo && !videos) return false;
  if (p.requiresReferenceAudio && !audio) return false;
  if (images && !p.acceptInputImage && !p.referenceLimits?.images) return false;
  return !(audio && !p.acceptInputAudio && !p.referenceLimits?.audios);
}
