// What is written and attached and not sent yet, for each conversation, and what the person
// has chosen for all of them, kept while the tab is open and for the account of the session.

import { batch, effect, signal } from "@preact/signals";
import { randomId } from "../api";
import { keep, kept as keptChoice } from "../keep";
import { onForget, session } from "../session";
import type { Upload } from "../upload";

export interface Draft {
  text: string;
  media: Upload[];
}

/** When a run asks before it continues: never, before it takes from the balance, or before it makes anything. */
export type Asking = "never" | "spending" | "making";

export interface Settings {
  /** The language model that was chosen last; empty for the default. */
  model: string;
  asking: Asking;
}

/** What a conversation is answered by. */
export interface Choices {
  model: string;
  instructions: string;
  temperature: number | null;
}

const storageKey = "atelier.chat";
const newKey = ""; // the draft of the next conversation, whatever its id will be
const empty: Draft = { text: "", media: [] };
const initial: Settings = { model: "", asking: "spending" };

interface Kept {
  drafts?: Record<string, Draft>;
  choices?: Record<string, Choices>;
  settings?: Settings;
  awayIn?: string;
}

function stored(): Kept {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "") ?? {};
  } catch {
    return {};
  }
}

const kept = stored();
const drafts = signal<Record<string, Draft>>(kept.drafts ?? {});
const choices = signal<Record<string, Choices>>(kept.choices ?? {});
export const settings = signal<Settings>({ ...initial, ...kept.settings });

/** The conversation whose end was not in view when it was left. */
export const awayIn = signal(kept.awayIn ?? "");

const mint = () => "console-" + randomId().slice(0, 16);

/** The id of the next conversation, until its first message was sent. */
export const newId = signal(mint());

onForget(() => {
  drafts.value = {};
  choices.value = {};
  settings.value = initial;
  awayIn.value = "";
  newId.value = mint();
});

const askings: readonly string[] = ["never", "spending", "making"] satisfies Asking[];
const askingKey = (wallet: string) => "atelier.asking." + wallet;

// When a run asks is the account's choice in this browser: no other tab begins with less.
effect(() => {
  const chosen = keptChoice(askingKey(session.value?.walletAddress ?? ""));
  if (askings.includes(chosen)) settings.value = { ...settings.peek(), asking: chosen as Asking };
});

export function setAsking(asking: Asking) {
  settings.value = { ...settings.value, asking };
  if (session.value) keep(askingKey(session.value.walletAddress), asking);
}

effect(() => {
  try {
    sessionStorage.setItem(
      storageKey,
      JSON.stringify({ drafts: drafts.value, choices: choices.value, settings: settings.value, awayIn: awayIn.value }),
    );
  } catch {
    // Without storage a draft lasts as long as the page.
  }
});

const keyOf = (id: string) => (id === newId.value ? newKey : id);

export const draftOf = (id: string): Draft => drafts.value[keyOf(id)] ?? empty;

export function changeDraft(id: string, by: (old: Draft) => Draft) {
  const { [keyOf(id)]: old, ...others } = drafts.value;
  const draft = by(old ?? empty);
  drafts.value = draft.text || draft.media.length ? { ...others, [keyOf(id)]: draft } : others;
}

/** What a conversation is answered by: as was chosen since its last answer, as that was asked for, or as usual. */
export const choicesOf = (id: string, last?: Choices): Choices =>
  choices.value[keyOf(id)] ??
  (last
    ? { model: last.model, instructions: last.instructions, temperature: last.temperature }
    : { model: settings.value.model, instructions: "", temperature: null });

export function setChoices(id: string, to: Choices) {
  batch(() => {
    choices.value = { ...choices.value, [keyOf(id)]: to };
    settings.value = { ...settings.value, model: to.model };
  });
}

/** The last answer has been asked for with them. */
export function forgetChoices(id: string) {
  const { [keyOf(id)]: _, ...others } = choices.value;
  choices.value = others;
}

/** A new conversation has its first message: what was written since belongs to it, and the next one is another. */
export function endNew(id: string) {
  if (id !== newId.value) return;
  const draft = draftOf(id);
  batch(() => {
    changeDraft(id, () => empty);
    newId.value = mint();
    changeDraft(id, () => draft);
  });
}

/** Puts the focus where the next message is written. */
export const focusComposer = () => document.querySelector<HTMLElement>(".composer textarea")?.focus();
