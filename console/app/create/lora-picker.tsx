// Chooses a LoRA that fits the model.

import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Empty } from "../parts/notice";
import { text } from "../texts/create";
import type { LoraRow } from "./lora";
import { LoraCard, withWords } from "./lora-parts";

export default function Picker({
  loras,
  kind,
  onClose,
  onChoose,
}: {
  loras: LoraRow[];
  /** What the model makes. */
  kind: string;
  onClose: () => void;
  onChoose: (row: LoraRow) => void;
}) {
  const [query, setQuery] = useState("");
  const found = withWords(loras, query);
  return (
    <Dialog title={text.loras.add} onClose={onClose} wide>
      <TextField label={text.loras.search} value={query} onInput={setQuery} type="search" />
      {!loras.length ? (
        <Empty title={text.loras.none} />
      ) : !found.length ? (
        <Empty title={text.loras.noneFound} />
      ) : (
        <div class="lora-lists">
          {[
            { title: text.loras.own, list: found.filter((l) => l.personal) },
            { title: text.loras.offered, list: found.filter((l) => !l.personal) },
          ].map(
            ({ title, list }) =>
              list.length > 0 && (
                <section key={title}>
                  <h3>
                    {title} <span class="muted small">{list.length}</span>
                  </h3>
                  <ul class="lora-list" aria-label={title}>
                    {list.map((l) => (
                      <li key={l.loraId}>
                        <button type="button" onClick={() => onChoose(l)}>
                          <LoraCard lora={l} kind={kind} />
                        </button>
                      </li>
                    ))}
                  </ul>
                </section>
              ),
          )}
        </div>
      )}
      <p class="small">
        <a href="/library?tab=loras">{text.loras.manage}</a>
      </p>
    </Dialog>
  );
}
