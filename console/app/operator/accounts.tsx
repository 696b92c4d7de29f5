// Accounts: the list, and a new one.

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { ApiError, encoded, get, post } from "../api";
import { amount, day, words } from "../format";
import { usePages, useSettled } from "../hooks";
import { Status } from "../parts/chip";
import { CheckField, SelectField, TextField } from "../parts/field";
import { text } from "../texts/operator";
import type { Account } from "../types";
import { hasRoles, NewKey, plans, Roles, useAmounts } from "./account-parts";
import { PagedTable } from "../parts/table";
import { ActionDialog } from "./parts";

const labels = text.accounts;

export function Accounts() {
  const { query, path, route } = useLocation();
  const q = query.q ?? "";
  const settled = useSettled(q, 250);
  const [creating, setCreating] = useState(false);
  const [key, setKey] = useState<string>();
  const list = usePages<Account>(
    async (cursor, signal) => {
      const page = await get("/v1/operator/accounts", { query: { q: settled, cursor, limit: 100 }, signal });
      return { items: page.accounts, nextCursor: page.nextCursor };
    },
    [settled],
  );
  return (
    <section class="stack">
      <div class="row">
        <input
          class="grow"
          type="search"
          aria-label={labels.filter}
          placeholder={labels.filterHint}
          value={q}
          maxLength={64}
          onInput={(e) => route(`${path}?${new URLSearchParams({ q: e.currentTarget.value })}`, true)}
        />
        <button class="primary" onClick={() => setCreating(true)}>
          {labels.create}
        </button>
      </div>
      <PagedTable
        label={text.areas.accounts}
        list={list}
        keyOf={(a) => a.walletAddress}
        none={labels.none}
        columns={[
          {
            name: labels.username,
            cell: (a) => <a href={encoded`/operator/accounts/${a.walletAddress}`}>{a.username}</a>,
          },
          {
            name: labels.plan,
            cell: (a) =>
              a.plan === "none" ? (
                <span class="muted">{labels.noPlan}</span>
              ) : (
                <>
                  {words(a.plan)} <Status status={a.planStatus} />
                </>
              ),
          },
          { name: labels.spark, number: true, cell: (a) => amount(a.spark) },
          { name: labels.svc, number: true, cell: (a) => amount(a.svc) },
          {
            name: labels.roles,
            cell: (a) =>
              hasRoles(a) && (
                <span class="row">
                  <Roles account={a} />
                </span>
              ),
          },
          { name: labels.created, cell: (a) => day(a.createdAt) },
        ]}
      />
      {creating && (
        <Create
          onClose={() => setCreating(false)}
          onCreated={(apiKey) => {
            setKey(apiKey);
            list.reload();
          }}
        />
      )}
      {key && <NewKey title={labels.accountCreated} apiKey={key} onClose={() => setKey(undefined)} />}
    </section>
  );
}

function Create({ onClose, onCreated }: { onClose: () => void; onCreated: (apiKey: string) => void }) {
  const [form, setForm] = useState({
    walletAddress: "",
    username: "",
    plan: "none" as Account["plan"],
    worker: false,
    unfiltered: false,
    operator: false,
  });
  const amounts = useAmounts();
  const [wrong, setWrong] = useState<ApiError>();
  const set = (part: Partial<typeof form>) => {
    setForm((old) => ({ ...old, ...part }));
    setWrong(undefined);
  };
  const names: Record<string, string> = { username: labels.username, walletAddress: labels.wallet };
  const errorAt = (field: string) =>
    wrong?.field === field ? wrong.message.replace(new RegExp(`^${field}\\b`), names[field]) : undefined;
  const onProblem = (problem: Error) => {
    if (!(problem instanceof ApiError && problem.field in names)) return amounts.onProblem(problem);
    setWrong(problem);
    return true;
  };
  const run = async (reason?: string) => {
    const { walletAddress, username, ...rest } = form;
    const { apiKey } = await post("/v1/operator/accounts", {
      ...rest,
      ...amounts.body,
      walletAddress: walletAddress || undefined,
      username: username || undefined,
      reason,
    });
    onCreated(apiKey);
  };
  return (
    <ActionDialog title={labels.create} confirm={labels.create} onClose={onClose} onProblem={onProblem} run={run}>
      <TextField
        label={labels.username}
        value={form.username}
        onInput={(username) => set({ username })}
        error={errorAt("username")}
        optional
      />
      <TextField
        label={labels.wallet}
        help={labels.walletHelp}
        value={form.walletAddress}
        onInput={(walletAddress) => set({ walletAddress })}
        error={errorAt("walletAddress")}
        optional
      />
      {amounts.fields}
      <SelectField label={labels.plan} value={form.plan} onInput={(plan) => set({ plan })} options={plans} />
      <CheckField label={labels.worker} value={form.worker} onInput={(worker) => set({ worker })} />
      <CheckField label={labels.unfiltered} value={form.unfiltered} onInput={(unfiltered) => set({ unfiltered })} />
      <CheckField label={labels.operator} value={form.operator} onInput={(operator) => set({ operator })} />
    </ActionDialog>
  );
}
