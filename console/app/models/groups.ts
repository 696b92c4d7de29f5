// What models make, in groups and in a line for each.

import type { Model, Tool } from "../create/catalog";
import { words } from "../format";
import { rank } from "../parts/rank";
import { text } from "../texts/models";

export interface Group {
  key: string;
  name: string;
  models: Model[];
}

const order = Object.keys(text.groups);

/** The key of the group of a model, by the first tool that uses it, and for clips by what they are made from. */
function groupOf(model: Model, tool?: Tool): string {
  const p = model.parameters;
  switch (tool?.name) {
    case "generate_image":
      return model.tags.includes("community") ? "community" : "pictures";
    case "edit_image":
      return "edits";
    case "generate_music":
      return "music";
    case "generate_speech":
      return "speech";
    case "upscale_video":
      return "clipTools";
  }
  if (model.mediaType === "video") {
    if (p.requiresReferenceVideo) return "fromClips";
    if (p.requiresReferenceAudio) return "toSound";
    if (p.requiresStartingImage) return "fromPictures";
    return p.referenceLimits ? "fromReferences" : "clips";
  }
  return { image: "pictureTools", model: "solids", audio: "sounds" }[model.mediaType] ?? "others";
}

/** The first tool that uses each model. */
export function firstTools(tools: Tool[]): Map<string, Tool> {
  const first = new Map<string, Tool>();
  for (const tool of tools) for (const { modelId } of tool.models) if (!first.has(modelId)) first.set(modelId, tool);
  return first;
}

/** Models in the groups of what they make; those of a group stay in their order. */
export function grouped(models: Model[], tools: Map<string, Tool>): Group[] {
  return order
    .map((key) => ({ key, name: text.groups[key], models: models.filter((m) => groupOf(m, tools.get(m.id)) === key) }))
    .filter((group) => group.models.length > 0);
}

const largest = (values: unknown): number => (Array.isArray(values) ? Math.max(0, ...values.map(Number)) : 0);

/** What a model makes, and how large, how long and in how many steps. */
export function lineOf(model: Model, tool?: Tool): string {
  const p = model.parameters;
  const [width, steps, duration] = [p.width, p.steps, p.duration] as ({ [name: string]: number } | undefined)[];
  const lines = largest(p.outputResolutions);
  return [
    (tool && text.makes[tool.name]) || text.groups[groupOf(model, tool)],
    width?.max && text.upTo(`${width.max}\u00a0px`),
    lines > 0 && text.upTo(`${lines}p`),
    duration?.max && text.upTo(text.seconds(Math.floor(duration.max))),
    steps?.default && text.inSteps(steps.default),
  ]
    .filter(Boolean)
    .join(", ");
}

/** The tags of a model that tell it from others. */
export const tagsOf = (model: Model): string[] => model.tags.filter((tag) => tag !== "standard").map(words);

/** What a model is found by beside its name: its other names, its tags, and what it makes. */
export const aboutModel = (m: Model, tool: Tool | undefined) =>
  [words(m.id), ...(m.parameters.aliases ?? []), ...m.tags, lineOf(m, tool), m.mediaType].join(" ");

/** The models that a search fits. */
export const search = (models: Model[], tools: Map<string, Tool>, term: string): Set<Model> =>
  new Set(
    rank(
      models,
      term,
      (m) => m.name,
      (m) => aboutModel(m, tools.get(m.id)),
    ),
  );
