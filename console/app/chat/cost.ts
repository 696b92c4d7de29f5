// What a run that waits for an approval will cost.

import { amount } from "../format";
import type { Run } from "./conversation";

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
  const { pendingToolCallIds: held, costApprovalPreview: preview } = run.waiting!.details;
  if (!held?.length || held.some((id) => run.prices?.[id] === undefined)) return undefined;
  const total = held.reduce((sum, id) => sum + micros(run.prices![id]), 0);
  const hasPlan = ["trialing", "active", "cancel_at_period_end"].includes(plan?.status ?? "");
  const left = net === undefined ? -1 : micros(net) - total;
  return {
    spark: amount(inSpark(total), 6),
    isMost: hasPlan,
    isCovered: hasPlan && preview?.tokenType === "auto",
    left: plan && !hasPlan && left >= 0 ? amount(inSpark(left)) : undefined,
  };
}

const micros = (spark: string | number) => Math.round(Number(spark) * 1e6); // sums of whole numbers are exact
const inSpark = (micros: number) => (micros / 1e6).toFixed(6);
