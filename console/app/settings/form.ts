// The form with which a file is made again.

import type { Catalog } from "../create/catalog";
import { settle, type Form } from "../create/form";
import { textOf } from "../json";
import type { Settings } from "./settings";

export interface Again {
  form: Form;
  /** A model that the service does not have: another one is chosen. */
  missingModel?: string;
  /** It was made from others, which are not in the file. */
  needsMedia: boolean;
}

/** The form with the settings of a file; undefined if the service does not have the tool. */
export function formOfSettings(s: Settings, catalog: Catalog, loraName: (id: string) => string): Again | undefined {
  const tool = catalog.tools.find((t) => t.name === s.tool);
  if (!tool) return undefined;
  const fits = ([name, value]: [string, unknown]) => {
    const a = tool.arguments.find((a) => a.name === name);
    return (
      a &&
      !a.media &&
      name !== tool.modelArgument &&
      name !== "loras" &&
      name !== "loraStrengths" &&
      isOf(a.type, value)
    );
  };
  const values = Object.fromEntries(Object.entries(s.arguments).filter(fits));
  if (s.seed !== undefined && tool.arguments.some((a) => a.name === "seed")) values.seed = s.seed;
  // Another program calls its models by the names of their files.
  const wanted = s.model.toLowerCase();
  const model = tool.models.find((m) => [m.modelId, ...m.selectors].some((name) => name.toLowerCase() === wanted));
  const isMissing = Boolean(tool.modelArgument && s.model && !model);
  const form: Form = {
    tool: tool.name,
    model: model && tool.modelArgument ? (model.selectors[0] ?? model.modelId) : "",
    values,
    loras: s.loras.map((l) => ({ ...l, name: loraName(l.id) })),
  };
  return {
    form: settle(form, catalog),
    ...(isMissing ? { missingModel: s.model } : {}),
    needsMedia: tool.needs.length > 0,
  };
}

/** Reports whether a value is one that the control of a type shows. */
function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "string":
      return textOf(value) !== "";
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "boolean":
      return typeof value === "boolean";
  }
  return Array.isArray(value) === (type === "array") && typeof value === "object" && value !== null;
}
