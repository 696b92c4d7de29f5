// The entries of the account's ledger.

import { useEffect, useRef } from "preact/hooks";
import { encoded, get } from "../api";
import { amount, count, day, moment, unit, words } from "../format";
import { useChanges, useData, usePages } from "../hooks";
import { useJobNames } from "../models/names";
import { Chip } from "../parts/chip";
import { PagedTable, Table } from "../parts/table";
import { text } from "../texts/usage";
import type { LedgerEntry, UsagePart } from "../types";
import { activeWork } from "./account";
import { coveredByPlan, lastDays } from "./sums";

interface LedgerProps {
  days: number;
  model: string;
  rows: UsagePart[];
  onClear: () => void;
}

export function Ledger({ days, model, rows, onClear }: LedgerProps) {
  const from = lastDays(days)[0];
  const entries = usePages<LedgerEntry>(
    async (cursor, signal) => {
      const page = await get("/v1/account/ledger", { query: { from, modelId: model, cursor, limit: 50 }, signal });
      return { items: page.entries, nextCursor: page.nextCursor };
    },
    [from, model],
  );
  useChanges(["balance"], entries.reload);
  const balance = useData((signal) => get("/v4/account/balance", { signal }), []);
  useChanges(["balance"], balance.reload);
  const held = balance.data?.spark.held ?? "0";
  const names = useJobNames();
  const covered = coveredByPlan(rows, model);
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
      {Number(held) > 0 && (
        <p class="small">
          <a href={activeWork}>{text.held(unit(amount(held, 6), "Spark"))}</a>{" "}
          <span class="muted">{text.heldHelp}</span>
        </p>
      )}
      <PagedTable
        label={text.ledger}
        list={entries}
        keyOf={(entry) => entry.entryId}
        none={model ? text.noEntriesOfModel : text.noEntries}
        columns={[
          {
            name: text.reason,
            cell: (entry) =>
              entry.workflowId ? (
                <a href={encoded`/workflows/${entry.workflowId}`}>{whatFor(entry) || entry.workflowId}</a>
              ) : (
                whatFor(entry)
              ),
          },
          { name: text.what, cell: (entry) => text.kinds[entry.kind] ?? words(entry.kind) },
          { name: text.when, class: "cut", cell: (entry) => moment(entry.createdAt) },
          { name: text.key, class: "cut", cell: (entry) => entry.keyName ?? entry.keyId?.slice(0, 8) },
          {
            name: text.amount,
            number: true,
            cell: (entry) => `${amount(entry.amount, 6)} ${text.tokens[entry.token] ?? words(entry.token)}`,
          },
        ]}
      />
      {covered.length > 0 && (
        <>
          <h3>{text.coveredTitle}</h3>
          <p class="small muted">{text.coveredHelp}</p>
          <Table
            label={text.coveredTitle}
            rows={covered}
            keyOf={(row) => `${row.date} ${row.modelId}`}
            columns={[
              { name: text.reason, cell: (row) => names(row.modelId) },
              { name: text.when, cell: (row) => day(row.date) },
              { name: text.jobs, number: true, cell: (row) => count(row.jobs) },
              { name: text.worth, number: true, cell: (row) => unit(amount(row.spark.toFixed(6), 6), "Spark") },
              { name: text.amount, number: true, cell: () => text.byPlan },
            ]}
          />
        </>
      )}
    </section>
  );
}
