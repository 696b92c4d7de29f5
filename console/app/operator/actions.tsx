// What operators did, and accounts with their keys and sessions.

import { useState } from "preact/hooks";
import { get } from "../api";
import { saveCsv } from "../csv";
import { moment, words } from "../format";
import { useSettled } from "../hooks";
import { DateField } from "../parts/date-field";
import { TextField } from "../parts/field";
import { PagedTable } from "../parts/table";
import { toastError } from "../parts/toast";
import { useQuery } from "../query";
import { text } from "../texts/operator";
import type { Action } from "../types";
import { connectionOf } from "./acted-on";
import { useList, Wallet } from "./parts";

const labels = text.actions;

/** Those that concern an account, or all, to be searched and saved. */
export function Actions({ wallet }: { wallet?: string }) {
  const [query, change] = useQuery();
  const filter = useSettled(
    JSON.stringify(wallet ? { wallet } : { action: query.action, from: query.from, to: query.to }),
    250,
  );
  const list = useList(
    (options) => get("/v1/operator/actions", options),
    (page) => page.actions,
    JSON.parse(filter),
  );
  return (
    <section class="stack">
      {!wallet && (
        <div class="action-filters">
          <TextField
            label={labels.action}
            placeholder={labels.actionHint}
            value={query.action ?? ""}
            maxLength={64}
            onInput={(action) => change({ action })}
          />
          <DateField label={labels.from} value={query.from} max={query.to} onInput={(from) => change({ from })} />
          <DateField label={labels.to} value={query.to} min={query.from} onInput={(to) => change({ to })} />
          <Save filter={JSON.parse(filter)} />
        </div>
      )}
      <PagedTable
        label={text.areas.actions}
        list={list}
        keyOf={(a) => a.id}
        none={labels.none}
        columns={[
          {
            name: labels.what,
            cell: (a) => (
              <>
                {words(a.action)} <span class="muted">{a.detail}</span>
              </>
            ),
          },
          !wallet && {
            name: labels.whom,
            cell: (a) =>
              a.walletAddress ? (
                <Wallet wallet={a.walletAddress} name={a.username} />
              ) : connectionOf(a) ? (
                <span title={a.targetId ?? undefined}>{labels.connection(connectionOf(a)!)}</span>
              ) : (
                <code class="small cut" title={a.targetId ?? undefined}>
                  {a.targetId}
                </code>
              ),
          },
          {
            name: labels.who,
            cell: (a) =>
              a.operator.startsWith("0x") ? <Wallet wallet={a.operator} name={a.operatorName} /> : a.operator,
          },
          { name: labels.why, cell: (a) => a.reason },
          { name: labels.when, class: "nowrap", cell: (a) => moment(a.at) },
        ]}
      />
    </section>
  );
}

const columns = [
  "at",
  "operator",
  "operatorName",
  "keyId",
  "action",
  "walletAddress",
  "username",
  "targetId",
  "detail",
  "reason",
] as const;

/** Reads all that the filter selects, and saves it. */
function Save({ filter }: { filter: Record<string, string | undefined> }) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      const all: Action[] = [];
      for (let cursor: string | undefined, first = true; first || cursor; first = false) {
        const page = await get("/v1/operator/actions", { query: { ...filter, cursor, limit: 200 } });
        all.push(...page.actions);
        cursor = page.nextCursor ?? undefined;
      }
      saveCsv("atelier-actions.csv", columns, all);
    } catch (problem) {
      toastError(problem as Error);
    }
    setBusy(false);
  };
  return (
    <button class="quiet" disabled={busy} onClick={save}>
      {labels.csv}
    </button>
  );
}
