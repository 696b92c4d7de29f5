// Prompts as text.

import { textOf } from "../json";
import type { Workflow } from "../types";

/** The prompts of workflows, each once, the newest first. */
export function promptsOf(workflows: Workflow[]): string[] {
  const all = workflows.flatMap((w) => w.steps.map((s) => textOf(s.arguments.prompt).trim()));
  return [...new Set(all)].filter(Boolean);
}

/** A prompt in a style. */
export const inStyle = (prompt: string, style: string) =>
  [prompt.trim().replace(/[,.\s]+$/, ""), style.trim()].filter(Boolean).join(", ");
