// What the file of an analysis says.

import { objectOf, textOf } from "../json";

export interface Analysis {
  query: string;
  /** The answer in words; empty for what is no analysis. */
  summary: string;
  /** What it does not say. */
  limits: string;
  /** All of the file, on several lines. */
  whole: string;
}

export function readAnalysis(content: string): Analysis {
  try {
    const value: unknown = JSON.parse(content);
    const { query, summary, limits } = objectOf(value);
    const whole = JSON.stringify(value, null, 2);
    return { query: textOf(query), summary: textOf(summary), limits: textOf(limits), whole };
  } catch {
    return { query: "", summary: "", limits: "", whole: content };
  }
}
