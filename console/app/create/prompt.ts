// Prompts as text.

import { textOf } from "../json";
import type { Workflow } from "../types";

/** The prompts of the steps of workflows that call one of some tools, each once, the newest first. */
export function promptsOf(workflows: Workflow[], tools: string[]): string[] {
  const steps = workflows.flatMap((w) => w.steps.filter((s) => tools.includes(s.toolName)));
  const all = steps.map((s) => textOf(s.arguments.prompt).trim());
  return [...new Set(all)].filter(Boolean);
}

/** A prompt in a style. */
export const inStyle = (prompt: string, style: string) =>
  [prompt.trim().replace(/[,.\s]+$/, ""), style.trim()].filter(Boolean).join(", ");
