// What the command palette leads to beside pages and commands: models, templates, conversations and workflows.

import type { IconName } from "./parts/icon";
import { rank } from "./parts/rank";

/** A line of the palette. */
export interface Line {
  key: string;
  name: string;
  about: string;
  icon: IconName;
  /** What else it is found by. */
  also?: string;
}

export interface Goal extends Line {
  path: string;
}

export type Goals = Partial<Record<"models" | "templates" | "conversations" | "workflows", Goal[]>>;

const most = 30; // lines that a search shows

/** The lines that fit a term, the best first: commands before what bears the term as well. Goals are found, not listed. */
export function linesFor<C extends Line>(commands: C[], goals: Goals, term: string): (C | Goal)[] {
  if (!term.trim()) return commands;
  const { models = [], templates = [], conversations = [], workflows = [] } = goals;
  return rank<C | Goal>(
    [...commands, ...models, ...templates, ...conversations, ...workflows],
    term,
    (line) => line.name,
    (line) => `${line.about} ${line.also ?? ""}`,
  ).slice(0, most);
}
