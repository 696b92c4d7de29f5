// Tables: one look for all of them, and a card for each row where the screen is narrow.

import type { ComponentChildren } from "preact";
import type { Paged } from "../hooks";
import { text as common } from "../texts/shell";
import { Failure } from "./notice";

export interface Column<T> {
  name: string;
  cell: (row: T) => ComponentChildren;
  number?: boolean;
  class?: string;
}

interface TableProps<T> {
  rows: T[];
  keyOf: (row: T) => string;
  /** The first one names the row. A column that has nothing in any row is left out. */
  columns: (Column<T> | false)[];
  label: string;
  /** Its rows stay rows on a phone. */
  isSmall?: boolean;
  classOf?: (row: T) => string | undefined;
}

const isEmpty = (cell: ComponentChildren) => cell === "" || cell === null || cell === undefined || cell === false;

/** Rows that are cards on a phone are no rows to some browsers: the roles are named. */
export function Table<T>({ rows, keyOf, columns, label, isSmall, classOf }: TableProps<T>) {
  const cells = rows.map((row) => columns.map((c) => c && c.cell(row)));
  const shown = columns.flatMap((c, i) =>
    c && (i === 0 || cells.some((row) => !isEmpty(row[i]))) ? [{ ...c, i }] : [],
  );
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table role="table" class={isSmall ? undefined : "cards"}>
        <thead role="rowgroup">
          <tr role="row">
            {shown.map((c) =>
              c.name ? (
                <th key={c.i} role="columnheader" class={c.number ? "number-cell" : undefined}>
                  {c.name}
                </th>
              ) : (
                <td key={c.i} role="cell" />
              ),
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, r) => (
            <tr key={keyOf(row)} role="row" class={classOf?.(row)}>
              {shown.map((c) => {
                const Cell = c.i === 0 ? "th" : "td";
                return (
                  <Cell
                    key={c.i}
                    role={c.i === 0 ? "rowheader" : "cell"}
                    scope={c.i === 0 ? "row" : undefined}
                    data-name={c.name}
                    class={[c.number && "number-cell", c.class].filter(Boolean).join(" ") || undefined}>
                    {cells[r][c.i]}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A table of a list that is loaded page by page. */
export function PagedTable<T>({
  list,
  none,
  ...table
}: Omit<TableProps<T>, "rows"> & { list: Paged<T>; none: ComponentChildren }) {
  return (
    <>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!list.data && !list.error && <div class="waiting tall" role="status" aria-label={common.loading} />}
      {list.data?.length === 0 && (typeof none === "string" ? <p class="muted">{none}</p> : none)}
      {!!list.data?.length && <Table rows={list.data} {...table} />}
      {list.hasMore && (
        <button class="quiet" onClick={list.more}>
          {common.loadMore}
        </button>
      )}
    </>
  );
}
