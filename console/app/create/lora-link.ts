// Where a LoRA is used.

import type { ToolEntry } from "../types";
import { createLink } from "./address";
import type { LoraRow } from "./lora";

/** The address of the form with a LoRA, and with the first tool and model that take it. */
export function loraLink({ loraId, modelIds }: Pick<LoraRow, "loraId" | "modelIds">, tools: ToolEntry[]): string {
  const tool = tools.find((t) => t.models.some((m) => modelIds.includes(m.modelId)));
  const model = tool?.models.find((m) => modelIds.includes(m.modelId));
  return createLink({ tool: tool?.name, model: model?.selectors[0] ?? model?.modelId, lora: loraId });
}
