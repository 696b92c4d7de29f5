// What was used, by day.

import { useMemo } from "preact/hooks";
import { amount, count } from "../format";
import { useModelNames } from "../models/names";
import { Empty } from "../parts/notice";
import Plot from "../parts/plot";
import { text as common } from "../texts/shell";
import { text } from "../texts/usage";
import type { UsagePart } from "../types";
import { daysOfUse, sumBy } from "./sums";

const spark = (value: number) => amount(value.toFixed(6));

export function Charts({ rows, days, onModel }: { rows: UsagePart[]; days: number; onModel: (id: string) => void }) {
  const names = useModelNames();
  const plots = useMemo(() => {
    const dates = daysOfUse(rows, days);
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
  const total = (s: { values: number[] }) => s.values.reduce((a, b) => a + b, 0);
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
          <Plot title={text.jobsByDay} days={plots.dates} series={plots.jobs} format={count} isCount />
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
