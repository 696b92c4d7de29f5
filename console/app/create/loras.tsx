// The LoRAs of a request: public ones and the account's own, each with a strength.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import lazy, { ErrorBoundary } from "preact-iso/lazy";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useChanges, useData } from "../hooks";
import { NumberField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { Notice } from "../parts/notice";
import { toastError } from "../parts/toast";
import { text } from "../texts/create";
import type { ChosenLora } from "./form";
import type { LoraRow, Unfit } from "./lora";

// It is loaded when it is opened: the first page does without it.
const Picker = lazy(() => import("./lora-picker"));

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
  kind,
  loras,
  unfit,
  error,
  onInput,
  onModel,
  onPrompt,
}: {
  chosen: ChosenLora[];
  modelId: string;
  /** What the model makes. */
  kind: string;
  loras: LoraRow[];
  /** What is said of those that the model cannot load. */
  unfit: Record<string, Unfit>;
  /** Why the service refuses them. */
  error?: string;
  onInput: (chosen: ChosenLora[]) => void;
  /** Gets another model. */
  onModel: (choice: string) => void;
  onPrompt: (words: string) => void;
}) {
  const [open, setOpen] = useState(false);
  const left = loras.filter((l) => l.modelIds.includes(modelId) && !chosen.some((c) => c.id === l.loraId));
  const own = left.filter((l) => l.personal).length;
  const change = (i: number, strength: number) => onInput(chosen.map((l, k) => (k === i ? { ...l, strength } : l)));
  return (
    <div class={error ? "loras wrong" : "loras"}>
      {chosen.map((lora, i) => {
        const row = loras.find((l) => l.loraId === lora.id);
        const { message, choice } = unfit[lora.id] ?? {};
        return (
          <Arriving id={lora.id} key={lora.id}>
            <NumberField
              label={row?.name ?? lora.name}
              value={lora.strength}
              min={row?.personal ? 0.05 : (row?.ui.min ?? -3)}
              max={row?.personal ? 1 : (row?.ui.max ?? 3)}
              step={row?.ui.step ?? 0.05}
              onInput={(v) => change(i, v ?? row?.ui.default ?? 1)}
              error={message}
              help={row?.ui.rangeLabels && `${row.ui.rangeLabels.min} – ${row.ui.rangeLabels.max}`}
            />
            <IconButton
              icon="close"
              label={text.loras.remove(lora.name)}
              onClick={() => onInput(chosen.filter((_, k) => k !== i))}
            />
            {choice && (
              <div>
                <button type="button" class="quiet" onClick={() => onModel(choice.value)}>
                  {text.loras.use(choice.label)}
                </button>
              </div>
            )}
            {row && !message && <Rules row={row} onPrompt={onPrompt} />}
          </Arriving>
        );
      })}
      {error && <p class="error-text">{refusal(error, chosen)}</p>}
      {chosen.length < most && (
        <div class="row">
          <button type="button" class="quiet" onClick={() => setOpen(true)}>
            <Icon name="plus" size={14} /> {text.loras.add}
          </button>
          {left.length > 0 && <span class="muted small">{text.loras.fitting(left.length - own, own)}</span>}
        </div>
      )}
      <ErrorBoundary
        onError={(error) => {
          toastError(error);
          setOpen(false);
        }}>
        {open && (
          <Picker
            loras={left}
            kind={kind}
            onClose={() => setOpen(false)}
            onChoose={(row: LoraRow) => {
              onInput([...chosen, choose(row)]);
              setOpen(false);
            }}
          />
        )}
      </ErrorBoundary>
    </div>
  );
}

/** The LoRA that another page has brought, until it is shown. */
export const arrived = signal("");

/** A chosen LoRA. One that another page has brought comes into view. */
function Arriving({ id, children }: { id: string; children: ComponentChildren }) {
  const row = useRef<HTMLDivElement>(null);
  const isNew = arrived.value === id;
  useEffect(() => {
    if (!isNew) return;
    arrived.value = "";
    row.current!.scrollIntoView({ block: "center" });
    row.current!.focus({ preventScroll: true });
  }, [isNew]);
  return (
    <div class="lora" tabIndex={-1} ref={row}>
      {children}
    </div>
  );
}

/** What the service says of a LoRA, with the name by which the person knows it. */
const refusal = (error: string, chosen: ChosenLora[]) =>
  error.replace(/^names the personal LoRA "([^"]*)"(, which|:)/, (_, id: string, then: string) => {
    const name = chosen.find((l) => l.id === id)?.name ?? id;
    return then === ":" ? `${name}:` : name;
  });

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
