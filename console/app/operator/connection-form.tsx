// The form of a connection: what leads to the server, a test that shows what it has, and saving.

import { useState } from "preact/hooks";
import { ApiError, patch, post } from "../api";
import { count } from "../format";
import { Chip } from "../parts/chip";
import { Dialog } from "../parts/dialog";
import { CheckField, SelectField, TextField } from "../parts/field";
import { Failure, Notice } from "../parts/notice";
import { text as all } from "../texts/operator";
import type { Connection, ConnectionHealth, FoundModel } from "../types";
import { draftOf, firstProtocol, kinds, settings, toggle, type Draft } from "./connection-draft";

const text = all.connections;

/** The last part of the path of a field, as the form names its fields. */
const fieldOf = (error?: Error) =>
  error instanceof ApiError ? error.field.replace(/^(llm|comfyui|images|vendor|loraSource)\./, "") : "";

export function ConnectionForm({
  start,
  connection,
  onClose,
  onSaved,
}: {
  /** What a new connection begins with. */
  start?: Draft;
  /** The connection to change. */
  connection?: Connection;
  onClose: () => void;
  onSaved: (connection: Connection) => void;
}) {
  const [draft, setDraft] = useState<Draft>(() => (connection ? draftOf(connection) : start!));
  const [busy, setBusy] = useState<"test" | "save">();
  const [error, setError] = useState<Error>();
  const [found, setFound] = useState<ConnectionHealth>();
  const change = (part: Partial<Draft>) => setDraft((d) => ({ ...d, ...part }));
  const work = async (what: "test" | "save", run: () => Promise<void>) => {
    setBusy(what);
    setError(undefined);
    try {
      await run();
    } catch (problem) {
      setError(problem as Error);
    }
    setBusy(undefined);
  };
  const test = () =>
    work("test", async () => {
      setFound(undefined);
      const body = { ...settings(draft, connection), apiKey: draft.apiKey || undefined };
      const connectionId = connection?.connectionId;
      const { health } = await post("/v1/operator/connections/test", { ...body, connectionId });
      setFound(health);
      if (health.state === "healthy") change({ baseUrl: health.baseUrl });
    });
  const save = (event: Event) => {
    event.preventDefault();
    void work("save", async () => {
      const name = draft.kind === "lora_source" ? undefined : draft.name.trim() || undefined;
      const apiKey = draft.apiKey || (draft.dropKey ? "" : undefined);
      const body = { ...settings(draft, connection), name, apiKey };
      const saved = connection
        ? await patch("/v1/operator/connections/{id}", body, { path: { id: connection.connectionId } })
        : await post("/v1/operator/connections", body);
      onSaved(saved.connection);
      onClose();
    });
  };
  const at = fieldOf(error);
  const shown = ["name", "apiKey", "baseUrl", "host", "adapter", "modelsDir"].includes(at) || /^models\b/.test(at);
  return (
    <Dialog title={connection ? text.changeTitle(connection.name) : text.connect} onClose={onClose}>
      <form class="stack" onSubmit={save} noValidate>
        {error && !shown && <Failure error={error} />}
        {!connection && (
          <SelectField
            label={text.kind}
            value={draft.kind}
            onInput={(kind) => {
              change({ kind, protocol: firstProtocol(kind) });
              setFound(undefined);
            }}
            options={kinds.map((value) => ({ value, label: text.kinds[value] }))}
            help={text.about[draft.kind]}
          />
        )}
        <Fields draft={draft} change={change} connection={connection} wrong={at} message={error?.message ?? ""} />
        {found && <Found health={found} />}
        {draft.kind === "llm" && (
          <LanguageModels draft={draft} change={change} found={found?.models ?? connection?.health?.models ?? []} />
        )}
        <footer>
          <button type="button" class="quiet" disabled={!!busy} onClick={() => void test()}>
            {busy === "test" ? text.testing : text.test}
          </button>
          <button class="primary" disabled={!!busy}>
            {connection ? text.save : text.connectNow}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

const protocols: Record<string, string[]> = {
  llm: ["openai", "anthropic"],
  images: ["openai-images", "sdcpp"],
  vendor: ["openai-images", "queue"],
};

function Fields({
  draft,
  change,
  connection,
  wrong,
  message,
}: {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  connection?: Connection;
  wrong: string;
  message: string;
}) {
  const problem = (field: string) => (wrong === field || wrong.startsWith(`${field}[`) ? message : undefined);
  const { kind } = draft;
  return (
    <>
      {kind === "lora_source" && (
        <>
          <SelectField
            label={text.site}
            value={draft.site}
            onInput={(site) => change({ site })}
            options={[
              { value: "huggingface", label: "Hugging Face" },
              { value: "civitai", label: "Civitai" },
            ]}
          />
          <TextField
            label={text.host}
            help={text.hostHelp}
            value={draft.host}
            onInput={(host) => change({ host })}
            placeholder="huggingface.co"
            error={problem("host")}
          />
        </>
      )}
      <TextField
        label={text.address}
        value={draft.baseUrl}
        onInput={(baseUrl) => change({ baseUrl })}
        type="url"
        placeholder={text.addresses[kind]}
        error={problem("baseUrl")}
      />
      {kind !== "lora_source" && (
        <TextField
          label={text.name}
          value={draft.name}
          onInput={(name) => change({ name })}
          maxLength={40}
          optional={kind !== "vendor"}
          error={problem("name")}
        />
      )}
      {kind !== "comfyui" && (
        <TextField
          label={text.apiKey}
          help={connection?.hasKey ? text.keyKept : text.keyHelp}
          type="password"
          value={draft.apiKey}
          onInput={(apiKey) => change({ apiKey })}
          optional
          error={problem("apiKey")}
        />
      )}
      {connection?.hasKey && !draft.apiKey && (
        <CheckField label={text.dropKey} value={draft.dropKey} onInput={(dropKey) => change({ dropKey })} />
      )}
      {protocols[kind] && (
        <SelectField
          label={text.protocol}
          value={draft.protocol}
          onInput={(protocol) => change({ protocol })}
          options={protocols[kind].map((value) => ({ value, label: text.protocols[value] }))}
        />
      )}
      {kind === "vendor" && draft.protocol === "queue" && (
        <TextField
          label={text.adapter}
          help={text.adapterHelp}
          value={draft.adapter}
          onInput={(adapter) => change({ adapter })}
          error={problem("adapter")}
        />
      )}
      {(kind === "comfyui" || kind === "images" || kind === "vendor") && (
        <TextField
          label={text.models}
          help={text.modelsHelp[kind]}
          value={draft.models}
          onInput={(models) => change({ models })}
          multiline
          optional={kind === "comfyui"}
          error={problem("models")}
        />
      )}
      {kind === "comfyui" && (
        <TextField
          label={text.modelsDir}
          help={text.modelsDirHelp}
          value={draft.modelsDir}
          onInput={(modelsDir) => change({ modelsDir })}
          placeholder="/opt/ComfyUI"
          optional
          error={problem("modelsDir")}
        />
      )}
    </>
  );
}

/** What a test found. */
export function Found({ health }: { health: ConnectionHealth }) {
  return (
    <div role="status">
      <Notice tone={health.state === "healthy" ? "good" : "bad"}>{health.message}</Notice>
    </div>
  );
}

/** The language models to offer: those that the server has, and others that were named before. */
function LanguageModels({
  draft,
  change,
  found,
}: {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  found: FoundModel[];
}) {
  const [more, setMore] = useState("");
  const { llmModels } = draft;
  const other = llmModels
    .filter((m) => !found.some((f) => f.id === m.id))
    .map((m) => ({ id: m.id, contextLength: null, vision: m.vision, reasoning: m.reasoning }));
  const set = (id: string, part: { vision?: boolean; reasoning?: boolean }) =>
    change({ llmModels: llmModels.map((m) => (m.id === id ? { ...m, ...part } : m)) });
  const add = () => {
    const id = more.trim();
    if (id && !llmModels.some((m) => m.id === id))
      change({ llmModels: [...llmModels, { id, vision: false, reasoning: false }] });
    setMore("");
  };
  return (
    <fieldset class="connection-models stack">
      <legend>{text.offered}</legend>
      <p class="help-text">{llmModels.length ? text.offeredSome(llmModels.length) : text.offeredAll}</p>
      {[...found, ...other].map((m) => {
        const chosen = llmModels.find((c) => c.id === m.id);
        return (
          <div key={m.id} class="row">
            <CheckField label={m.id} value={!!chosen} onInput={() => change({ llmModels: toggle(llmModels, m) })} />
            {m.contextLength && <Chip>{text.tokens(count(m.contextLength))}</Chip>}
            {chosen && (
              <>
                <CheckField label={text.vision} value={chosen.vision} onInput={(vision) => set(m.id, { vision })} />
                <CheckField
                  label={text.reasoning}
                  value={chosen.reasoning}
                  onInput={(reasoning) => set(m.id, { reasoning })}
                />
              </>
            )}
          </div>
        );
      })}
      <div class="row">
        <TextField label={text.anotherModel} value={more} onInput={setMore} maxLength={200} optional />
        <button type="button" class="quiet" disabled={!more.trim()} onClick={add}>
          {text.addModel}
        </button>
      </div>
    </fieldset>
  );
}
