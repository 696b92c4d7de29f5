// What an answer took, in words.

import { amount, count, span } from "../format";
import { text } from "../texts/chat";
import type { RunUsage } from "../types";

/** The model, its tokens, its time and speed, and who paid. */
export function usageFacts(u: RunUsage): string[] {
  const facts = [u.model, text.tokens(count(u.promptTokens), count(u.completionTokens))];
  if (u.seconds >= 0.1) facts.push(text.speed(span(u.seconds), count(Math.round(u.completionTokens / u.seconds))));
  const paid = [
    ...(Number(u.costInSpark) > 0 ? [`${amount(u.costInSpark, 4)} Spark`] : []),
    ...(Number(u.costInSvc) > 0 ? [`${amount(u.costInSvc, 4)} svc`] : []),
  ];
  return [...facts, paid.join(" + ") || (u.coveredByPlan ? text.covered : text.free)];
}
