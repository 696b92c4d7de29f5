// The LoRAs of a request: public ones and the account's own, each with a strength.

import { useState } from "preact/hooks";
import { get } from "../api";
import { useChanges, useData } from "../hooks";
import { Chip } from "../parts/chip";
import { Dialog } from "../parts/dialog";
import { NumberField, TextField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { Empty, Notice } from "../parts/notice";
import { text } from "../texts/create";
import type { Lora, LoraUI, PublicLoraUI } from "../types";
import type { ChosenLora } from "./form";

/** A LoRA of the public catalog, or one of the account. */
export type LoraRow = Pick<Lora, "loraId" | "name" | "description" | "modelIds"> & {
  requirements?: string[];
  personal?: boolean;
  ui: LoraUI & Partial<Pick<PublicLoraUI, "rangeLabels" | "examplePrompt">>;
};

/** Reports whether the plan of the account has personal LoRAs. */
export async function hasPersonalLoras(signal?: AbortSignal): Promise<boolean> {
  const { subscription } = await get("/v1/subscriptions/status", { signal });
  return subscription.capabilities?.personalLoras === true;
}

async function loadOwn(signal?: AbortSignal): Promise<LoraRow[]> {
  try {
    if (!(await hasPersonalLoras(signal))) return [];
    return (await get("/v1/loras/personal/catalog", { signal })).loras.map((l) => ({ ...l, personal: true }));
  } catch {
    return []; // the public ones are of use without them
  }
}

// The models that LoRAs can be imported for.
const loadImportable = (signal?: AbortSignal): Promise<string[]> =>
  get("/v1/loras/personal", { signal }).then(
    (d) => d.models,
    () => [],
  );

/** The LoRAs that the account can use, and the models for which there are some or can be. */
export interface Loras {
  rows: LoraRow[];
  models: Set<string>;
}

/** All LoRAs that the account can use: those of the public catalog, and its own that are ready. */
export async function loadLoras(signal?: AbortSignal): Promise<Loras> {
  const [open, own, importable] = await Promise.all([
    get("/v1/loras/comfy", { signal }),
    loadOwn(signal),
    loadImportable(signal),
  ]);
  const rows: LoraRow[] = [...own, ...open.loras];
  return { rows, models: new Set([...importable, ...rows.flatMap((l) => l.modelIds)]) };
}

/** A LoRA as it is chosen first. */
export const choose = (row: LoraRow): ChosenLora => ({ id: row.loraId, name: row.name, strength: row.ui.default });

export function useLoras() {
  const loras = useData(loadLoras, []);
  useChanges(["lora"], loras.reload);
  return loras;
}

const most = 8;

export function LoraFields({
  chosen,
  modelId,
  loras,
  onInput,
  onPrompt,
}: {
  chosen: ChosenLora[];
  modelId: string;
  loras: LoraRow[];
  onInput: (chosen: ChosenLora[]) => void;
  onPrompt: (words: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const change = (i: number, strength: number) => onInput(chosen.map((l, k) => (k === i ? { ...l, strength } : l)));
  return (
    <div class="loras">
      {chosen.map((lora, i) => {
        const row = loras.find((l) => l.loraId === lora.id);
        const fits = !row || row.modelIds.includes(modelId);
        return (
          <div class="lora" key={lora.id}>
            <NumberField
              label={row?.name ?? lora.name}
              value={lora.strength}
              min={row?.personal ? 0.05 : (row?.ui.min ?? -3)}
              max={row?.personal ? 1 : (row?.ui.max ?? 3)}
              step={row?.ui.step ?? 0.05}
              onInput={(v) => change(i, v ?? row?.ui.default ?? 1)}
              error={fits ? undefined : text.loras.unfit}
              help={row?.ui.rangeLabels && `${row.ui.rangeLabels.min} – ${row.ui.rangeLabels.max}`}
            />
            <IconButton
              icon="close"
              label={text.loras.remove(lora.name)}
              onClick={() => onInput(chosen.filter((_, k) => k !== i))}
            />
            {row && <Rules row={row} onPrompt={onPrompt} />}
          </div>
        );
      })}
      {chosen.length < most && (
        <div>
          <button type="button" class="quiet" onClick={() => setOpen(true)}>
            <Icon name="plus" size={14} /> {text.loras.add}
          </button>
        </div>
      )}
      {open && (
        <Picker
          loras={loras.filter((l) => l.modelIds.includes(modelId) && !chosen.some((c) => c.id === l.loraId))}
          onClose={() => setOpen(false)}
          onChoose={(row) => {
            onInput([...chosen, choose(row)]);
            setOpen(false);
          }}
        />
      )}
    </div>
  );
}

/** What a LoRA needs in the prompt, such as its trigger words: the service adds nothing by itself. */
function Rules({ row, onPrompt }: { row: LoraRow; onPrompt: (words: string) => void }) {
  if (row.requirements?.length) {
    return (
      <Notice tone="plain">
        {row.requirements.map((rule) => {
          const trigger = /“([^”]+)”/.exec(rule)?.[1];
          return (
            <p key={rule} class="small">
              {rule}{" "}
              {trigger && (
                <button type="button" class="copy" onClick={() => onPrompt(trigger)}>
                  {text.loras.useExample}
                </button>
              )}
            </p>
          );
        })}
      </Notice>
    );
  }
  return row.ui.examplePrompt ? <p class="help-text">{text.loras.example(row.ui.examplePrompt)}</p> : null;
}

function Picker({
  loras,
  onClose,
  onChoose,
}: {
  loras: LoraRow[];
  onClose: () => void;
  onChoose: (row: LoraRow) => void;
}) {
  const [query, setQuery] = useState("");
  const found = loras.filter((l) =>
    `${l.name} ${l.description} ${l.ui.category}`.toLowerCase().includes(query.trim().toLowerCase()),
  );
  return (
    <Dialog title={text.loras.add} onClose={onClose} wide>
      <TextField label={text.loras.search} value={query} onInput={setQuery} type="search" />
      {!loras.length ? (
        <Empty title={text.loras.none}>
          <a href="/library?tab=loras">{text.loras.manage}</a>
        </Empty>
      ) : !found.length ? (
        <Empty title={text.loras.noneFound} />
      ) : (
        <ul class="lora-list">
          {found.map((l) => (
            <li key={l.loraId}>
              <button type="button" onClick={() => onChoose(l)}>
                <span>
                  <strong>{l.name}</strong>{" "}
                  {l.personal ? <Chip tone="accent">{text.loras.personal}</Chip> : <Chip>{l.ui.category}</Chip>}
                </span>
                <span class="muted small">{l.description}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
