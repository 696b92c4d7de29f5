// The form of a connection: what leads to the server, a test that shows what it has, and saving.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, patch, post } from "../api";
import { count } from "../format";
import { Chip } from "../parts/chip";
import { Dialog } from "../parts/dialog";
import { CheckField, SelectField, TextField } from "../parts/field";
import { Failure, Notice } from "../parts/notice";
import { text as all } from "../texts/operator";
import type { Connection, ConnectionHealth, FoundModel, LLMModel } from "../types";
import { draftOf, firstProtocol, kinds, named, settings, toggle, type Draft } from "./connection-draft";

const text = all.connections;

/** The last part of the path of a field, as the form names its fields. */
const fieldOf = (error?: Error) =>
  error instanceof ApiError ? error.field.replace(/^(llm|comfyui|images|vendor|loraSource)\./, "") : "";

/** What is wrong with a field, which stands below it: without the path of it that programs read. */
const inWords = (error?: Error) => {
  const said = error?.message ?? "";
  const path = error instanceof ApiError ? `${error.field} ` : "";
  return said.startsWith(path) && path ? capital(said.slice(path.length)) : said;
};

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

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
  /** The name of a language model that is not added yet. */
  const [more, setMore] = useState("");
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (!error && !found) return;
    const goal = form.current!.querySelector<HTMLElement>("[aria-invalid], .notice");
    goal?.focus();
    goal?.scrollIntoView({ block: "center" }); // the footer lies over the end of the form
  }, [error, found]);
  /** What a test found, or a refusal said, is of the settings as they were. */
  const change = (part: Partial<Draft>) => {
    setDraft((d) => ({ ...d, ...part }));
    if (!("llmModels" in part)) setFound(undefined);
    setError(undefined);
  };
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
      if (health.state === "healthy") change({ baseUrl: health.baseUrl });
      setFound(health);
    });
  const save = (event: Event) => {
    event.preventDefault();
    void work("save", async () => {
      const name = draft.kind === "lora_source" ? undefined : draft.name.trim() || undefined;
      const apiKey = draft.apiKey || (draft.dropKey ? "" : undefined);
      const whole = { ...draft, llmModels: named(draft.llmModels, more) };
      const body = { ...settings(whole, connection), name, apiKey };
      const saved = connection
        ? await patch("/v1/operator/connections/{id}", body, { path: { id: connection.connectionId } })
        : await post("/v1/operator/connections", body);
      onSaved(saved.connection);
      onClose();
    });
  };
  const at = fieldOf(error);
  const message = inWords(error).replace(/^Must be given: /, "");
  const shown =
    ["name", "apiKey", "baseUrl", "host", "adapter", "modelsDir"].includes(at) ||
    (draft.kind === "llm" ? at === "models" : /^models\b/.test(at));
  return (
    <Dialog title={connection ? text.changeTitle(connection.name) : text.connect} onClose={onClose}>
      <form ref={form} class="stack" onSubmit={save} noValidate>
        {!connection && (
          <SelectField
            label={text.kind}
            value={draft.kind}
            onInput={(kind) => {
              change({ kind, protocol: firstProtocol(kind) });
            }}
            options={kinds.map((value) => ({ value, label: text.kinds[value] }))}
            help={text.about[draft.kind]}
          />
        )}
        <Fields draft={draft} change={change} connection={connection} wrong={at} message={inWords(error)} />
        {found && <Found health={found} />}
        {draft.kind === "llm" && (
          <LanguageModels
            draft={draft}
            change={change}
            found={found?.models ?? connection?.health?.models ?? []}
            more={more}
            onMore={(name) => {
              setMore(name);
              setError(undefined);
            }}
            error={at === "models" ? `${capital(message)} ${text.nameOne}` : undefined}
          />
        )}
        {error && !shown && (at ? <Notice tone="bad">{capital(message)}</Notice> : <Failure error={error} />)}
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
          help={text.nameHelp}
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
  more,
  onMore,
  error,
}: {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  found: FoundModel[];
  more: string;
  onMore: (name: string) => void;
  error?: string;
}) {
  const { llmModels } = draft;
  /** Without a choice all are offered; the first that is unticked leaves the others as the choice. */
  const offered = llmModels.length ? llmModels : found.reduce<LLMModel[]>(toggle, []);
  const other = llmModels
    .filter((m) => !found.some((f) => f.id === m.id))
    .map((m) => ({ id: m.id, contextLength: null, vision: m.vision, reasoning: m.reasoning }));
  const set = (id: string, part: { vision?: boolean; reasoning?: boolean }) =>
    change({ llmModels: llmModels.map((m) => (m.id === id ? { ...m, ...part } : m)) });
  const add = () => {
    change({ llmModels: named(llmModels, more) });
    onMore("");
  };
  return (
    <fieldset class="connection-models stack">
      <legend>{text.offered}</legend>
      <p class="help-text">
        {llmModels.length
          ? text.offeredSome(llmModels.length)
          : found.length
            ? text.offeredAllOf(found.length)
            : text.offeredAll}
      </p>
      {[...found, ...other].map((m) => {
        const chosen = offered.find((c) => c.id === m.id);
        return (
          <div key={m.id} class="row">
            <CheckField label={m.id} value={!!chosen} onInput={() => change({ llmModels: toggle(offered, m) })} />
            {m.contextLength && <Chip>{text.tokens(count(m.contextLength))}</Chip>}
            {chosen && llmModels.length > 0 && (
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
        <TextField
          label={text.anotherModel}
          value={more}
          onInput={onMore}
          maxLength={200}
          optional={!error}
          error={error}
        />
        <button type="button" class="quiet" disabled={!more.trim()} onClick={add}>
          {text.addModel}
        </button>
      </div>
    </fieldset>
  );
}
