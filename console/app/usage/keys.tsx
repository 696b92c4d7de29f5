// What each API key has used.

import { get } from "../api";
import { amount, count, unit } from "../format";
import { useChanges, useData } from "../hooks";
import { Table } from "../parts/table";
import { text } from "../texts/usage";
import { sumKeys } from "./sums";

/** The sums by key, where more than one was used. */
export function Keys({ days }: { days: number }) {
  const used = useData((signal) => get("/v1/account/usage/keys", { query: { days }, signal }), [days]);
  useChanges(["balance", "artifact", "run"], used.reload);
  const rows = sumKeys(used.data?.rows ?? []);
  if (rows.length < 2) return null;
  return (
    <section class="panel">
      <h2>{text.byKey}</h2>
      <Table
        label={text.byKey}
        rows={rows}
        keyOf={(row) => row.keyId}
        columns={[
          { name: text.key, cell: (row) => row.name || text.unnamedKey(row.keyId.slice(0, 8)) },
          { name: text.jobs, number: true, cell: (row) => count(row.jobs) },
          { name: text.worth, number: true, cell: (row) => unit(amount(row.spark.toFixed(6), 6), "Spark") },
        ]}
      />
    </section>
  );
}
