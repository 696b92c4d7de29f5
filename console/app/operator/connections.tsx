// The servers that the service uses: what is connected, whether it answers, and finding others.

import { useState } from "preact/hooks";
import { del, get, post } from "../api";
import { ago } from "../format";
import { useData } from "../hooks";
import { Chip } from "../parts/chip";
import { useHeir } from "../parts/heir";
import { Empty, Failure, Notice } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { text as all } from "../texts/operator";
import type { Connection, FoundServer } from "../types";
import { addressOf, draftOfServer, emptyDraft, isConnected, kinds, modelsOf, type Draft } from "./connection-draft";
import { ConnectionForm } from "./connection-form";
import { ActionDialog } from "./parts";

const text = all.connections;

type Open = { start: Draft } | { change: Connection } | { remove: Connection };

export function Connections() {
  const list = useData((signal) => get("/v1/operator/connections", { signal }), []);
  const [open, setOpen] = useState<Open>();
  const [found, setFound] = useState<FoundServer[]>();
  const [busy, setBusy] = useState("");
  const work = async (what: string, run: () => Promise<void>) => {
    setBusy(what);
    try {
      await run();
    } catch (error) {
      toastError(error);
    }
    setBusy("");
  };
  const find = () => work("find", async () => setFound((await post("/v1/operator/connections/discover", {})).servers));
  const check = () =>
    work("check", async () => {
      await get("/v1/operator/connections", { query: { check: "true" } });
      list.reload();
    });
  const { list: section, heir } = useHeir<HTMLElement, HTMLParagraphElement>();
  const connections = list.data?.connections;
  const own = connections?.filter(isConnected);
  return (
    <section class="stack" ref={section}>
      <p class="muted" ref={heir} tabIndex={-1}>
        {text.intro}
      </p>
      <div class="row">
        <button class="primary" onClick={() => setOpen({ start: emptyDraft() })}>
          {text.connect}
        </button>
        <button class="quiet" disabled={!!busy} onClick={() => void find()}>
          {busy === "find" ? text.finding : text.find}
        </button>
        {!!own?.length && (
          <button class="quiet" disabled={!!busy} onClick={() => void check()}>
            {busy === "check" ? text.testing : text.checkAll}
          </button>
        )}
      </div>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!list.data && !list.error && <div class="waiting tall" />}
      {found && <FoundServers servers={found} connect={(s) => setOpen({ start: draftOfServer(s) })} />}
      {own?.length === 0 && !found && (
        <Empty title={text.none}>
          <p>{text.noneHelp}</p>
        </Empty>
      )}
      {connections &&
        kinds.map((kind) => {
          const some = connections.filter((c) => c.kind === kind);
          if (!some.length) return null;
          return (
            <section class="stack" key={kind}>
              <div class="row">
                <h2>{text.groups[kind]}</h2>
                {kind === "comfyui" && <a href="/operator/graphs">{text.graphs}</a>}
              </div>
              {some.map((c) => (
                <ConnectionPanel key={c.connectionId} connection={c} open={setOpen} reload={list.reload} />
              ))}
            </section>
          );
        })}
      {open && "remove" in open && (
        <ActionDialog
          title={text.removeTitle(open.remove.name)}
          about={text.removeText}
          confirm={text.remove}
          danger
          onClose={() => setOpen(undefined)}
          run={async (reason) => {
            await del("/v1/operator/connections/{id}", { path: { id: open.remove.connectionId }, query: { reason } });
            toast(text.removed(open.remove.name));
            list.reload();
          }}
        />
      )}
      {open && !("remove" in open) && (
        <ConnectionForm
          start={"start" in open ? open.start : undefined}
          connection={"change" in open ? open.change : undefined}
          onClose={() => setOpen(undefined)}
          onSaved={(c) => {
            const fault = c.problem ?? (c.health?.state === "failing" ? c.health.message : "");
            if (fault) toast(text.savedDown(c.name, fault), { tone: "bad" });
            else toast(c.health ? text.saved(c.name) : text.savedUnchecked(c.name));
            setFound(undefined);
            list.reload();
          }}
        />
      )}
    </section>
  );
}

/** The servers of this machine that answered. */
function FoundServers({ servers, connect }: { servers: FoundServer[]; connect: (s: FoundServer) => void }) {
  return (
    <section class="panel stack" role="status">
      <h2>{text.foundTitle}</h2>
      {servers.length === 0 && <p class="muted">{text.foundNone}</p>}
      {servers.map((s) => (
        <div class="row" key={s.baseUrl}>
          <strong>{s.program}</strong> <code>{s.baseUrl}</code>
          <span class="muted grow">{text.modelCount(s.models.length)}</span>
          {s.connected ? (
            <Chip tone="good">{text.connected}</Chip>
          ) : (
            <button class="primary" onClick={() => connect(s)}>
              {text.connectServer(s.program)}
            </button>
          )}
        </div>
      ))}
    </section>
  );
}

/** How many models are named; the others are counted. */
const namedModels = 8;

function ConnectionPanel({
  connection: c,
  open,
  reload,
}: {
  connection: Connection;
  open: (what: Open) => void;
  reload: () => void;
}) {
  const [testing, setTesting] = useState(false);
  const models = modelsOf(c);
  const test = async () => {
    setTesting(true);
    try {
      await post("/v1/operator/connections/{id}/test", {}, { path: { id: c.connectionId } });
      reload();
    } catch (error) {
      toastError(error);
    }
    setTesting(false);
  };
  return (
    <article class="panel connection" aria-label={c.name}>
      <header class="row">
        <h3 class="cut">{c.name}</h3>
        <State connection={c} />
        {c.from !== "database" && <Chip>{text.from[c.from]}</Chip>}
        {c.hasKey && <Chip>{text.hasKey}</Chip>}
        <span class="grow" />
        <span class="row">
          {!c.problem && (
            <button class="quiet" disabled={testing} onClick={() => void test()}>
              {testing ? text.testing : text.test}
            </button>
          )}
          {c.from === "database" && (
            <>
              <button class="quiet" onClick={() => open({ change: c })}>
                {text.change}
              </button>
              <button class="quiet danger" onClick={() => open({ remove: c })}>
                {text.remove}
              </button>
            </>
          )}
        </span>
      </header>
      <p>
        <code>{addressOf(c)}</code>
      </p>
      {models.length > 0 && (
        <ul class="row small" aria-label={text.models}>
          {models.slice(0, namedModels).map((id) => (
            <li key={id}>
              <code>{id}</code>
            </li>
          ))}
          {models.length > namedModels && <li class="muted">{text.more(models.length - namedModels)}</li>}
        </ul>
      )}
      {c.problem ? (
        <Notice tone="warn">{c.problem}</Notice>
      ) : (
        c.health && (
          <p class={c.health.state === "failing" ? "error-text" : "muted small"}>
            {c.health.message} <span class="muted small">{text.checked(ago(c.health.checkedAt))}</span>
          </p>
        )
      )}
    </article>
  );
}

function State({ connection: c }: { connection: Connection }) {
  if (c.problem) return <Chip tone="warn">{text.states.unused}</Chip>;
  if (!c.health) return <Chip>{text.states.unchecked}</Chip>;
  return <Chip tone={c.health.state === "healthy" ? "good" : "bad"}>{text.states[c.health.state]}</Chip>;
}
