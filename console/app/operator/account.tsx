// An account with its money, plan, keys and history.

import { useState } from "preact/hooks";
import { del, get, post, put } from "../api";
import { amount, moment, words } from "../format";
import { useData, usePages } from "../hooks";
import { Chip, Status } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
import { useHeir } from "../parts/heir";
import { CreateKey, LimitKey } from "../parts/key-dialogs";
import { describeLimits } from "../parts/key-limits";
import { Failure, Notice } from "../parts/notice";
import { PagedTable } from "../parts/table";
import { toast, toastError } from "../parts/toast";
import { text as keyText } from "../texts/keys";
import { text } from "../texts/operator";
import type { Account, AccountMonth, OperatorKey } from "../types";
import { accountDialogs } from "./account-dialogs";
import { NewKey, Roles } from "./account-parts";
import { Actions } from "./actions";
import { Jobs } from "./jobs";

const labels = text.accounts;

type Action = keyof typeof accountDialogs;

export function AccountPage({ wallet }: { wallet: string }) {
  const path = { wallet };
  const loaded = useData((signal) => get("/v1/operator/accounts/{wallet}", { path, signal }), [wallet]);
  const [open, setOpen] = useState<Action>();
  const [done, setDone] = useState(0); // actions, which the list below then has
  const account = loaded.data?.account;
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />;
  if (!account) return <div class="waiting tall" />;
  const removeNFT = (nftTokenId: string) =>
    del("/v1/operator/accounts/{wallet}/nfts/{nftTokenId}", { path: { wallet, nftTokenId } }).then(
      loaded.reload,
      toastError,
    );
  const Dialog = open && accountDialogs[open];
  return (
    <section class="stack">
      <Head account={account} onOpen={setOpen} />
      {account.suspended && <Suspended wallet={wallet} />}
      <p class="row muted">
        <code class="cut">{account.walletAddress}</code>
        <CopyButton value={account.walletAddress} />
      </p>
      <Facts account={account} month={loaded.data!.month} />
      <AccountKeys wallet={wallet} suspended={account.suspended} onRevokeAll={() => setOpen("revokeAll")} key={open} />
      {(account.worker || account.nftTokenIds.length > 0) && (
        <NFTs ids={account.nftTokenIds} onAdd={() => setOpen("nft")} onRemove={(id) => void removeNFT(id)} />
      )}
      <section class="panel stack">
        <h2>{labels.jobs}</h2>
        <Jobs wallet={account.walletAddress} />
      </section>
      <section class="panel stack">
        <h2>{labels.actions}</h2>
        <Actions wallet={account.walletAddress} key={done} />
      </section>
      {Dialog && (
        <Dialog
          account={account}
          onClose={() => setOpen(undefined)}
          onDone={(said) => {
            toast(said);
            setDone((n) => n + 1);
            loaded.reload();
          }}
        />
      )}
    </section>
  );
}

/** Why an account is suspended, where an operator gave a reason. */
function Suspended({ wallet }: { wallet: string }) {
  const found = useData(
    async (signal) =>
      (await get("/v1/operator/actions", { query: { wallet, action: "suspend", limit: 1 }, signal })).actions[0],
    [wallet],
  );
  return found.data?.reason ? <Notice tone="warn">{labels.suspendedFor(found.data.reason)}</Notice> : null;
}

interface HeadProps {
  account: Account;
  onOpen: (action: Action) => void;
}

function Head({ account, onOpen }: HeadProps) {
  return (
    <header class="row">
      <h2 class="grow row">
        {account.username} <Roles account={account} />
      </h2>
      <span class="row">
        <button class="quiet" onClick={() => onOpen("credit")}>
          {labels.credit}
        </button>
        <button class="quiet" onClick={() => onOpen("plan")}>
          {labels.setPlan}
        </button>
        <button class="quiet" onClick={() => onOpen("role")}>
          {account.operator ? labels.endOperator : labels.makeOperator}
        </button>
        {account.suspended ? (
          <button class="quiet" onClick={() => onOpen("reinstate")}>
            {labels.reinstate}
          </button>
        ) : (
          <button class="quiet" onClick={() => onOpen("suspend")}>
            {labels.suspend}
          </button>
        )}
      </span>
    </header>
  );
}

function Facts({ account: a, month: m }: { account: Account; month: AccountMonth }) {
  const hasCost = Number(m.spark) > 0 || Number(m.svc) === 0;
  return (
    <div class="panel">
      <dl class="facts two">
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
        <Fact name={labels.month}>
          {labels.work(m.jobs)}
          {hasCost && ` · ${amount(m.spark)} Spark`}
          {Number(m.svc) > 0 && ` · ${amount(m.svc)} SVC`}
        </Fact>
        {m.planJobs > 0 && (
          <Fact name={labels.monthByPlan}>
            {labels.work(m.planJobs)} · {amount(m.planSpark)} Spark
          </Fact>
        )}
      </dl>
    </div>
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

interface KeysProps {
  wallet: string;
  /** It gets no new keys. */
  suspended: boolean;
  onRevokeAll: () => void;
}

function AccountKeys({ wallet, suspended, onRevokeAll }: KeysProps) {
  const keys = usePages(
    async (cursor, signal) => {
      const page = await get("/v1/operator/accounts/{wallet}/keys", { path: { wallet }, query: { cursor }, signal });
      return { items: page.keys, nextCursor: page.nextCursor };
    },
    [wallet],
  );
  const [creating, setCreating] = useState(false);
  const [limiting, setLimiting] = useState<OperatorKey>();
  const [fresh, setFresh] = useState<string>();
  const { list, heir } = useHeir<HTMLElement, HTMLHeadingElement>();
  const revoke = async (key: OperatorKey) => {
    try {
      await del("/v1/operator/accounts/{wallet}/keys/{id}", { path: { wallet, id: key.keyId } });
      toast(labels.keyRevoked(key.name || key.hint));
      keys.reload();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="panel stack" ref={list}>
      <header class="row">
        <h2 class="grow" ref={heir} tabIndex={-1}>
          {labels.keys}
        </h2>
        <span class="row">
          {!suspended && (
            <button class="quiet" onClick={() => setCreating(true)}>
              {labels.newKey}
            </button>
          )}
          <button class="quiet" onClick={onRevokeAll}>
            {labels.revokeAll}
          </button>
        </span>
      </header>
      <PagedTable
        label={labels.keys}
        list={keys}
        keyOf={(k) => k.keyId}
        none=""
        columns={[
          { name: labels.key, cell: (k) => <code>{k.hint}</code> },
          { name: labels.keyName, cell: (k) => k.name || <span class="muted">{labels.unnamed}</span> },
          {
            name: keyText.limits,
            cell: (k) => k.limits && <span class="small excerpt">{describeLimits(k.limits)}</span>,
          },
          { name: labels.created, cell: (k) => moment(k.createdAt) },
          { name: labels.lastUsed, cell: (k) => (k.lastUsedAt ? moment(k.lastUsedAt) : labels.neverUsed) },
          {
            name: "",
            cell: (k) =>
              k.revokedAt ? (
                <Chip tone="bad">{labels.revoked(moment(k.revokedAt))}</Chip>
              ) : (
                <span class="row">
                  <button class="quiet" onClick={() => setLimiting(k)}>
                    {keyText.limits}
                    <span class="offscreen"> {k.hint}</span>
                  </button>
                  <button class="quiet" onClick={() => void revoke(k)}>
                    {labels.revoke}
                    <span class="offscreen"> {k.hint}</span>
                  </button>
                </span>
              ),
          },
        ]}
      />
      {limiting && (
        <LimitKey
          name={limiting.name}
          limits={limiting.limits}
          save={async (limits) => {
            const path = { wallet, id: limiting.keyId };
            await put("/v1/operator/accounts/{wallet}/keys/{id}/limits", { limits: limits ?? undefined }, { path });
            setLimiting(undefined);
            keys.reload();
          }}
          onClose={() => setLimiting(undefined)}
        />
      )}
      {creating && (
        <CreateKey
          create={async (body) => {
            const { key } = await post("/v1/operator/accounts/{wallet}/keys", body, { path: { wallet } });
            setCreating(false);
            setFresh(key.apiKey);
            keys.reload();
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {fresh && <NewKey title={labels.keyCreated} apiKey={fresh} onClose={() => setFresh(undefined)} />}
    </section>
  );
}
