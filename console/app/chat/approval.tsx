// The card that asks before money is spent.

import { useState } from "preact/hooks";
import { get, post, randomId } from "../api";
import { amount, duration, toDate } from "../format";
import { useChanges, useData, useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { Notice } from "../parts/notice";
import { toastError } from "../parts/toast";
import { text } from "../texts/chat";
import type { Run } from "./conversation";
import { costOf, heldCalls } from "./cost";
import { focusComposer } from "./draft";

/** The card that asks before money is spent. It is never optimistic. */
export function Approval({ run }: { run: Run }) {
  const now = useNow();
  const [busy, setBusy] = useState(false);
  const [intent] = useState(randomId);
  const names = useModelNames();
  const balance = useData((signal) => get("/v4/account/balance", { signal }), [run.runId]);
  const plan = useData((signal) => get("/v1/subscriptions/status", { signal }), [run.runId]);
  useChanges(["balance"], balance.reload);
  const waiting = run.waiting!;
  if (waiting.reason !== "cost_approval_required") return <Notice tone="warn">{waiting.message || text.review}</Notice>;
  const preview = waiting.details.costApprovalPreview;
  const poor = waiting.details.flavor === "insufficient_credits";
  const left = preview ? ((toDate(preview.validityUntil)?.getTime() ?? 0) - now) / 1000 : 0;
  const cost = costOf(run, balance.data?.spark.net, plan.data?.subscription);
  const decide = async (decision: "confirm" | "cancel") => {
    setBusy(true);
    try {
      await post(
        "/v1/chat/runs/{id}/confirm-cost",
        {
          tool_call_id: waiting.details.toolCallId,
          decision,
          accepted_cost_preview: decision === "confirm" ? preview : undefined,
        },
        { path: { id: run.runId }, idempotencyKey: intent + decision },
      );
      focusComposer(); // the buttons go
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  return (
    <section class="approval" role="group" aria-label={text.approval}>
      <h3>{text.approval}</h3>
      <ul class="approval-calls" aria-label={text.held}>
        {heldCalls(run, names).map((call) => (
          <li key={call.id}>
            <strong>{call.tool}</strong> <span class="small tabular">{call.facts.join(" · ")}</span>
            {call.prompt && <span class="approval-prompt small">{call.prompt}</span>}
          </li>
        ))}
      </ul>
      {cost && <p>{plan.loading ? "\u00a0" : cost.isCovered ? text.byPlan : text.cost(cost.spark, cost.isMost)}</p>}
      {!cost && preview && <p>{text.units(preview.totalEstimatedCapacityUnits)}</p>}
      <p class="small muted tabular">
        {balance.data ? text.balance(amount(balance.data.spark.net), cost?.left) : "\u00a0"}
      </p>
      <p class="small muted tabular">
        {poor ? text.noCredits : left > 0 ? text.expires(duration(left)) : text.expired}
      </p>
      <p class="row">
        <button class="primary" disabled={busy || poor || left <= 0} onClick={() => void decide("confirm")}>
          {text.confirm}
        </button>
        <button class="quiet" disabled={busy} onClick={() => void decide("cancel")}>
          {text.decline}
        </button>
      </p>
    </section>
  );
}
