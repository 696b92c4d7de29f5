// What the account has, its plan, and what its workers earned.

import { get, post } from "../api";
import { amount, count, day, moment, percent, words } from "../format";
import { useChanges, useData } from "../hooks";
import { Chip, Progress, Status } from "../parts/chip";
import { Fact } from "../parts/fact";
import { Failure } from "../parts/notice";
import { Table } from "../parts/table";
import { toast, toastError } from "../parts/toast";
import { text } from "../texts/usage";
import type * as api from "../types";

export const activeWork = "/workflows?status=active";

/** Reports whether the account has, or had, any tokens: without billing it never has. */
const isUsed = ({ spark, svc, USD }: api.Balance) =>
  [spark.credit, spark.premiumCredit, spark.debit, spark.net, svc.credit, svc.net, USD.subscriptionUnclaimed].some(
    (value) => Number(value) !== 0,
  );

export function Balance() {
  const balance = useData((signal) => get("/v4/account/balance", { signal }), []);
  useChanges(["balance"], balance.reload);
  return (
    <section class="panel stack">
      <h2>{text.balance}</h2>
      {balance.error && <Failure error={balance.error} retry={balance.reload} />}
      {balance.data && !isUsed(balance.data) && <p class="muted">{text.noTokens}</p>}
      {balance.data && isUsed(balance.data) && (
        <dl class="facts">
          <Fact name={text.spark} class="figure">
            {amount(balance.data.spark.net)}
            {Number(balance.data.spark.held) > 0 && (
              <>
                {" "}
                <a class="small" href={activeWork} title={text.heldHelp}>
                  {text.held(amount(balance.data.spark.held))}
                </a>
              </>
            )}
          </Fact>
          <div>
            <dt>
              {text.premium} <span class="small">{text.premiumHelp}</span>
            </dt>
            <dd>{amount(balance.data.spark.premiumCredit)}</dd>
          </div>
          <Fact name={text.svc}>{amount(balance.data.svc.net)}</Fact>
          {Number(balance.data.USD.subscriptionUnclaimed) > 0 && (
            <Fact name={text.unclaimed}>${amount(balance.data.USD.subscriptionUnclaimed)}</Fact>
          )}
        </dl>
      )}
    </section>
  );
}

export function Plan() {
  const plan = useData(async (signal) => {
    const [{ subscription }, { usage, fairUse }] = await Promise.all([
      get("/v1/subscriptions/status", { signal }),
      get("/v1/subscriptions/usage", { signal }),
    ]);
    return { subscription, usage, fairUse };
  }, []);
  useChanges(["balance", "artifact", "run"], plan.reload);
  const { subscription, usage, fairUse } = plan.data ?? {};
  return (
    <section class="panel stack">
      <h2>{text.planTitle}</h2>
      {plan.error && <Failure error={plan.error} retry={plan.reload} />}
      {subscription && !subscription.tier && <p class="muted">{text.noPlan}</p>}
      {subscription?.tier && usage && (
        <div class="stack">
          <p class="lead">
            {words(subscription.tier)} <Status status={subscription.status} />
          </p>
          <dl class="facts">
            {subscription.currentPeriodEnd && (
              <Fact name={subscription.cancelAtPeriodEnd ? text.ends : text.until}>
                {day(subscription.currentPeriodEnd)}
              </Fact>
            )}
            <Fact name={text.dailyWindow}>
              {text.coveredSpark(amount(usage.value.daily.renderSpark.toFixed(6)), count(usage.value.daily.jobs))}
            </Fact>
            <Fact name={text.cycleWindow}>
              {text.coveredSpark(amount(usage.value.cycle.renderSpark.toFixed(6)), count(usage.value.cycle.jobs))}
            </Fact>
          </dl>
          {fairUse && (
            <div class="stack">
              <p class="row">
                <strong>{text.fairUse}</strong>
                {fairUse.limited && <Chip tone="warn">{text.paused}</Chip>}
              </p>
              {(
                [
                  [text.dailyWindow, fairUse.dailyPct, fairUse.dailyResetAt],
                  [text.cycleWindow, fairUse.cyclePct, fairUse.cycleResetAt],
                ] as const
              ).map(([name, share, resets]) => (
                <div key={name}>
                  <p class="row small">
                    <span class="grow">{name}</span>
                    <span class="tabular">{percent(share / 100)}</span>
                  </p>
                  <Progress label={`${text.fairUse}: ${name}`} value={Math.min(1, share / 100)} />
                  <p class="small muted">
                    {text.resets} {moment(resets)}
                  </p>
                </div>
              ))}
            </div>
          )}
        </div>
      )}
    </section>
  );
}

export function Earnings() {
  const earnings = useData((signal) => get("/v1/subscriptions/worker/earnings", { query: { months: 12 }, signal }), []);
  const months = (earnings.data?.months ?? []).filter(
    (m) => m.yourRenderSpark > 0 || m.estimatedPayoutUsd > 0 || m.claim,
  );
  const claim = async () => {
    try {
      const made = (await post("/v1/subscriptions/worker/earnings/claim", {})).claim;
      toast(!made ? text.nothingToClaim : made.status === "claimed" ? text.claimPaid : text.claimWaits);
      earnings.reload();
    } catch (error) {
      toastError(error as Error);
    }
  };
  return (
    <section class="panel stack">
      <header class="row">
        <h2>{text.earnings}</h2>
        {months.some((m) => m.claim?.status === "unclaimed") && (
          <button class="quiet" onClick={claim}>
            {text.claim}
          </button>
        )}
      </header>
      {earnings.error && <Failure error={earnings.error} retry={earnings.reload} />}
      {earnings.data && !months.length && <p class="muted">{text.noEarnings}</p>}
      {months.length > 0 && (
        <Table
          label={text.earnings}
          rows={months}
          keyOf={(m) => m.month}
          columns={[
            { name: text.month, cell: (m) => m.month },
            { name: text.rendered, number: true, cell: (m) => amount(m.yourRenderSpark.toFixed(6)) },
            { name: text.share, number: true, cell: (m) => percent(m.yourSharePct / 100) },
            { name: text.payout, number: true, cell: (m) => `$${amount(m.estimatedPayoutUsd.toFixed(6))}` },
            {
              name: text.state,
              cell: (m) => text.claimStates[m.claim?.status ?? ""] ?? (m.finalized ? text.final : text.estimated),
            },
          ]}
        />
      )}
    </section>
  );
}
