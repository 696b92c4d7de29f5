// What the account used, paid and earned. One range drives every panel.

import { useLocation } from "preact-iso/router";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { encoded, get, post } from "../api";
import { amount, count, day, moment, percent, words } from "../format";
import { useChanges, useData, usePages, useTitle } from "../hooks";
import { useModelNames } from "../models/names";
import { Chip, Progress, Status } from "../parts/chip";
import { Fact } from "../parts/fact";
import { Choices } from "../parts/field";
import { Empty, Failure } from "../parts/notice";
import Plot, { type Series } from "../parts/plot";
import { toast, toastError } from "../parts/toast";
import { session } from "../session";
import { text } from "../texts/usage";
import { text as common } from "../texts/shell";
import type { LedgerEntry, UsagePart } from "../types";

const ranges = [1, 7, 30, 90] as const;

export default function Usage() {
  useTitle(text.title);
  const { query, path, route } = useLocation();
  const days = ranges.find((n) => String(n) === query.days) ?? 30;
  const model = query.model ?? "";
  const go = (changes: Record<string, string>) => {
    const next = new URLSearchParams({ ...query, ...changes });
    for (const [name, value] of [...next]) if (!value) next.delete(name);
    route(`${path}?${next}`, true);
  };
  const usage = useData((signal) => get("/v1/account/usage", { query: { days }, signal }), [days]);
  useChanges(["balance", "artifact", "run"], usage.reload); // what a plan pays for leaves the balance as it is
  return (
    <>
      <header class="page-head">
        <h1>{text.title}</h1>
        <div class="row">
          <Choices
            label={text.range}
            value={String(days)}
            onInput={(value) => go({ days: value })}
            options={ranges.map((n) => ({ value: String(n), label: text.days(n) }))}
          />
          <button class="quiet" disabled={!usage.data?.rows.length} onClick={() => saveCsv(usage.data!.rows, days)}>
            {text.csv}
          </button>
        </div>
      </header>
      {usage.error && <Failure error={usage.error} retry={usage.reload} />}
      {usage.data ? (
        <Charts rows={usage.data.rows} days={days} onModel={(id) => go({ model: id })} />
      ) : (
        <div class="waiting tall" role="status" aria-label={common.loading} />
      )}
      <div class="panels">
        <Balance />
        <Plan />
      </div>
      <Ledger days={days} model={model} onClear={() => go({ model: "" })} />
      {session.value?.worker && <Earnings />}
    </>
  );
}

/** The UTC days of a range, the earliest first. */
function lastDays(n: number): string[] {
  const today = Date.now();
  return Array.from({ length: n }, (_, i) => new Date(today - (n - 1 - i) * 86_400_000).toISOString().slice(0, 10));
}

function sumBy(
  rows: UsagePart[],
  days: string[],
  key: (row: UsagePart) => string,
  value: (row: UsagePart) => number,
): Series[] {
  const index = new Map(days.map((d, i) => [d, i]));
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const at = index.get(row.date);
    if (at === undefined) continue;
    const name = key(row);
    const values =
      found.get(name) ??
      found
        .set(
          name,
          days.map(() => 0),
        )
        .get(name)!;
    values[at] += value(row);
  }
  const total = (values: number[]) => values.reduce((a, b) => a + b, 0);
  const all = [...found]
    .map(([label, values]) => ({ label, values }))
    .sort((a, b) => total(b.values) - total(a.values));
  if (all.length <= 6) return all;
  const rest = all.slice(5);
  return [
    ...all.slice(0, 5),
    { label: text.other, values: days.map((_, i) => rest.reduce((sum, s) => sum + s.values[i], 0)) },
  ];
}

const spark = (value: number) => amount(value.toFixed(6));
const whole = (value: number) => (Number.isInteger(value) ? count(value) : "");

function Charts({ rows, days, onModel }: { rows: UsagePart[]; days: number; onModel: (id: string) => void }) {
  const names = useModelNames();
  const plots = useMemo(() => {
    const dates = lastDays(days);
    const zero = dates.map(() => 0);
    const one = (label: string, value: (row: UsagePart) => number) => ({
      label,
      values: sumBy(rows, dates, () => label, value)[0]?.values ?? zero,
    });
    return {
      dates,
      spend: [one(text.paid, (r) => Number(r.sparkSpent)), one(text.plan, (r) => Number(r.planSpark))],
      jobs: [one(text.jobs, (r) => r.jobs)],
      models: sumBy(
        rows,
        dates,
        (r) => r.modelId,
        (r) => Number(r.spark),
      ).map((s) => ({ ...s, name: names(s.label) })),
      apps: sumBy(
        rows,
        dates,
        (r) => r.appSource || text.noApplication,
        (r) => Number(r.spark),
      ),
    };
  }, [rows, days, names]);
  const total = (s: Series) => s.values.reduce((a, b) => a + b, 0);
  if (!rows.length) return <Empty title={text.nothing}>{text.nothingHelp}</Empty>;
  return (
    <>
      <dl class="totals">
        {[
          [text.spent, `${spark(total(plots.spend[0]))} ${common.spark}`],
          [text.covered, `${spark(total(plots.spend[1]))} ${common.spark}`],
          [text.jobs, count(total(plots.jobs[0]))],
        ].map(([name, value]) => (
          <div key={name}>
            <dt class="eyebrow">
              {name} <span class="muted">{text.inRange(days)}</span>
            </dt>
            <dd class="figure">{value}</dd>
          </div>
        ))}
      </dl>
      <div class="panels plots">
        <div class="panel">
          <Plot title={text.spend} days={plots.dates} series={plots.spend} format={spark} />
        </div>
        <div class="panel">
          <Plot title={text.jobsByDay} days={plots.dates} series={plots.jobs} format={whole} />
        </div>
        <div class="panel">
          <Plot
            title={text.byModel}
            days={plots.dates}
            series={plots.models}
            format={spark}
            onPick={(label) => label !== text.other && onModel(label)}
          />
        </div>
        <div class="panel">
          <Plot title={text.byApplication} days={plots.dates} series={plots.apps} format={spark} />
        </div>
      </div>
    </>
  );
}

function saveCsv(rows: UsagePart[], days: number) {
  const names = [
    "date",
    "modelId",
    "network",
    "appSource",
    "jobs",
    "planJobs",
    "spark",
    "planSpark",
    "sparkSpent",
    "paidSparkSpent",
    "svcSpent",
  ] as const;
  const cell = (value: string | number) => {
    const plain = String(value).replace(/^[=+\-@\t\r]/, "'$&"); // a spreadsheet must not read a name as a formula
    return /[",\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  const lines = [names.join(","), ...rows.map((row) => names.map((name) => cell(row[name])).join(","))];
  const url = URL.createObjectURL(new Blob([lines.join("\r\n") + "\r\n"], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `atelier-usage-${days}-days.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function Balance() {
  const balance = useData((signal) => get("/v4/account/balance", { signal }), []);
  useChanges(["balance"], balance.reload);
  return (
    <section class="panel">
      <h2>{text.balance}</h2>
      {balance.error && <Failure error={balance.error} retry={balance.reload} />}
      {balance.data && (
        <dl class="facts">
          <Fact name={text.spark} class="figure">
            {amount(balance.data.spark.net)}
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

function Plan() {
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
    <section class="panel">
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
                    <span class="muted">
                      {text.resets} {moment(resets)}
                    </span>
                  </p>
                  <Progress label={`${text.fairUse}: ${name}`} value={Math.min(1, share / 100)} />
                </div>
              ))}
            </div>
          )}
        </div>
      )}
    </section>
  );
}

function Ledger({ days, model, onClear }: { days: number; model: string; onClear: () => void }) {
  const from = lastDays(days)[0];
  const entries = usePages<LedgerEntry>(
    async (cursor, signal) => {
      const page = await get("/v1/account/ledger", { query: { from, modelId: model, cursor, limit: 50 }, signal });
      return { items: page.entries, nextCursor: page.nextCursor };
    },
    [from, model],
  );
  useChanges(["balance"], entries.reload);
  const names = useModelNames();
  const heading = useRef<HTMLHeadingElement>(null);
  const shown = useRef(model);
  useEffect(() => {
    // the ledger is below what was pressed
    if (model && model !== shown.current) {
      heading.current!.focus({ preventScroll: true });
      heading.current!.scrollIntoView({ block: "start" });
    }
    shown.current = model;
  }, [model]);
  const whatFor = (entry: LedgerEntry) =>
    entry.modelId ? names(entry.modelId) : (text.reasons[entry.reason] ?? entry.reason);
  return (
    <section class="panel ledger">
      <header class="row">
        <h2 class="grow" ref={heading} tabIndex={-1}>
          {text.ledger}
        </h2>
        <span role="status">{model && <Chip tone="accent">{text.filteredBy(names(model))}</Chip>}</span>
        {model && (
          <button class="quiet" onClick={onClear}>
            {text.clear}
          </button>
        )}
      </header>
      <p class="small muted">{text.ledgerHelp}</p>
      {entries.error && <Failure error={entries.error} retry={entries.reload} />}
      {entries.data?.length === 0 && <p class="muted">{model ? text.noEntriesOfModel : text.noEntries}</p>}
      {!!entries.data?.length && (
        <div class="table-scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>{text.when}</th>
                <th>{text.what}</th>
                <th>{text.reason}</th>
                <th class="number-cell">{text.amount}</th>
              </tr>
            </thead>
            <tbody>
              {entries.data.map((entry) => (
                <tr key={entry.entryId}>
                  <td class="cut">{moment(entry.createdAt)}</td>
                  <td>{text.kinds[entry.kind] ?? words(entry.kind)}</td>
                  <td>
                    {entry.workflowId ? (
                      <a href={encoded`/workflows/${entry.workflowId}`}>{whatFor(entry) || entry.workflowId}</a>
                    ) : (
                      whatFor(entry)
                    )}
                  </td>
                  <td class="number-cell">
                    {amount(entry.amount, 6)} {text.tokens[entry.token] ?? words(entry.token)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {entries.hasMore && (
        <button class="quiet" onClick={entries.more}>
          {common.loadMore}
        </button>
      )}
    </section>
  );
}

function Earnings() {
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
    <section class="panel">
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
        <div class="table-scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>{text.month}</th>
                <th class="number-cell">{text.rendered}</th>
                <th class="number-cell">{text.share}</th>
                <th class="number-cell">{text.payout}</th>
                <th>{text.state}</th>
              </tr>
            </thead>
            <tbody>
              {months.map((m) => (
                <tr key={m.month}>
                  <th scope="row">{m.month}</th>
                  <td class="number-cell">{amount(m.yourRenderSpark.toFixed(6))}</td>
                  <td class="number-cell">{percent(m.yourSharePct / 100)}</td>
                  <td class="number-cell">${amount(m.estimatedPayoutUsd.toFixed(6))}</td>
                  <td>{text.claimStates[m.claim?.status ?? ""] ?? (m.finalized ? text.final : text.estimated)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
