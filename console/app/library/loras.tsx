// Personal LoRAs: the state of each, removal, and the ways to add one.

import { useEffect, useRef, useState } from "preact/hooks";
import { del, get } from "../api";
import { createLink } from "../create/address";
import { hasPersonalLoras } from "../create/loras";
import { ago, bytes } from "../format";
import { useChanges, useData } from "../hooks";
import { Progress, Status } from "../parts/chip";
import { ask } from "../parts/dialog";
import { IconButton } from "../parts/icon";
import { Empty, Failure, Notice } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { text } from "../texts/library";
import type { PersonalLora } from "../types";
import type { Arrived } from "./drop";
import { isLora } from "./files";
import { ImportLora, UploadLora } from "./lora-dialogs";
import { Offered } from "./offered";

const words = text.loras;

export function Loras({ arrived }: { arrived: Arrived }) {
  const list = useEntries();
  const allowed = useData(hasPersonalLoras, []);
  const models = useData(
    (signal) => get("/v1/model-catalog", { signal }).then((d) => new Map(d.models.map((m) => [m.id, m]))),
    [],
  );
  const [importing, setImporting] = useState(false);
  const [files, setFiles] = useState<File[]>([]); // to upload, one after the other
  const input = useRef<HTMLInputElement>(null);
  const refused = useRef<() => void>(); // takes the message about a file that is no LoRA away
  const entries = list.data?.loras;
  const limits = list.data?.limits;
  const isFull = entries && limits && entries.length >= limits.entries;
  const canTry = entries && !isFull && (allowed.data || allowed.error);
  const add = (chosen: File[]) => {
    const fitting = chosen.filter(isLora);
    refused.current?.();
    if (fitting.length) setFiles(fitting);
    else refused.current = toast(words.notALora, { tone: "bad" });
    return fitting.length > 0;
  };
  const isKnown = entries && (allowed.data !== undefined || allowed.error);
  useEffect(() => {
    if (!arrived.files.length || !isKnown) return;
    const dropped = arrived.take();
    if (canTry) add(dropped);
    else toast(isFull ? words.full : words.noPlan, { tone: "bad" });
  }, [arrived.files, !isKnown]);
  if (list.error && !list.data) return <Failure error={list.error} retry={list.reload} />;
  const name = (id: string) => models.data?.get(id)?.name ?? id;
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
  const dialog = { models: list.data?.models ?? [], name };
  return (
    <section class="stack" aria-label={words.list}>
      <div class="row">
        <button class="primary" disabled={!canTry} onClick={() => input.current!.click()}>
          {words.upload}
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          accept=".safetensors"
          onChange={(e) => {
            add([...e.currentTarget.files!]);
            e.currentTarget.value = "";
          }}
        />
        {!!list.data?.hosts.length && (
          <button class="quiet" disabled={!canTry} onClick={() => setImporting(true)}>
            {words.import}
          </button>
        )}
      </div>
      {entries && limits && allowed.data && (
        <p class="muted small">
          {isFull ? words.full : words.about(limits.entries - entries.length, limits.entries, limits.importsPerDay)}
        </p>
      )}
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
      <Offered models={models.data ?? new Map()} />
      {importing && (
        <ImportLora
          {...dialog}
          hosts={list.data!.hosts}
          onClose={() => setImporting(false)}
          onDone={() => {
            setImporting(false);
            list.reload();
          }}
        />
      )}
      {files.length > 0 && (
        <UploadLora
          key={files.length}
          {...dialog}
          file={files[0]}
          onFile={(file) => add([file, ...files.slice(1)])}
          limit={limits?.fileBytes ?? null}
          onClose={() => setFiles([])}
          onDone={(entry, isNew) => {
            toast(isNew ? words.added(entry.name) : words.same(entry.name));
            setFiles(files.slice(1));
          }}
          onEnd={list.reload}
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
      <div class="row lora-name">
        <h2 class="grow">{entry.name}</h2>
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
        {/^https:/.test(entry.source) ? (
          <a href={entry.source} rel="noreferrer">
            {words.source}
          </a>
        ) : (
          <span>{words.uploaded(entry.source.replace(/^upload:/, ""))}</span>
        )}
        {entry.status === "ready" && <a href={createLink({ model: entry.modelId, lora: entry.id })}>{words.use}</a>}
      </p>
    </li>
  );
}
