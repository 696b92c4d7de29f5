// What the account used, paid and earned. One range drives every panel.

import { useLocation } from "preact-iso/router";
import { get } from "../api";
import { saveCsv } from "../csv";
import { useChanges, useData, useTitle } from "../hooks";
import { Choices } from "../parts/field";
import { Failure } from "../parts/notice";
import { session } from "../session";
import { text } from "../texts/usage";
import { text as common } from "../texts/shell";
import { Balance, Earnings, Plan } from "../usage/account";
import { Charts } from "../usage/charts";
import { columns } from "../usage/sums";
import { Keys } from "../usage/keys";
import { Ledger } from "../usage/ledger";

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
          <button
            class="quiet"
            disabled={!usage.data?.rows.length}
            onClick={() => saveCsv(`atelier-usage-${days}-days.csv`, columns, usage.data!.rows)}>
            {text.csv}
          </button>
        </div>
      </header>
      {usage.error && <Failure error={usage.error} retry={usage.reload} />}
      {usage.data ? (
        <Charts rows={usage.data.rows} days={days} onModel={(id) => go({ model: id })} />
      ) : (
        !usage.error && <div class="waiting tall" role="status" aria-label={common.loading} />
      )}
      <div class="panels">
        <Balance />
        <Plan />
      </div>
      <Keys days={days} />
      <Ledger days={days} model={model} rows={usage.data?.rows ?? []} onClear={() => go({ model: "" })} />
      {session.value?.worker && <Earnings />}
    </>
  );
}
