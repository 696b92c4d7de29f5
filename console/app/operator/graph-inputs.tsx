// The table of the inputs that were found in a workflow, each of which can be put elsewhere.

import { Table } from "../parts/table";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/graphs";
import type { GraphInspection } from "../types";
import { nowhere, rows, type Change, type Row } from "./graph-draft";

export function Inputs({
  inspection,
  set,
  send,
}: {
  inspection: GraphInspection;
  set: Record<string, string>;
  send: (c: Change) => void;
}) {
  return (
    <section class="stack graph-inputs">
      <h2>{text.inputs}</h2>
      <p class="help-text">{text.inputsHelp}</p>
      <Table
        label={text.inputs}
        rows={rows(inspection, set)}
        keyOf={(row) => row.argument}
        columns={[
          { name: text.argument, cell: (row) => labelOf(row.argument) },
          {
            name: text.goesTo,
            cell: (row) => (
              <Place row={row} onInput={(target) => send({ type: "placed", argument: row.argument, target })} />
            ),
          },
          { name: text.now, cell: (row) => row.value && <span class="excerpt">{row.value}</span> },
          { name: text.because, class: "muted small", cell: (row) => row.why },
        ]}
      />
    </section>
  );
}

function Place({ row, onInput }: { row: Row; onInput: (target: string) => void }) {
  if (!row.options.length) return row.at === nowhere ? <>{text.nowhere}</> : <code title={text.stays}>{row.at}</code>;
  return (
    <select
      aria-label={text.place(labelOf(row.argument))}
      value={row.at}
      onInput={(e) => onInput(e.currentTarget.value)}>
      <option value={nowhere}>{text.nowhere}</option>
      {row.options.map((o) => (
        <option key={o.target} value={o.target}>
          {[o.target, o.node, o.value.slice(0, 40)].filter(Boolean).join(" · ")}
        </option>
      ))}
    </select>
  );
}
