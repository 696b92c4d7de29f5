// What a run that waits for an approval will make, and what that will cost.

import { amount, price, unit, words } from "../format";
import * as json from "../json";
import { isOver } from "../status";
import { text } from "../texts/chat";
import type { Run } from "./conversation";

export interface HeldCall {
  id: string;
  tool: string;
  /** Its model, its size or length, and its estimate. */
  facts: string[];
  prompt: string;
}

/** The calls that wait, as a person decides about them. */
export function heldCalls(run: Run, modelName: (id: string) => string): HeldCall[] {
  return (run.waiting!.details.pendingToolCallIds ?? []).flatMap((id) => {
    const call = run.held?.[id];
    if (!call) return [];
    const { prompt, text, lyrics, width, height, aspectRatio, duration } = json.objectOf(call.toolArgs);
    const [wide, high, seconds] = [
      call.width ?? json.numberOf(width),
      call.height ?? json.numberOf(height),
      call.durationSeconds ?? json.numberOf(duration),
    ];
    const facts = [
      modelName(call.modelKey ?? ""),
      wide && high ? `${wide} × ${high}` : json.textOf(aspectRatio),
      seconds ? unit(amount(seconds), "s") : "",
      unit(price(inSpark(micros(call.estimatedCost))), "Spark"),
    ];
    const said = [prompt, text, lyrics].map(json.textOf).find(Boolean) ?? "";
    return [{ id, tool: words(call.toolName), facts: facts.filter(Boolean), prompt: said }];
  });
}

interface Cost {
  spark: string;
  isMost: boolean;
  isCovered: boolean;
  left?: string;
}

/**
 * What the calls that wait are estimated at, and what is left of the balance. A plan covers all but
 * vendors' models, which are paid in Spark alone, less a discount that only the service knows.
 */
export function costOf(run: Run, net: string | undefined, plan: { status?: string } | undefined): Cost | undefined {
  const { pendingToolCallIds: waiting, costApprovalPreview: preview } = run.waiting!.details;
  if (!waiting?.length || waiting.some((id) => !run.held?.[id])) return undefined;
  const total = waiting.reduce((sum, id) => sum + micros(run.held![id].estimatedCost), 0);
  const hasPlan = ["trialing", "active", "cancel_at_period_end"].includes(plan?.status ?? "");
  const left = net === undefined ? -1 : micros(net) - total;
  return {
    spark: price(inSpark(total)),
    isMost: hasPlan,
    isCovered: hasPlan && preview?.tokenType === "auto",
    left: plan && !hasPlan && left >= 0 ? amount(inSpark(left)) : undefined,
  };
}

/** What is said of the newest run to those who do not see it: that it asks for something, or that it has answered. */
export function spokenOf(run: Run): string {
  if (isOver(run.status)) return run.content ? text.live : "";
  if (!run.waiting) return "";
  if (run.waiting.reason !== "cost_approval_required") return run.waiting.message || text.review;
  const tools = [...new Set(heldCalls(run, () => "").map((call) => call.tool))].join(", ");
  const cost = costOf(run, undefined, undefined);
  return cost && tools ? text.approvalSpoken(tools, cost.spark) : text.approval;
}

const micros = (spark: string | number) => Math.round(Number(spark) * 1e6); // sums of whole numbers are exact
const inSpark = (micros: number) => (micros / 1e6).toFixed(6);
