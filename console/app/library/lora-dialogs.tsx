// The dialogs that add a personal LoRA: by a link, or with a file.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, post, postFile } from "../api";
import { bytes, sizeLimit } from "../format";
import { Progress } from "../parts/chip";
import { Dialog } from "../parts/dialog";
import { CheckField, SelectField, TextField } from "../parts/field";
import { Failure, Notice } from "../parts/notice";
import { text } from "../texts/library";
import { text as common } from "../texts/shell";
import type { PersonalLora } from "../types";

const words = text.loras;

interface DialogProps {
  models: string[];
  /** The name of a model. */
  name: (id: string) => string;
  onClose: () => void;
}

export function ImportLora({ hosts, onDone, ...dialog }: DialogProps & { hosts: string[]; onDone: () => void }) {
  const [url, setUrl] = useState("");
  const send = async (entry: Entry) => {
    await post("/v1/loras/personal", { ...entry, url: url.trim() });
    onDone();
  };
  const form = useForm("", send, { missing: url.trim() ? {} : { url: words.needUrl } });
  return (
    <Dialog title={words.importTitle} onClose={dialog.onClose}>
      <EntryForm
        {...dialog}
        form={form}
        confirm={words.start}
        first={
          <TextField
            label={words.url}
            help={words.urlHelp(hosts)}
            type="url"
            value={url}
            maxLength={2048}
            onInput={(value) => {
              setUrl(value);
              form.clear();
            }}
            error={form.errorAt("url")}
          />
        }
      />
    </Dialog>
  );
}

interface UploadProps extends DialogProps {
  file: File;
  /** Takes another file in place of this one, and reports whether it is one that can be added. */
  onFile: (file: File) => boolean;
  /** How many bytes a file may have; null while there is no space for one. */
  limit: number | null;
  /** isNew is false for a file that the library had already. */
  onDone: (entry: PersonalLora, isNew: boolean) => void;
  /** The library has changed, also by an upload that failed. */
  onEnd: () => void;
}

const stemOf = (file: File) => file.name.replace(/\.safetensors$/i, "").slice(0, 80);

export function UploadLora({ file, limit, onFile, onDone, onEnd, ...dialog }: UploadProps) {
  const [sent, setSent] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const send = async (entry: Entry) => {
    setSent(0);
    abort.current = new AbortController();
    try {
      const { data, isNew } = await postFile("/v1/loras/personal/upload", file, {
        query: { ...entry, modelId: entry.modelId || undefined, fileName: file.name },
        signal: abort.current.signal,
        onProgress: setSent,
      });
      onDone(data, isNew);
    } finally {
      onEnd();
    }
  };
  const form = useForm(stemOf(file), send, { findsModel: true });
  /** What was filled in stays; a name that is only that of the file is that of the new one. */
  const replace = (chosen: File | undefined) => {
    if (!chosen || !onFile(chosen)) return;
    form.set(form.entry.name === stemOf(file) ? { name: stemOf(chosen) } : {});
  };
  const refusal =
    limit === null ? words.noSpace : file.size > limit ? words.tooLarge(bytes(file.size), sizeLimit(limit)) : undefined;
  const state = sent < 1 ? words.sending(Math.floor(sent * 100)) : words.checking;
  return (
    <Dialog title={words.uploadTitle} onClose={dialog.onClose} closable={!form.busy}>
      <p class="row">
        <strong class="cut grow">{file.name}</strong>
        <span class="muted small">{bytes(file.size)}</span>
        <button type="button" class="quiet" disabled={form.busy} onClick={() => input.current!.click()}>
          {words.another}
        </button>
        <input
          ref={input}
          type="file"
          hidden
          accept=".safetensors"
          aria-label={words.another}
          onChange={(e) => {
            replace(e.currentTarget.files?.[0]);
            e.currentTarget.value = "";
          }}
        />
      </p>
      {refusal ? (
        <Notice tone="bad">{refusal}</Notice>
      ) : (
        <EntryForm {...dialog} form={form} confirm={words.add} onCancel={() => abort.current.abort()}>
          {form.busy && (
            <div class="stack" role="status">
              <Progress value={sent < 1 ? sent : null} label={state} />
              <p class="small muted">{state}</p>
            </div>
          )}
        </EntryForm>
      )}
    </Dialog>
  );
}

interface Entry {
  name: string;
  modelId: string;
  rightsConfirmed: boolean;
}

interface FormOptions {
  /** What is missing in the dialog's own fields, by their names. */
  missing?: Record<string, string>;
  /** The service finds the model, unless one is chosen. */
  findsModel?: boolean;
}

/** What both dialogs ask for, and the state of sending it. */
function useForm(
  name: string,
  send: (entry: Entry) => Promise<void>,
  { missing = {}, findsModel = false }: FormOptions,
) {
  const [entry, setEntry] = useState<Entry>({ name, modelId: "", rightsConfirmed: false });
  const [error, setError] = useState<Error>();
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = error instanceof ApiError ? error.field : "";
  const lacking: Record<string, string> = {
    ...missing,
    ...(entry.name.trim() ? {} : { name: words.needName }),
    ...(entry.modelId || findsModel ? {} : { modelId: words.needModel }),
    ...(entry.rightsConfirmed ? {} : { rightsConfirmed: words.needRights }),
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setTried(true);
    setError(undefined);
    if (Object.keys(lacking).length) {
      const form = event.currentTarget as HTMLElement;
      return void requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid]")?.focus());
    }
    setBusy(true);
    try {
      await send({ ...entry, name: entry.name.trim() });
    } catch (e) {
      if ((e as Error).name !== "AbortError") setError(e as Error);
    }
    setBusy(false);
  };
  return {
    entry,
    busy,
    findsModel,
    submit,
    /** The error, unless a field shows it. */
    error: ["url", "name", "modelId", "rightsConfirmed"].includes(field) ? undefined : error,
    errorAt: (f: string) => (field === f ? error!.message : tried ? lacking[f] : undefined),
    clear: () => setError(undefined),
    set: (change: Partial<Entry>) => {
      setEntry({ ...entry, ...change });
      setError(undefined);
    },
  };
}

function EntryForm({
  models,
  name,
  form,
  first,
  confirm,
  onClose,
  onCancel,
  children,
}: DialogProps & {
  form: ReturnType<typeof useForm>;
  first?: ComponentChildren;
  confirm: string;
  /** Ends what takes long. */
  onCancel?: () => void;
  children?: ComponentChildren;
}) {
  const { entry, set } = form;
  return (
    <form class="stack" onSubmit={form.submit} noValidate>
      <fieldset class="stack entry-fields" disabled={form.busy}>
        {first}
        <TextField
          label={words.name}
          value={entry.name}
          maxLength={80}
          onInput={(value) => set({ name: value })}
          error={form.errorAt("name")}
        />
        <SelectField
          label={words.model}
          help={words.modelHelp}
          value={entry.modelId}
          onInput={(modelId) => set({ modelId })}
          options={[
            { value: "", label: form.findsModel ? words.foundModel : words.chooseModel },
            ...models.map((id) => ({ value: id, label: name(id) })),
          ]}
          error={form.errorAt("modelId")}
        />
        <CheckField
          label={words.rights}
          value={entry.rightsConfirmed}
          onInput={(rightsConfirmed) => set({ rightsConfirmed })}
          error={form.errorAt("rightsConfirmed")}
        />
      </fieldset>
      {form.error && <Failure error={form.error} />}
      {children}
      <div class="row end">
        {onCancel && form.busy ? (
          <button type="button" class="quiet" onClick={onCancel}>
            {words.cancel}
          </button>
        ) : (
          <button type="button" class="quiet" disabled={form.busy} onClick={onClose}>
            {common.cancel}
          </button>
        )}
        <button type="submit" class="primary" disabled={form.busy}>
          {confirm}
        </button>
      </div>
    </form>
  );
}
