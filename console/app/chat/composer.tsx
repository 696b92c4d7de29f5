// The box in which a message is written.

import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useData, useFiles, useListener } from "../hooks";
import { Icon, IconButton, kindIcon } from "../parts/icon";
import { toastError } from "../parts/toast";
import { text } from "../texts/chat";
import { accepted, upload } from "../upload";
import { changeDraft, draftOf, setAsking, setChoices, settings, type Asking, type Choices, type Draft } from "./draft";

interface ComposerProps {
  id: string;
  choices: Choices;
  models: string[];
  busy: boolean;
  onSend: (message: Draft) => Promise<void>;
  onStop: () => void;
  onEditLast: () => void;
}

export function Composer({ id, choices, models, busy, onSend, onStop, onEditLast }: ComposerProps) {
  const draft = draftOf(id);
  const [sending, setSending] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const { uploading, dragging, add } = useAttaching(id);
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches) box.current!.focus({ preventScroll: true }); // a phone would show its keyboard
  }, [id]);
  const isReady = draft.text.trim() !== "" && !sending && !uploading;

  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (!isReady || busy) return;
    setSending(true);
    changeDraft(id, () => ({ text: "", media: [] })); // what is written from now on is the next message
    box.current?.focus();
    try {
      await onSend({ ...draft, text: draft.text.trim() });
    } catch (error) {
      changeDraft(id, (next) => ({
        text: [draft.text, next.text].filter(Boolean).join("\n"),
        media: [...draft.media, ...next.media],
      }));
      toastError(error);
    } finally {
      setSending(false);
    }
  };

  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) void submit(event);
    else if (event.key === "ArrowUp" && !draft.text) {
      event.preventDefault();
      onEditLast();
    }
  };

  // Wherever the focus is: the button that began the answer is gone. What Escape closes comes first.
  useListener("keydown", (event) => {
    if (event.key !== "Escape" || !busy || event.isComposing || event.defaultPrevented) return;
    if (!document.querySelector("dialog[open]")) onStop();
  });

  return (
    <form class="composer" onSubmit={submit}>
      {(draft.media.length > 0 || uploading) && <Attached id={id} draft={draft} uploading={uploading} />}
      <textarea
        ref={box}
        rows={2}
        value={draft.text}
        aria-label={text.placeholder}
        placeholder={text.placeholder}
        onInput={(e) => {
          const written = e.currentTarget.value;
          changeDraft(id, (old) => ({ ...old, text: written }));
        }}
        onKeyDown={onKey}
      />
      <div class="row">
        <AttachButton onFiles={add} />
        <ModelChoice models={models} value={choices.model} onInput={(model) => setChoices(id, { ...choices, model })} />
        <span class="grow">
          <AskingChoice />
        </span>
        {busy ? (
          <button type="button" class="quiet" onClick={onStop}>
            <Icon name="stop" size={16} /> {text.stop}
          </button>
        ) : (
          <button class="primary" disabled={!isReady}>
            {text.send}
          </button>
        )}
      </div>
      {dragging && (
        <div class="drop-hint" aria-hidden="true">
          <p>{text.drop}</p>
        </div>
      )}
    </form>
  );
}

/** Uploads files that are chosen, dropped or pasted, and attaches them to the draft. */
function useAttaching(id: string) {
  const [count, setCount] = useState(0);
  const add = async (files: Iterable<File>) => {
    for (const file of files) {
      setCount((n) => n + 1);
      try {
        const added = await upload(file);
        changeDraft(id, (old) => ({ ...old, media: [...old.media, added] }));
      } catch (error) {
        toastError(error);
      } finally {
        setCount((n) => n - 1);
      }
    }
  };
  const dragging = useFiles((files) => void add(files));
  return { uploading: count > 0, dragging, add };
}

function Attached({ id, draft, uploading }: { id: string; draft: Draft; uploading: boolean }) {
  const remove = (url: string) =>
    changeDraft(id, (old) => ({ ...old, media: old.media.filter((other) => other.url !== url) }));
  return (
    <ul class="attached" aria-label={text.attached}>
      {draft.media.map((m) => (
        <li key={m.url} class="attachment">
          {m.kind === "image" ? (
            <img src={m.url} alt={m.name} />
          ) : (
            <>
              <Icon name={kindIcon(m.kind)} /> <span class="small cut">{m.name}</span>
            </>
          )}
          <IconButton icon="close" label={text.remove(m.name)} onClick={() => remove(m.url)} />
        </li>
      ))}
      {uploading && (
        <li class="small muted" role="status">
          {text.uploading}
        </li>
      )}
    </ul>
  );
}

function AttachButton({ onFiles }: { onFiles: (files: File[]) => Promise<void> }) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        accept={accepted("image", "video", "audio")}
        onChange={(e) => {
          void onFiles([...(e.currentTarget.files ?? [])]);
          e.currentTarget.value = "";
        }}
      />
      <IconButton icon="attach" size={20} label={text.attach} onClick={() => picker.current!.click()} />
    </>
  );
}

/** The names of the language models, the default first. */
export const useModels = () =>
  useData(
    (signal) =>
      get("/v1/models", { signal }).then(({ data }) =>
        data.toSorted((a, b) => Number(b.svc?.default ?? false) - Number(a.svc?.default ?? false)).map((m) => m.id),
      ),
    [],
  ).data ?? [];

/** The models to choose from. The first is the default, which is chosen by no name. */
function ModelChoice({
  models,
  value,
  onInput,
}: {
  models: string[];
  value: string;
  onInput: (model: string) => void;
}) {
  if (!models.length) return null;
  return (
    <select class="model-choice" aria-label={text.model} value={value} onInput={(e) => onInput(e.currentTarget.value)}>
      {models.map((m, i) => (
        <option key={m} value={i === 0 ? "" : m}>
          {m}
        </option>
      ))}
      {value && !models.includes(value, 1) && <option value={value}>{value}</option>}
    </select>
  );
}

function AskingChoice() {
  return (
    <select
      class="model-choice"
      aria-label={text.asking}
      value={settings.value.asking}
      onInput={(e) => setAsking(e.currentTarget.value as Asking)}>
      {(["spending", "making", "never"] as const).map((when) => (
        <option key={when} value={when}>
          {text.askings[when]}
        </option>
      ))}
    </select>
  );
}
