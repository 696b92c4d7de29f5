// The form that makes a model of a workflow: a file, what was found in it, and what the operator decides.

import { useEffect, useReducer, useRef, useState } from "preact/hooks";
import { ApiError, get, post } from "../api";
import { words } from "../format";
import { useData, useSettled } from "../hooks";
import { SelectField, TextField } from "../parts/field";
import { Failure } from "../parts/notice";
import { toast } from "../parts/toast";
import { text } from "../texts/graphs";
import { change, empty, readWorkflow, request, saving, type Change, type Draft } from "./graph-draft";
import { Findings } from "./graph-findings";
import { Inputs } from "./graph-inputs";
import { TryGraph } from "./graph-try";

type Send = (c: Change) => void;

/** The fields of a request that the form shows at their place. */
const isShown = (field: string) => field === "name" || field === "title";

export function GraphForm({ onSaved }: { onSaved: () => void }) {
  const [draft, send] = useReducer(change, empty);
  const [isSaving, setSaving] = useState(false);
  useInspection(draft, send);
  const { inspection, error } = draft;
  const field = error instanceof ApiError ? error.field : "";
  const save = async (event: Event) => {
    event.preventDefault();
    setSaving(true);
    try {
      const { graph } = await post("/v1/operator/graphs", saving(draft));
      send({ type: "saved", graph });
      toast(text.saved(graph.title));
      onSaved();
    } catch (problem) {
      send({ type: "failed", asked: draft.asked, error: problem as Error });
    }
    setSaving(false);
  };
  return (
    <section class="stack">
      <p class="muted">{text.intro}</p>
      <Drop draft={draft} send={send} />
      {error && !isShown(field) && <Failure error={error} />}
      <div role="status">{draft.workflow && !inspection && !error && <p class="muted">{text.reading}</p>}</div>
      {inspection && !draft.saved && (
        <form class="panel stack" onSubmit={(e) => void save(e)} noValidate>
          <Choices draft={draft} send={send} wrong={field} message={error?.message ?? ""} />
          <Inputs inspection={inspection} set={draft.set} send={send} />
          <Findings inspection={inspection} />
          <div>
            <button class="primary" disabled={isSaving}>
              {isSaving ? text.saving : text.save}
            </button>
          </div>
        </form>
      )}
      {draft.saved && (
        <section class="panel stack" aria-label={draft.saved.title}>
          <h2>{text.saved(draft.saved.title)}</h2>
          <TryGraph graph={draft.saved} />
        </section>
      )}
    </section>
  );
}

/** Asks the service what a workflow would become, again when something has changed. */
function useInspection(draft: Draft, send: Send) {
  const asked = useSettled(draft.asked, 250);
  useEffect(() => {
    if (!draft.workflow || asked !== draft.asked || draft.saved) return;
    const abort = new AbortController();
    post("/v1/operator/graphs/inspect", request(draft), { signal: abort.signal }).then(
      ({ inspection }) => send({ type: "inspected", asked, inspection }),
      (error) => abort.signal.aborted || send({ type: "failed", asked, error }),
    );
    return () => abort.abort();
  }, [asked]);
}

/** The place to drop a workflow on, with a button to choose it. */
function Drop({ draft, send }: { draft: Draft; send: Send }) {
  const input = useRef<HTMLInputElement>(null);
  const take = async (files?: FileList | null) => {
    const file = files?.[0];
    if (!file) return;
    try {
      send({ type: "chosen", file: file.name, workflow: readWorkflow(await file.text(), text) });
    } catch (error) {
      send({ type: "refused", error: error as Error });
    }
  };
  return (
    <div
      class="drop-place"
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        void take(e.dataTransfer?.files);
      }}>
      <p>{draft.file ? <code class="cut">{draft.file}</code> : text.drop}</p>
      <button type="button" class={draft.file ? "quiet" : "primary"} onClick={() => input.current!.click()}>
        {draft.file ? text.another : text.choose}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,application/json"
        onChange={(e) => {
          void take(e.currentTarget.files);
          e.currentTarget.value = "";
        }}
      />
    </div>
  );
}

/** The name, what it is for, and the ComfyUI that it is checked against. */
function Choices({ draft, send, wrong, message }: { draft: Draft; send: Send; wrong: string; message: string }) {
  const i = draft.inspection!;
  const list = useData((signal) => get("/v1/operator/connections", { signal }), []);
  const servers = list.data?.connections.filter((c) => c.kind === "comfyui" && !c.problem) ?? [];
  const problem = (field: string) => (wrong === field ? message : undefined);
  return (
    <div class="three graph-choices">
      <TextField
        label={text.name}
        help={text.nameHelp}
        value={draft.name}
        onInput={(name) => send({ type: "named", name })}
        maxLength={64}
        error={problem("name")}
      />
      <TextField
        label={text.title}
        value={draft.title}
        onInput={(title) => send({ type: "titled", title })}
        maxLength={80}
        optional
        error={problem("title")}
      />
      <SelectField
        label={text.tool}
        value={i.tool}
        onInput={(tool) => send({ type: "tool", tool })}
        options={i.tools.map((tool) => ({ value: tool, label: words(tool) }))}
      />
      {servers.length > 0 && (
        <SelectField
          label={text.connection}
          value={draft.connectionId || (i.check.connectionId ?? "")}
          onInput={(connectionId) => send({ type: "connection", connectionId })}
          options={servers.map((c) => ({ value: c.connectionId, label: c.name }))}
        />
      )}
    </div>
  );
}
