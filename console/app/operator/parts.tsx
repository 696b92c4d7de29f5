// What the areas of operators share: paged tables, links to accounts, and dialogs that ask
// for a reason.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { encoded, type SendOptions } from "../api";
import { plain, shortWallet } from "../format";
import { usePages, type Paged } from "../hooks";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Failure } from "../parts/notice";
import { text } from "../texts/operator";
import { text as common } from "../texts/shell";

/** The account of a wallet, by its name where it is known. */
export const Wallet = ({ wallet, name }: { wallet: string; name?: string }) => (
  <a href={encoded`/operator/accounts/${wallet}`} title={wallet}>
    {name ? <bdi>{plain(name)}</bdi> : <code>{shortWallet(wallet)}</code>}
  </a>
);

/** A list of an operator endpoint, page by page. */
export function useList<P extends { nextCursor: string | null }, T>(
  read: (options: SendOptions) => Promise<P>,
  items: (page: P) => T[],
  query: Record<string, string | undefined> = {},
) {
  return usePages(
    async (cursor, signal) => {
      const page = await read({ query: { ...query, cursor }, signal });
      return { items: items(page), nextCursor: page.nextCursor };
    },
    [JSON.stringify(query)],
  );
}

/** A list that is all there. */
export const whole = <T,>(data: T[]): Paged<T> => ({
  data,
  error: undefined,
  loading: false,
  hasMore: false,
  more: () => {},
  set: () => {},
  reload: () => {},
});

export interface Column<T> {
  name: string;
  cell: (row: T) => ComponentChildren;
  number?: boolean;
}

/** A table of a list that is loaded page by page. */
export function Table<T>({
  list,
  keyOf,
  columns,
  none,
}: {
  list: Paged<T>;
  keyOf: (row: T) => string;
  columns: Column<T>[];
  none: string;
}) {
  return (
    <>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!list.data && !list.error && <div class="waiting tall" role="status" aria-label={common.loading} />}
      {list.data?.length === 0 && <p class="muted">{none}</p>}
      {!!list.data?.length && (
        <div class="table-scroll" tabIndex={0} role="group" aria-label={text.title}>
          <table>
            <thead>
              <tr>
                {columns.map((c) =>
                  c.name ? (
                    <th key={c.name} class={c.number ? "number-cell" : undefined}>
                      {c.name}
                    </th>
                  ) : (
                    <td key="" />
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {list.data.map((row) => (
                <tr key={keyOf(row)}>
                  {columns.map((c) => (
                    <td key={c.name} class={c.number ? "number-cell" : undefined}>
                      {c.cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.hasMore && (
        <button class="quiet" onClick={list.more}>
          {common.loadMore}
        </button>
      )}
    </>
  );
}

/** A form in a dialog, with a reason that is stored with the action. */
export function ActionDialog({
  title,
  about,
  confirm,
  danger,
  children,
  onClose,
  run,
  onProblem,
}: {
  title: string;
  about?: string;
  confirm: string;
  danger?: boolean;
  children?: ComponentChildren;
  onClose: () => void;
  run: (reason?: string) => Promise<unknown>;
  /** Shows an error at its field, or reports that it belongs to none. */
  onProblem?: (error: Error) => boolean;
}) {
  const [reason, setReason] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await run(reason.trim() || undefined);
      onClose();
    } catch (problem) {
      if (!onProblem?.(problem as Error)) setError(problem as Error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {about && <p>{about}</p>}
        {error && <Failure error={error} />}
        {children}
        <TextField
          label={text.reason}
          help={text.reasonHelp}
          value={reason}
          onInput={setReason}
          maxLength={500}
          optional
        />
        <footer>
          <button type="button" class="quiet" onClick={onClose}>
            {common.cancel}
          </button>
          <button class={danger ? "primary danger" : "primary"} disabled={busy}>
            {confirm}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
