// The account: API keys, session tokens, and this session.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { del, get, patch, post } from "../api";
import { ago, moment, plain } from "../format";
import { useData, useTitle, type Resource } from "../hooks";
import { AccountActions } from "../parts/account-actions";
import { BrowserSettings } from "../parts/browser";
import { Chip } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { ask, Dialog } from "../parts/dialog";
import { SelectField } from "../parts/field";
import { useHeir } from "../parts/heir";
import { CreateKey, LimitKey } from "../parts/key-dialogs";
import { describeLimits } from "../parts/key-limits";
import { Failure } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { useQuery } from "../query";
import { session, signOut } from "../session";
import { text } from "../texts/keys";
import { text as common } from "../texts/shell";
import type { APIKey, APIKeys, SessionToken } from "../types";

export default function Account() {
  useTitle(text.title);
  const me = session.value!;
  const keys = useData((signal) => get("/v1/account/keys", { signal }), []);
  return (
    <>
      <header class="page-head">
        <h1>{text.title}</h1>
      </header>
      <p class="row muted page-about">
        {me.username && (
          <strong>
            <bdi>{plain(me.username)}</bdi>
          </strong>
        )}
        <code title={text.wallet} class="wallet">
          {me.walletAddress}
        </code>
        <CopyButton value={me.walletAddress} />
      </p>
      <div class="stack">
        <KeyList keys={keys} />
        <Tokens />
        <Sessions count={keys.data?.consoleSessions} />
        <AccountActions keys={keys.data?.keys} />
        <BrowserSettings />
        <p class="muted small">
          <a href="/usage">{text.usage}</a>
        </p>
      </div>
    </>
  );
}

function KeyList({ keys }: { keys: Resource<APIKeys> }) {
  const [query, change] = useQuery();
  const setCreating = (creating: boolean) => change({ new: creating ? "key" : undefined });
  const [fresh, setFresh] = useState<string>();
  const { list, heir } = useHeir<HTMLElement, HTMLHeadingElement>();

  const revoke = async (key: APIKey) => {
    const name = key.name || text.unnamed;
    const used = key.lastUsedAt ? text.revokeUsed(ago(key.lastUsedAt)) : text.revokeUnused;
    const yes = await ask({
      title: text.revokeTitle(name),
      body: (
        <>
          <p>{used}</p>
          {key.current && (
            <p>
              <strong>{text.revokeCurrent}</strong>
            </p>
          )}
        </>
      ),
      confirm: text.revoke,
      danger: true,
    });
    if (!yes) return;
    try {
      await del("/v1/account/keys/{id}", { path: { id: key.keyId } });
      toast(text.isRevoked(name));
      keys.reload();
    } catch (error) {
      toastError(error);
    }
  };

  return (
    <section class="panel stack" ref={list}>
      <header class="row">
        <h2 class="grow" ref={heir} tabIndex={-1}>
          {text.keys}
        </h2>
        <button class="primary" onClick={() => setCreating(true)}>
          {text.create}
        </button>
      </header>
      <p class="small muted">{text.keysHelp}</p>
      {keys.error && <Failure error={keys.error} retry={keys.reload} />}
      {keys.data && (
        <ul class="keys">
          {keys.data.keys.map((key) => (
            <KeyRow key={key.keyId} item={key} onRevoke={() => void revoke(key)} onChange={keys.reload} />
          ))}
        </ul>
      )}
      {query.new === "key" && (
        <CreateKey
          create={async (body, idempotencyKey) => {
            const { key } = await post("/v1/account/keys", body, { idempotencyKey });
            setCreating(false);
            setFresh(key.apiKey ?? "");
            keys.reload();
          }}
          onClose={() => setCreating(false)}
        />
      )}
      {fresh && (
        <Dialog title={text.newKey} onClose={() => setFresh(undefined)} closable={false}>
          <p>{text.newKeyHelp}</p>
          <p class="secret">
            <code>{fresh}</code>
            <CopyButton value={fresh} />
          </p>
          <footer>
            <button class="primary" onClick={() => setFresh(undefined)}>
              {text.saved}
            </button>
          </footer>
        </Dialog>
      )}
    </section>
  );
}

function KeyRow({ item, onRevoke, onChange }: { item: APIKey; onRevoke: () => void; onChange: () => void }) {
  const [name, setName] = useState<string>();
  const [limiting, setLimiting] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const rename = useRef<HTMLButtonElement>(null);
  const isOpen = name !== undefined;
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    if (isOpen) field.current!.select();
    else if (wasOpen.current) rename.current!.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await patch("/v1/account/keys/{id}", { name: name! }, { path: { id: item.keyId } });
      setName(undefined);
      onChange();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <li>
      {name === undefined ? (
        <div class="grow">
          <p class="row">
            <strong class="cut">{item.name || text.unnamed}</strong>
            <code class="muted">{item.hint}</code>
            {item.current && <Chip tone="good">{text.current}</Chip>}
          </p>
          <p class="small muted">
            {text.created} {moment(item.createdAt)} · {text.lastUsed}{" "}
            {item.lastUsedAt ? (
              <span title={moment(item.lastUsedAt)}>
                {ago(item.lastUsedAt)}
                {item.lastUsedBy && ` ${text.by(item.lastUsedBy)}`}
              </span>
            ) : (
              text.never
            )}
          </p>
          {item.limits && <p class="small muted">{describeLimits(item.limits)}</p>}
        </div>
      ) : (
        <form class="row grow" onSubmit={save} onKeyDown={(e) => e.key === "Escape" && setName(undefined)}>
          <input
            ref={field}
            class="grow"
            aria-label={text.name}
            value={name}
            maxLength={100}
            onInput={(e) => setName(e.currentTarget.value)}
          />
          <button class="primary" type="submit">
            {text.save}
          </button>
          <button class="quiet" type="button" onClick={() => setName(undefined)}>
            {common.cancel}
          </button>
        </form>
      )}
      {name === undefined && (
        <button class="quiet" ref={rename} onClick={() => setName(item.name)}>
          {text.rename}
          <span class="offscreen"> {item.name || item.hint}</span>
        </button>
      )}
      {name === undefined && (
        <button class="quiet" onClick={() => setLimiting(true)}>
          {text.limits}
          <span class="offscreen"> {item.name || item.hint}</span>
        </button>
      )}
      {limiting && (
        <LimitKey
          name={item.name}
          limits={item.limits}
          save={async (limits) => {
            await patch("/v1/account/keys/{id}", { limits }, { path: { id: item.keyId } });
            setLimiting(false);
            onChange();
          }}
          onClose={() => setLimiting(false)}
        />
      )}
      {name === undefined && (
        <button class="quiet danger" onClick={onRevoke}>
          {text.revoke}
          <span class="offscreen"> {item.name || item.hint}</span>
        </button>
      )}
    </li>
  );
}

function Tokens() {
  const [seconds, setSeconds] = useState("3600");
  const [token, setToken] = useState<SessionToken>();
  const make = async () => {
    try {
      setToken((await post("/v1/account/tokens", { ttlSeconds: Number(seconds) })).token);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="panel stack">
      <h2>{text.tokens}</h2>
      <p class="small muted">{text.tokensHelp}</p>
      <div class="row token-form">
        <SelectField
          label={text.lifetime}
          value={seconds}
          onInput={setSeconds}
          options={[
            { value: "900", label: text.minutes(15) },
            { value: "3600", label: text.hours(1) },
            { value: "28800", label: text.hours(8) },
          ]}
        />
        <button class="quiet" onClick={() => void make()}>
          {text.makeToken}
        </button>
      </div>
      {token && (
        <div>
          <p class="secret">
            <code>{token.token}</code>
            <CopyButton value={token.token} />
          </p>
          <p class="small muted">
            {text.until} {moment(token.expiresAt)}
          </p>
        </div>
      )}
    </section>
  );
}

function Sessions({ count }: { count?: number }) {
  const end = async () => {
    const body = (
      <>
        <p>{text.endText}</p>
        <p>
          <strong>{text.endCurrent}</strong>
        </p>
      </>
    );
    if (!(await ask({ title: text.endTitle, body, confirm: text.endAll, danger: true }))) return;
    await signOut(true).catch(toastError);
  };
  return (
    <section class="panel stack">
      <header class="row">
        <h2 class="grow">
          {text.sessions} {count !== undefined && <span class="muted">{count}</span>}
        </h2>
        <button class="quiet" onClick={() => void end()}>
          {text.endAll}
        </button>
      </header>
      {count !== undefined && <p>{text.sessionsOpen(count)}</p>}
      <p class="small muted">{text.sessionsHelp}</p>
    </section>
  );
}
