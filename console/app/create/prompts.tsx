// Prompts that were used before, and styles that are kept in this browser to be added to a prompt.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { get } from "../api";
import { useData } from "../hooks";
import { textOf } from "../json";
import { keep, kept } from "../keep";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { IconButton } from "../parts/icon";
import { Failure } from "../parts/notice";
import { Picker } from "../parts/picker";
import { rank } from "../parts/rank";
import { text } from "../texts/create";
import { FromPicture } from "./again";
import { leadOf } from "./arguments";
import type { FieldsProps } from "./fields";
import { inStyle, promptsOf } from "./prompt";

const words = text.promptTools;

interface Style {
  name: string;
  words: string;
}

const key = "atelier.styles";
const styles = signal<Style[]>(stored());

function stored(): Style[] {
  try {
    const list: unknown = JSON.parse(kept(key) || "[]");
    return Array.isArray(list) ? list.filter((s) => typeof s?.name === "string" && typeof s?.words === "string") : [];
  } catch {
    return [];
  }
}

function setStyles(list: Style[]) {
  styles.value = list;
  keep(key, JSON.stringify(list));
}

/** What helps to write a prompt. */
export function PromptTools({ tool, form, onForm, onPicture }: FieldsProps & { onPicture: (file: File) => void }) {
  const [open, setOpen] = useState<"" | "history" | "styles">("");
  if (leadOf(tool)?.name !== "prompt") return null;
  const prompt = textOf(form.values.prompt);
  const write = (to: string) => {
    onForm({ ...form, values: { ...form.values, prompt: to } });
    setOpen("");
  };
  const close = () => setOpen("");
  return (
    <div class="prompt-tools">
      <button type="button" class="copy" onClick={() => setOpen("history")}>
        {words.history}
      </button>
      <button type="button" class="copy" onClick={() => setOpen("styles")}>
        {words.styles}
      </button>
      <FromPicture onFile={onPicture} />
      {open === "history" && <History onPick={write} onClose={close} />}
      {open === "styles" && <Styles prompt={prompt} onPick={(s) => write(inStyle(prompt, s))} onClose={close} />}
    </div>
  );
}

function History({ onPick, onClose }: { onPick: (prompt: string) => void; onClose: () => void }) {
  const list = useData(
    (signal) =>
      get("/v1/creative-agent/workflows", { query: { limit: 100 }, signal }).then((d) => promptsOf(d.workflows)),
    [],
  );
  return (
    <Dialog title={words.historyTitle} onClose={onClose}>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      <Picker
        label={words.search}
        find={(term) =>
          rank(
            list.data ?? [],
            term,
            (prompt) => prompt,
            () => "",
          )
        }
        nameOf={(prompt) => prompt}
        draw={(prompt) => <span>{prompt}</span>}
        onPick={onPick}
        none={list.loading ? "" : words.noHistory}
        found={words.found}
      />
    </Dialog>
  );
}

interface StylesProps {
  prompt: string;
  onPick: (words: string) => void;
  onClose: () => void;
}

function Styles({ prompt, onPick, onClose }: StylesProps) {
  const [name, setName] = useState("");
  const [said, setSaid] = useState("");
  const add = (event: Event) => {
    event.preventDefault();
    event.stopPropagation(); // the form of the page is around it
    setStyles([...styles.value.filter((s) => s.name !== name.trim()), { name: name.trim(), words: said.trim() }]);
    setName("");
    setSaid("");
  };
  return (
    <Dialog title={words.stylesTitle} onClose={onClose}>
      <ul class="picker" aria-label={words.styles}>
        {styles.value.map((style) => (
          <li key={style.name} class="row">
            <button type="button" class="picker-item grow" onClick={() => onPick(style.words)}>
              <span>
                <strong>{style.name}</strong> <span class="small muted">{inStyle(prompt, style.words)}</span>
              </span>
            </button>
            <IconButton
              icon="trash"
              label={words.remove(style.name)}
              onClick={() => setStyles(styles.value.filter((s) => s !== style))}
            />
          </li>
        ))}
      </ul>
      {!styles.value.length && <p class="muted">{words.noStyles}</p>}
      <form class="stack" onSubmit={add}>
        <TextField label={words.styleName} value={name} onInput={setName} maxLength={60} />
        <TextField label={words.styleWords} value={said} onInput={setSaid} multiline rows={2} maxLength={1000} />
        <footer>
          <button class="quiet" disabled={!name.trim() || !said.trim()}>
            {words.saveStyle}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
