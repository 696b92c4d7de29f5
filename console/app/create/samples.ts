// Samples of models as examples to begin with.

import type { Sample } from "../types";
import type { Tool } from "./catalog";

const most = 3;

/** The samples of the models of a tool, one of each model, those of the chosen one first. */
export function samplesFor(tool: Tool, modelId: string | undefined, gallery: Record<string, Sample[]>): Sample[] {
  const own = gallery[modelId ?? ""] ?? [];
  const others = tool.models
    .filter((m) => m.modelId !== modelId)
    .flatMap((m) => (gallery[m.modelId] ?? []).slice(0, 1));
  const seen = new Set<string>();
  return [...own, ...others]
    .filter((s) => s.imageURL && s.positivePrompt && !seen.has(s.positivePrompt) && seen.add(s.positivePrompt))
    .slice(0, most);
}
