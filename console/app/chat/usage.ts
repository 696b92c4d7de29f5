// What an answer took, in words.

import { count, price, span, unit } from "../format";
import { text } from "../texts/chat";
import type { RunUsage } from "../types";
import { isCovered, sparkOf, sum, type Workflow } from "../workflow/model";
import type { Run } from "./conversation";

/** What the tools of an answer were charged. */
export interface MediaCost {
  spark: string;
  byPlan: boolean;
}

const leastForSpeed = 0.1; // seconds in which a model wrote, so that its speed says something

type Answered = Pick<Run, "usage" | "createdAt" | "completedAt"> & { toolCalls: unknown[] };

/**
 * The model, its tokens, its time and speed, what its tools cost, and who paid. The time from the message to the end of
 * an answer is not said where tools were called: a person may have thought about their cost.
 */
export function usageFacts(run: Answered, media?: MediaCost): string[] {
  const u = run.usage;
  const facts = u ? [u.model, text.tokens(count(u.promptTokens), count(u.completionTokens))] : [];
  if (u && u.seconds >= leastForSpeed)
    facts.push(text.speed(span(u.seconds), count(Math.round(u.completionTokens / u.seconds))));
  else if (run.completedAt && !run.toolCalls.length)
    facts.push(span((Date.parse(run.completedAt) - Date.parse(run.createdAt)) / 1000));
  if (media) facts.push(text.media(price(media.spark), media.byPlan));
  return u ? [...facts, paidBy(u, media)].filter(Boolean) : facts;
}

/** Who paid for the words. They are not called free where the tools of the answer were paid. */
function paidBy(u: RunUsage, media?: MediaCost): string {
  const paid = [
    ...(Number(u.costInSpark) > 0 ? [unit(price(u.costInSpark), "Spark")] : []),
    ...(Number(u.costInSvc) > 0 ? [`${price(u.costInSvc)} svc`] : []),
  ].join(" + ");
  if (paid) return media ? text.words(paid) : paid;
  if (u.coveredByPlan) return media ? text.words(text.covered) : text.covered;
  return media ? text.words(text.free) : text.free;
}

/** The workflows that the tools of an answer began. */
export const workflowsOf = (run: Run): string[] => [
  ...new Set([...(run.workflowIds ?? []), ...run.artifacts.flatMap((a) => a.workflowId || [])]),
];

/** What workflows were charged together; undefined when that is nothing. */
export function mediaCost(workflows: Workflow[]): MediaCost | undefined {
  const spark = sum(workflows.map(sparkOf));
  const paid = workflows.filter((w) => Number(sparkOf(w)) > 0);
  return paid.length ? { spark, byPlan: paid.every(isCovered) } : undefined;
}
