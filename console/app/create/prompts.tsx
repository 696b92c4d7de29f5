// Prompts that were used before, and styles of the account to be added to a prompt.

import { useState } from "preact/hooks";
import { get } from "../api";
import { useData } from "../hooks";
import { textOf } from "../json";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { IconButton } from "../parts/icon";
import { Failure } from "../parts/notice";
import { Picker } from "../parts/picker";
import { rank } from "../parts/rank";
import { localStyles, maxName, maxValue } from "../preset";
import { removePreset, savePreset, usePresets } from "../presets";
import { text } from "../texts/create";
import { FromFile } from "./again";
import { leadOf } from "./arguments";
import type { FieldsProps } from "./fields";
import { inStyle, promptsOf } from "./prompt";

const words = text.promptTools;

const former = { key: "atelier.styles", read: localStyles };

/** What helps to write a prompt. */
export function PromptTools({
  catalog,
  tool,
  form,
  onForm,
  onPicture,
}: FieldsProps & { onPicture: (file: File) => void }) {
  const [open, setOpen] = useState<"" | "history" | "styles">("");
  if (leadOf(tool)?.name !== "prompt") return null;
  const prompt = textOf(form.values.prompt);
  const write = (to: string) => {
    onForm({ ...form, values: { ...form.values, prompt: to } });
    setOpen("");
  };
  const close = () => setOpen("");
  const tools = catalog.tools.filter((t) => t.produces === tool.produces).map((t) => t.name);
  return (
    <div class="prompt-tools">
      <button type="button" class="copy" onClick={() => setOpen("history")}>
        {words.history}
      </button>
      <button type="button" class="copy" onClick={() => setOpen("styles")}>
        {words.styles}
      </button>
      <FromFile onFile={onPicture} />
      {open === "history" && <History tools={tools} onPick={write} onClose={close} />}
      {open === "styles" && <Styles prompt={prompt} onPick={(s) => write(inStyle(prompt, s))} onClose={close} />}
    </div>
  );
}

function History({
  tools,
  onPick,
  onClose,
}: {
  tools: string[];
  onPick: (prompt: string) => void;
  onClose: () => void;
}) {
  const list = useData(
    (signal) =>
      get("/v1/creative-agent/workflows", { query: { limit: 100 }, signal }).then((d) => promptsOf(d.workflows, tools)),
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
  const styles = usePresets("style", former);
  const add = (event: Event) => {
    event.preventDefault();
    event.stopPropagation(); // the form of the page is around it
    void savePreset("style", { name, value: said.trim() });
    setName("");
    setSaid("");
  };
  return (
    <Dialog title={words.stylesTitle} onClose={onClose}>
      {styles.error && <Failure error={styles.error} retry={styles.retry} />}
      <ul class="picker" aria-label={words.styles}>
        {styles.list.map((style) => (
          <li key={style.name} class="row">
            <button type="button" class="picker-item grow" onClick={() => onPick(style.value)}>
              <span>
                <strong>{style.name}</strong> <span class="small muted">{inStyle(prompt, style.value)}</span>
              </span>
            </button>
            <IconButton
              icon="trash"
              label={words.remove(style.name)}
              onClick={() => void removePreset("style", style.name)}
            />
          </li>
        ))}
      </ul>
      {styles.isRead && !styles.list.length && <p class="muted">{words.noStyles}</p>}
      <form class="stack" onSubmit={add}>
        <TextField label={words.styleName} value={name} onInput={setName} maxLength={maxName} />
        <TextField label={words.styleWords} value={said} onInput={setSaid} multiline rows={2} maxLength={maxValue} />
        <footer>
          <button class="quiet" disabled={!name.trim() || !said.trim()}>
            {words.saveStyle}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
