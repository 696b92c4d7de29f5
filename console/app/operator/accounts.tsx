// Accounts: the list, a new one, and one with its money, plan, keys and history.

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { ApiError, call, encoded, get, post, randomId } from "../api";
import { amount, day, moment, words } from "../format";
import { useData, usePages, useSettled } from "../hooks";
import { Chip, Status } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Dialog } from "../parts/dialog";
import { Fact } from "../parts/fact";
import { CheckField, SelectField, TextField } from "../parts/field";
import { Failure } from "../parts/notice";
import { toastError } from "../parts/toast";
import { text } from "../texts/operator";
import type { Account, OperatorKey } from "../types";
import { Actions, Jobs } from "./lists";
import { ActionDialog, Table } from "./parts";

const labels = text.accounts;

const plans: { value: Account["plan"]; label: string }[] = [
  { value: "none", label: "None" },
  { value: "unlimited", label: "Unlimited" },
  { value: "unlimited_pro", label: "Unlimited Pro" },
];
const statuses: Account["planStatus"][] = [
  "active",
  "trialing",
  "cancel_at_period_end",
  "grace_period",
  "past_due",
  "expired",
  "canceled",
  "none",
];

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
          placeholder={labels.filter}
          value={q}
          maxLength={64}
          onInput={(e) => route(`${path}?${new URLSearchParams({ q: e.currentTarget.value })}`, true)}
        />
        <button class="primary" onClick={() => setCreating(true)}>
          {labels.create}
        </button>
      </div>
      <Table
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
                ""
              ) : (
                <>
                  {words(a.plan)} <Status status={a.planStatus} />
                </>
              ),
          },
          { name: labels.spark, number: true, cell: (a) => amount(a.spark) },
          { name: labels.svc, number: true, cell: (a) => amount(a.svc) },
          {
            name: "",
            cell: (a) => (
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

function Roles({ account }: { account: Account }) {
  return (
    <>
      {account.suspended && <Chip tone="bad">{labels.suspended}</Chip>}
      {account.operator && <Chip tone="accent">{text.title.toLowerCase()}</Chip>}
      {account.worker && <Chip>worker</Chip>}
      {account.unfiltered && <Chip tone="warn">unfiltered</Chip>}
    </>
  );
}

function NewKey({ title, apiKey, onClose }: { title: string; apiKey: string; onClose: () => void }) {
  return (
    <Dialog title={title} onClose={onClose} closable={false}>
      <p>{labels.keyShown}</p>
      <p class="secret">
        <code>{apiKey}</code>
        <CopyButton value={apiKey} />
      </p>
      <footer>
        <button class="primary" onClick={onClose}>
          {labels.saved}
        </button>
      </footer>
    </Dialog>
  );
}

const nothingToAdd = new Error();

/** Fields for amounts; an empty one is left out of the request. */
function useAmounts() {
  const [amounts, set] = useState({ spark: "", premiumSpark: "", svc: "" });
  const [wrong, setWrong] = useState<{ field: string; message: string }>();
  const names = { spark: labels.spark, premiumSpark: labels.premium, svc: labels.svc };
  const fields = (Object.keys(names) as (keyof typeof names)[]).map((name) => (
    <TextField
      key={name}
      label={names[name]}
      value={amounts[name]}
      error={wrong?.field === name ? wrong.message : undefined}
      onInput={(value) => {
        set((old) => ({ ...old, [name]: value }));
        setWrong(undefined);
      }}
      placeholder="0"
      optional
    />
  ));
  /** Shows what is wrong with an amount at its field. */
  const onProblem = (problem: Error) => {
    const field = problem instanceof ApiError ? problem.field : problem === nothingToAdd ? "spark" : "";
    if (!(field in names)) return false;
    setWrong({
      field,
      message:
        problem === nothingToAdd
          ? labels.nothingToAdd
          : problem.message.replace(new RegExp(`^${field}\\b`), names[field as keyof typeof names]),
    });
    return true;
  };
  const body = Object.fromEntries(Object.entries(amounts).filter(([, value]) => value.trim()));
  return { fields: <div class="three">{fields}</div>, body, onProblem };
}

function Create({ onClose, onCreated }: { onClose: () => void; onCreated: (apiKey: string) => void }) {
  const [form, setForm] = useState({
    walletAddress: "",
    username: "",
    plan: "none",
    worker: false,
    unfiltered: false,
    operator: false,
  });
  const amounts = useAmounts();
  const set = (part: Partial<typeof form>) => setForm((old) => ({ ...old, ...part }));
  const run = async (reason: string) => {
    const { walletAddress, username, ...rest } = form;
    const { apiKey } = await post("/v1/operator/accounts", {
      ...rest,
      ...amounts.body,
      walletAddress: walletAddress || undefined,
      username: username || undefined,
      reason: reason || undefined,
    });
    onCreated(apiKey);
  };
  return (
    <ActionDialog
      title={labels.create}
      confirm={labels.create}
      onClose={onClose}
      onProblem={amounts.onProblem}
      run={run}>
      <TextField label={labels.username} value={form.username} onInput={(username) => set({ username })} optional />
      <TextField
        label={labels.wallet}
        help={labels.walletHelp}
        value={form.walletAddress}
        onInput={(walletAddress) => set({ walletAddress })}
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

type Open = "" | "credit" | "plan" | "suspend" | "revokeAll" | "role" | "nft";

export function AccountPage({ wallet }: { wallet: string }) {
  const path = { wallet };
  const account = useData((signal) => get("/v1/operator/accounts/{wallet}", { path, signal }), [wallet]);
  const [open, setOpen] = useState<Open>("");
  const a = account.data?.account;
  if (account.error) return <Failure error={account.error} retry={account.reload} />;
  if (!a) return <div class="waiting tall" />;
  const act = (work: (reason: { reason?: string }) => Promise<unknown>) => async (reason: string) => {
    await work({ reason: reason || undefined });
    account.reload();
  };
  const reinstate = act((reason) => post("/v1/operator/accounts/{wallet}/reinstate", reason, { path }));
  const suspend = act((reason) => post("/v1/operator/accounts/{wallet}/suspend", reason, { path }));
  const changeRole = act((reason) =>
    call("PUT", "/v1/operator/accounts/{wallet}/operator", { path, body: { operator: !a.operator, ...reason } }),
  );
  const addCredit = (amounts: object, idempotencyKey: string) =>
    act((reason) => post("/v1/operator/accounts/{wallet}/credit", { ...amounts, ...reason }, { path, idempotencyKey }));
  const setPlan = (plan: object) =>
    act((reason) => call("PUT", "/v1/operator/accounts/{wallet}/plan", { path, body: { ...plan, ...reason } }));
  const addNFT = (nftTokenId: string) =>
    act((reason) =>
      call("PUT", "/v1/operator/accounts/{wallet}/nfts/{nftTokenId}", { path: { wallet, nftTokenId }, body: reason }),
    );
  const removeNFT = (nftTokenId: string) =>
    call("DELETE", "/v1/operator/accounts/{wallet}/nfts/{nftTokenId}", { path: { wallet, nftTokenId } }).then(
      account.reload,
      toastError,
    );
  const revokeAll = () => call("DELETE", "/v1/operator/accounts/{wallet}/keys", { path });
  const close = () => setOpen("");
  return (
    <section class="stack">
      <header class="row">
        <h2 class="grow">
          {a.username} <Roles account={a} />
        </h2>
        <button class="quiet" onClick={() => setOpen("credit")}>
          {labels.credit}
        </button>
        <button class="quiet" onClick={() => setOpen("plan")}>
          {labels.setPlan}
        </button>
        <button class="quiet" onClick={() => setOpen("role")}>
          {a.operator ? labels.endOperator : labels.makeOperator}
        </button>
        {a.suspended ? (
          <button class="quiet" onClick={() => void reinstate("").catch(toastError)}>
            {labels.reinstate}
          </button>
        ) : (
          <button class="quiet" onClick={() => setOpen("suspend")}>
            {labels.suspend}
          </button>
        )}
      </header>
      <p class="row muted">
        <code class="cut">{a.walletAddress}</code>
        <CopyButton value={a.walletAddress} />
      </p>
      <dl class="facts panel">
        <Fact name={labels.spark}>{amount(a.spark)}</Fact>
        <Fact name={labels.premium}>{amount(a.premiumSpark)}</Fact>
        <Fact name={labels.svc}>{amount(a.svc)}</Fact>
        <Fact name={labels.plan}>
          {a.plan === "none" ? (
            labels.noPlan
          ) : (
            <>
              {words(a.plan)} <Status status={a.planStatus} />
            </>
          )}
        </Fact>
        {a.periodEnd && <Fact name={labels.periodEnd}>{moment(a.periodEnd)}</Fact>}
        <Fact name={labels.created}>{moment(a.createdAt)}</Fact>
      </dl>
      <AccountKeys wallet={wallet} onRevokeAll={() => setOpen("revokeAll")} key={open} />
      {(a.worker || a.nftTokenIds.length > 0) && (
        <NFTs ids={a.nftTokenIds} onAdd={() => setOpen("nft")} onRemove={(id) => void removeNFT(id)} />
      )}
      <section class="panel stack">
        <h2>{labels.jobs}</h2>
        <Jobs wallet={a.walletAddress} />
      </section>
      <section class="panel stack">
        <h2>{labels.actions}</h2>
        <Actions wallet={a.walletAddress} />
      </section>
      {open === "credit" && <CreditDialog onClose={close} run={addCredit} />}
      {open === "plan" && <PlanDialog account={a} onClose={close} run={setPlan} />}
      {open === "suspend" && (
        <ActionDialog
          title={labels.suspendTitle}
          about={labels.suspendText}
          confirm={labels.suspend}
          danger
          onClose={close}
          run={suspend}
        />
      )}
      {open === "role" && (
        <ActionDialog
          title={a.operator ? labels.endOperator : labels.makeOperator}
          confirm={text.confirm}
          onClose={close}
          run={changeRole}
        />
      )}
      {open === "nft" && <NFTDialog onClose={close} run={addNFT} />}
      {open === "revokeAll" && (
        <ActionDialog
          title={labels.revokeAll}
          about={labels.revokeAllText}
          confirm={labels.revokeAll}
          danger
          onClose={close}
          run={revokeAll}
        />
      )}
    </section>
  );
}

function CreditDialog({
  onClose,
  run,
}: {
  onClose: () => void;
  run: (body: object, intent: string) => (reason: string) => Promise<void>;
}) {
  const amounts = useAmounts();
  const [intent] = useState(randomId);
  const add = async (reason: string) => {
    if (!Object.keys(amounts.body).length) throw nothingToAdd;
    await run(amounts.body, intent)(reason);
  };
  return (
    <ActionDialog
      title={labels.credit}
      confirm={labels.credit}
      onClose={onClose}
      onProblem={amounts.onProblem}
      run={add}>
      {amounts.fields}
    </ActionDialog>
  );
}

/** The NFTs that workers of the account may name. */
function NFTs({ ids, onAdd, onRemove }: { ids: string[]; onAdd: () => void; onRemove: (id: string) => void }) {
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{labels.nfts}</h2>
        <button class="quiet" onClick={onAdd}>
          {labels.addNFT}
        </button>
      </header>
      <p class="small muted">{ids.length ? labels.nftsHelp : labels.noNFTs}</p>
      <ul class="keys">
        {ids.map((id) => (
          <li key={id}>
            <code class="grow cut">{id}</code>
            <button class="quiet" onClick={() => onRemove(id)}>
              {labels.removeNFT}
              <span class="offscreen"> {id}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NFTDialog({ onClose, run }: { onClose: () => void; run: (id: string) => (reason: string) => Promise<void> }) {
  const [id, setId] = useState("");
  return (
    <ActionDialog
      title={labels.addNFT}
      about={labels.addNFTText}
      confirm={labels.addNFT}
      onClose={onClose}
      run={run(id.trim())}>
      <TextField label={labels.nftId} value={id} onInput={setId} maxLength={40} />
    </ActionDialog>
  );
}

function PlanDialog({
  account,
  onClose,
  run,
}: {
  account: Account;
  onClose: () => void;
  run: (body: object) => (reason: string) => Promise<void>;
}) {
  const [plan, setPlan] = useState(account.plan);
  const [status, setStatus] = useState<Account["planStatus"]>(
    account.planStatus === "none" ? "active" : account.planStatus,
  );
  const [end, setEnd] = useState("");
  const body = {
    plan,
    status: plan === "none" ? undefined : status,
    periodEnd: end ? new Date(end).toISOString() : undefined,
  };
  return (
    <ActionDialog title={labels.setPlan} confirm={labels.setPlan} onClose={onClose} run={run(body)}>
      <SelectField label={labels.plan} value={plan} onInput={setPlan} options={plans} />
      {plan !== "none" && (
        <SelectField
          label={labels.status}
          value={status}
          onInput={setStatus}
          options={statuses.map((value) => ({ value, label: words(value) }))}
        />
      )}
      {plan !== "none" && (
        <TextField
          label={labels.periodEnd}
          help={labels.periodEndHelp}
          type="datetime-local"
          value={end}
          onInput={setEnd}
          optional
        />
      )}
    </ActionDialog>
  );
}

function AccountKeys({ wallet, onRevokeAll }: { wallet: string; onRevokeAll: () => void }) {
  const keys = usePages(
    async (cursor, signal) => {
      const page = await get("/v1/operator/accounts/{wallet}/keys", { path: { wallet }, query: { cursor }, signal });
      return { items: page.keys, nextCursor: page.nextCursor };
    },
    [wallet],
  );
  const [fresh, setFresh] = useState<string>();
  const make = async () => {
    try {
      setFresh((await post("/v1/operator/accounts/{wallet}/keys", { name: "" }, { path: { wallet } })).key.apiKey);
      keys.reload();
    } catch (error) {
      toastError(error);
    }
  };
  const revoke = async (key: OperatorKey) => {
    try {
      await call("DELETE", "/v1/operator/accounts/{wallet}/keys/{id}", { path: { wallet, id: key.keyId } });
      keys.reload();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">{labels.keys}</h2>
        <button class="quiet" onClick={() => void make()}>
          {labels.newKey}
        </button>
        <button class="quiet" onClick={onRevokeAll}>
          {labels.revokeAll}
        </button>
      </header>
      <Table
        list={keys}
        keyOf={(k) => k.keyId}
        none=""
        columns={[
          { name: labels.keys, cell: (k) => <code>{k.hint}</code> },
          { name: labels.keyName, cell: (k) => k.name || <span class="muted">{labels.unnamed}</span> },
          { name: labels.created, cell: (k) => moment(k.createdAt) },
          { name: labels.lastUsed, cell: (k) => (k.lastUsedAt ? moment(k.lastUsedAt) : labels.neverUsed) },
          {
            name: "",
            cell: (k) =>
              k.revokedAt ? (
                <Chip tone="bad">{labels.revoked(moment(k.revokedAt))}</Chip>
              ) : (
                <button class="quiet" onClick={() => void revoke(k)}>
                  {labels.revoke}
                  <span class="offscreen"> {k.hint}</span>
                </button>
              ),
          },
        ]}
      />
      {fresh && <NewKey title={labels.keyCreated} apiKey={fresh} onClose={() => setFresh(undefined)} />}
    </section>
  );
}
