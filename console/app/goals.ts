// What the command palette leads to beside pages and commands: models, LoRAs, templates, tools, boards, conversations,
// workflows and, for operators, accounts.

import type { IconName } from "./parts/icon";
import { rank } from "./parts/rank";

/** A line of the palette. */
export interface Line {
  key: string;
  name: string;
  about: string;
  icon: IconName;
  /** What tells it from others of its name: how it stands, and how old it is. */
  detail?: string;
  /** What else it is found by. */
  also?: string;
}

export interface Goal extends Line {
  path: string;
}

export type Goals = Partial<
  Record<
    "operator" | "models" | "loras" | "templates" | "tools" | "boards" | "conversations" | "workflows" | "accounts",
    Goal[]
  >
>;

const most = 30; // lines that a search shows

/**
 * The lines that fit a term, the best first: commands before what bears the term as well. Goals are found, not listed.
 * What the service has found for the term by more than its name comes last.
 */
export function linesFor<C extends Line>(commands: C[], goals: Goals, term: string, served: Goal[] = []): (C | Goal)[] {
  if (!term.trim()) return commands;
  const { operator = [], models = [], loras = [], templates = [], tools = [] } = goals;
  const { boards = [], conversations = [], workflows = [], accounts = [] } = goals;
  const makers = [...operator, ...models, ...loras, ...templates, ...tools];
  const ranked = rank<C | Goal>(
    [...commands, ...makers, ...boards, ...conversations, ...workflows, ...accounts],
    term,
    (line) => line.name,
    (line) => `${line.about} ${line.also ?? ""}`,
  );
  const keys = new Set(ranked.map((line) => line.key));
  return [...ranked, ...served.filter((goal) => !keys.has(goal.key))].slice(0, most);
}
