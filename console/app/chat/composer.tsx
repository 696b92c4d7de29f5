// The box in which a message is written.

import { useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useData, useFiles } from "../hooks";
import { CheckField } from "../parts/field";
import { Icon } from "../parts/icon";
import { toastError } from "../parts/toast";
import { text } from "../texts/chat";
import { accepted, upload, type Upload } from "../upload";

export interface Message { text: string; media: Upload[]; model: string; askBefore: boolean }

interface ComposerProps {
  busy: boolean;
  onSend: (message: Message) => Promise<void>;
  onStop: () => void;
  onEditLast: () => void;
}

const remembered = (name: string, initial: string) => sessionStorage.getItem(`atelier.chat.${name}`) ?? initial;
const remember = (name: string, value: string) => sessionStorage.setItem(`atelier.chat.${name}`, value);

export function Composer({ busy, onSend, onStop, onEditLast }: ComposerProps) {
  const [draft, setDraft] = useState("");
  const [media, setMedia] = useState<Upload[]>([]);
  const [uploading, setUploading] = useState(0);
  const [model, setModel] = useState(() => remembered("model", ""));
  const [askBefore, setAskBefore] = useState(() => remembered("ask", "yes") === "yes");
  const [sending, setSending] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const models = useData((signal) => get<{ id: string }[]>("/v1/models", { signal }), []);

  const add = async (files: Iterable<File>) => {
    for (const file of files) {
      setUploading((n) => n + 1);
      try {
        const stored = await upload(file);
        setMedia((old) => [...old, stored]);
      } catch (error) {
        toastError(error);
      } finally {
        setUploading((n) => n - 1);
      }
    }
  };

  const dragging = useFiles((files) => void add(files));

  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (!draft.trim() || busy || sending || uploading) return;
    setSending(true);
    try {
      await onSend({ text: draft.trim(), media, model, askBefore });
      setDraft("");
      setMedia([]);
    } catch (error) {
      toastError(error);
    } finally {
      setSending(false);
      box.current?.focus();
    }
  };

  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) void submit(event);
    else if (event.key === "Escape" && busy) onStop();
    else if (event.key === "ArrowUp" && !draft) {
      event.preventDefault();
      onEditLast();
    }
  };

  return (
    <form class="composer" onSubmit={submit}>
      {(media.length > 0 || uploading > 0) && (
        <ul class="attached" aria-label={text.attached}>
          {media.map((m) => (
            <li key={m.url} class="attachment">
              {m.kind === "image" ? <img src={m.url} alt={m.name} /> : <span class="small cut">{m.name}</span>}
              <button type="button" class="icon-button" aria-label={text.remove(m.name)} onClick={() => setMedia((old) => old.filter((other) => other !== m))}><Icon name="close" size={16} /></button>
            </li>
          ))}
          {uploading > 0 && <li class="small muted" role="status">{text.uploading}</li>}
        </ul>
      )}
      <textarea ref={box} rows={2} value={draft} aria-label={text.placeholder} placeholder={text.placeholder} onInput={(e) => setDraft(e.currentTarget.value)} onKeyDown={onKey} />
      <div class="row">
        <input ref={picker} type="file" hidden multiple accept={accepted("image", "video", "audio")} onChange={(e) => { void add([...(e.currentTarget.files ?? [])]); e.currentTarget.value = ""; }} />
        <button type="button" class="icon-button" aria-label={text.attach} onClick={() => picker.current!.click()}><Icon name="attach" /></button>
        {(models.data?.length ?? 0) > 1 && (
          <select class="model-choice" aria-label={text.model} value={model} onInput={(e) => { setModel(e.currentTarget.value); remember("model", e.currentTarget.value); }}>
            <option value="">{text.model}</option>
            {models.data!.map((m) => <option key={m.id} value={m.id}>{m.id}</option>)}
          </select>
        )}
        <span class="grow"><CheckField label={text.askBefore} value={askBefore} onInput={(value) => { setAskBefore(value); remember("ask", value ? "yes" : "no"); }} /></span>
        {busy
          ? <button type="button" class="quiet" onClick={onStop}><Icon name="stop" size={16} /> {text.stop}</button>
          : <button class="primary" disabled={!draft.trim() || sending || uploading > 0}>{text.send}</button>}
      </div>
      {dragging && <div class="drop-hint" aria-hidden="true"><p>{text.drop}</p></div>}
    </form>
  );
}
