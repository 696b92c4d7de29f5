// What the areas of operators share: paged tables, links to accounts, and dialogs that ask
// for a reason.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { encoded, type SendOptions } from "../api";
import { ago, moment, plain, shortWallet } from "../format";
import { usePages } from "../hooks";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Failure } from "../parts/notice";
import { session } from "../session";
import { text } from "../texts/operator";
import { text as common } from "../texts/shell";

/** The account of a wallet, by its name where it is known. */
export const Wallet = ({ wallet, name }: { wallet: string; name?: string }) => (
  <a href={encoded`/operator/accounts/${wallet}`} title={wallet}>
    {name ? <bdi>{plain(name)}</bdi> : <code>{shortWallet(wallet)}</code>}
  </a>
);

/** When something was, as all lists of operators say it; the exact time is its title. */
export const When = ({ at }: { at: string | null }) =>
  at ? (
    <time class="nowrap" dateTime={at} title={moment(at)}>
      {ago(at)}
    </time>
  ) : null;

/** A worker by its name, and its page while it is connected. */
export const WorkerLink = ({ id, name }: { id?: string | null; name?: string | null }) =>
  id && name ? (
    <a href={encoded`/operator/workers/${id}`}>
      <bdi>{plain(name)}</bdi>
    </a>
  ) : id ? (
    <span class="muted" title={id}>
      {text.jobs.workerGone}
    </span>
  ) : null;

/** The way to a workflow: its page where it belongs to this account, else its jobs. */
export const workflowPath = (id: string, owner: string) =>
  owner.toLowerCase() === session.value?.walletAddress.toLowerCase()
    ? encoded`/workflows/${id}`
    : encoded`/operator/jobs?workflowId=${id}`;

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

/** A form in a dialog, with a reason that is stored with the action. */
export function ActionDialog({
  title,
  about,
  confirm,
  danger,
  reasonHelp = text.reasonHelp,
  children,
  onClose,
  run,
  onProblem,
}: {
  title: string;
  about?: string;
  /** Who sees the reason. */
  reasonHelp?: string;
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
        <TextField label={text.reason} help={reasonHelp} value={reason} onInput={setReason} maxLength={500} optional />
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
