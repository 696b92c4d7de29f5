// The entries of the account's ledger.

import { useEffect, useRef } from "preact/hooks";
import { encoded, get } from "../api";
import { amount, moment, words } from "../format";
import { useChanges, usePages } from "../hooks";
import { useModelNames } from "../models/names";
import { Chip } from "../parts/chip";
import { Failure } from "../parts/notice";
import { text as common } from "../texts/shell";
import { text } from "../texts/usage";
import type { LedgerEntry } from "../types";
import { lastDays } from "./sums";

export function Ledger({ days, model, onClear }: { days: number; model: string; onClear: () => void }) {
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
