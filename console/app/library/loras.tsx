// Personal LoRAs: import, the state of each, removal.

import { useState } from "preact/hooks";
import { ApiError, del, get, post } from "../api";
import { createLink } from "../create/address";
import { hasPersonalLoras } from "../create/loras";
import { ago, bytes } from "../format";
import { useChanges, useData } from "../hooks";
import { Progress, Status } from "../parts/chip";
import { ask, Dialog } from "../parts/dialog";
import { CheckField, SelectField, TextField } from "../parts/field";
import { IconButton } from "../parts/icon";
import { Empty, Failure, Notice } from "../parts/notice";
import { toastError } from "../parts/toast";
import { text } from "../texts/library";
import type { PersonalLora } from "../types";

const words = text.loras;

export function Loras() {
  const list = useEntries();
  const allowed = useData(hasPersonalLoras, []);
  const models = useData(
    (signal) => get("/v1/model-catalog", { signal }).then((d) => new Map(d.models.map((m) => [m.id, m.name]))),
    [],
  );
  const [importing, setImporting] = useState(false);
  if (list.error && !list.data) return <Failure error={list.error} retry={list.reload} />;
  const entries = list.data?.loras;
  const limits = list.data?.limits;
  const name = (id: string) => models.data?.get(id) ?? id;
  const remove = async (entry: PersonalLora) => {
    if (!(await ask({ title: words.sure(entry.name), body: words.sureBody, confirm: text.remove, danger: true })))
      return;
    try {
      await del("/v1/loras/personal/{id}", { path: { id: entry.id } });
    } catch (error) {
      toastError(error);
    }
    list.reload();
  };
  const isFull = entries && limits && entries.length >= limits.entries;
  return (
    <section class="stack" aria-label={words.list}>
      <div class="row">
        <button
          class="primary"
          disabled={!entries || isFull || (!allowed.data && !allowed.error)}
          onClick={() => setImporting(true)}>
          {words.import}
        </button>
        {entries && limits && allowed.data && (
          <p class="muted small grow">
            {isFull ? words.full : words.about(limits.entries - entries.length, limits.entries, limits.importsPerDay)}
          </p>
        )}
      </div>
      {allowed.data === false && (
        <Notice tone="warn">
          {words.noPlan} <a href="/usage">{words.seePlan}</a>
        </Notice>
      )}
      {!entries ? (
        <div class="waiting" />
      ) : !entries.length ? (
        <Empty title={words.empty}>{allowed.data && words.emptyHelp}</Empty>
      ) : (
        <ul class="lora-entries">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} name={name} onRemove={() => void remove(entry)} />
          ))}
        </ul>
      )}
      {importing && list.data && (
        <Import
          models={list.data.models}
          name={name}
          onClose={() => setImporting(false)}
          onDone={() => {
            setImporting(false);
            list.reload();
          }}
        />
      )}
    </section>
  );
}

/** The LoRAs of the account. The progress comes with the change; everything else is read again. */
function useEntries() {
  const list = useData((signal) => get("/v1/loras/personal", { signal }), []);
  useChanges(["lora"], (change) => {
    const { loraId, status, progress } = change.kind === "lora" ? change.data : {};
    const isKnown = list.data?.loras.some((l) => l.id === loraId && l.status === status);
    if (!isKnown) return list.reload();
    list.set((old) => old && { ...old, loras: old.loras.map((l) => (l.id === loraId ? { ...l, progress } : l)) });
  });
  return list;
}

interface EntryProps {
  entry: PersonalLora;
  /** The name of a model. */
  name: (id: string) => string;
  onRemove: () => void;
}

function Entry({ entry, name, onRemove }: EntryProps) {
  return (
    <li class="panel">
      <div class="row">
        <h2 class="grow cut">{entry.name}</h2>
        <Status status={entry.status} />
        <IconButton icon="trash" size={18} label={words.remove(entry.name)} onClick={onRemove} />
      </div>
      {(entry.status === "queued" || entry.status === "validating") && (
        <Progress value={entry.progress || null} label={`${entry.name}: ${words.progress}`} />
      )}
      {entry.reason && (
        <Notice tone={entry.status === "rejected" || entry.status === "revoked" ? "bad" : "warn"}>
          {entry.reason}
        </Notice>
      )}
      {!entry.reason && words.statusHelp[entry.status] && <Notice tone="warn">{words.statusHelp[entry.status]}</Notice>}
      {entry.requirements?.map((rule) => (
        <p class="small" key={rule}>
          {rule}
        </p>
      ))}
      <p class="small muted">
        {words.fits}: {entry.modelIds.slice(0, 3).map(name).join(", ")}
        {entry.modelIds.length > 3 && ` ${words.more(entry.modelIds.length - 3)}`}
      </p>
      <p class="row small muted">
        <span>{ago(entry.createdAt)}</span>
        {entry.bytes ? <span>{bytes(entry.bytes)}</span> : null}
        {/^https:/.test(entry.source) && (
          <a href={entry.source} rel="noreferrer">
            {words.source}
          </a>
        )}
        {entry.status === "ready" && <a href={createLink({ model: entry.modelId })}>{words.use}</a>}
      </p>
    </li>
  );
}

function Import({
  models,
  name,
  onClose,
  onDone,
}: {
  models: string[];
  name: (id: string) => string;
  onClose: () => void;
  onDone: () => void;
}) {
  const [entry, setEntry] = useState({ url: "", name: "", modelId: models[0] ?? "", rightsConfirmed: false });
  const [error, setError] = useState<Error>();
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = error instanceof ApiError ? error.field : "";
  const at = (f: string) => (field === f ? error!.message : undefined);
  const set = (change: Partial<typeof entry>) => {
    setEntry({ ...entry, ...change });
    setError(undefined);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (!entry.rightsConfirmed || busy) return;
    setBusy(true);
    try {
      await post("/v1/loras/personal", { ...entry, url: entry.url.trim(), name: entry.name.trim() });
      onDone();
    } catch (e) {
      setError(e as Error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.import} onClose={onClose}>
      <form class="stack" onSubmit={submit} noValidate>
        <TextField
          label={words.url}
          help={words.urlHelp}
          type="url"
          value={entry.url}
          maxLength={2048}
          onInput={(url) => set({ url })}
          error={at("url")}
        />
        <TextField
          label={words.name}
          value={entry.name}
          maxLength={80}
          onInput={(n) => set({ name: n })}
          error={at("name")}
        />
        <SelectField
          label={words.model}
          help={words.modelHelp}
          value={entry.modelId}
          onInput={(modelId) => set({ modelId })}
          options={models.map((id) => ({ value: id, label: name(id) }))}
          error={at("modelId")}
        />
        <CheckField
          label={words.rights}
          value={entry.rightsConfirmed}
          onInput={(rightsConfirmed) => set({ rightsConfirmed })}
        />
        {tried && !entry.rightsConfirmed && (
          <p class="error-text" role="alert">
            {words.needRights}
          </p>
        )}
        {error && !["url", "name", "modelId"].includes(field) && <Failure error={error} />}
        <div class="row end">
          <button type="submit" class="primary" disabled={busy}>
            {words.start}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
