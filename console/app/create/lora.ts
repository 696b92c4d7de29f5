// The LoRAs that a form can have, and those of a form that its model cannot load.

import { text } from "../texts/create";
import type { Lora, LoraUI, PublicLoraUI } from "../types";
import { choicesOf, type Catalog, type Choice, type Model, type Tool } from "./catalog";
import type { Form } from "./form";

/** A LoRA of the public catalog, or one of the account. */
export type LoraRow = Pick<Lora, "loraId" | "name" | "description" | "modelIds"> & {
  requirements?: string[];
  personal?: boolean;
  ui: LoraUI & Partial<Pick<PublicLoraUI, "rangeLabels" | "examplePrompt" | "examples" | "section">>;
};

export interface Unfit {
  message: string;
  /** A model of the tool that can load it, the best served one. */
  choice?: Choice;
}

/** The LoRAs that are known and that the model cannot load, by their ids. */
export function unfitLoras(
  { loras }: Form,
  tool: Tool,
  model: Model | undefined,
  rows: LoraRow[],
  catalog: Catalog,
): Record<string, Unfit> {
  if (!model || !loras.length || !tool.arguments.some((a) => a.name === "loras")) return {};
  const unfit = loras.flatMap(({ id }) => {
    const row = rows.find((l) => l.loraId === id);
    return !row || row.modelIds.includes(model.id) ? [] : [row];
  });
  const choices = unfit.length ? choicesOf(tool, catalog) : [];
  return Object.fromEntries(
    unfit.map(({ loraId, name, modelIds }) => {
      const fitting = choices.filter((c) => c.models.some((m) => modelIds.includes(m.id)));
      const names = fitting.length
        ? fitting.map((c) => c.label)
        : modelIds.map((id) => catalog.models.get(id)?.name ?? id);
      return [loraId, { message: text.loras.unfit(name, model.name, names), choice: fitting[0] }];
    }),
  );
}
