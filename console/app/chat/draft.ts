// What is written and attached and not sent yet, for each conversation, and what the person
// has chosen for all of them, kept while the tab is open and for the account of the session.

import { batch, effect, signal } from "@preact/signals";
import { randomId } from "../api";
import { onForget } from "../session";
import type { Upload } from "../upload";

export interface Draft {
  text: string;
  media: Upload[];
}

export interface Settings {
  model: string;
  askBefore: boolean;
}

const storageKey = "atelier.chat";
const newKey = ""; // the draft of the next conversation, whatever its id will be
const empty: Draft = { text: "", media: [] };
const initial: Settings = { model: "", askBefore: true };

function stored(): { drafts?: Record<string, Draft>; settings?: Settings; awayIn?: string } {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? "") ?? {};
  } catch {
    return {};
  }
}

const kept = stored();
const drafts = signal<Record<string, Draft>>(kept.drafts ?? {});
export const settings = signal<Settings>({ ...initial, ...kept.settings });

/** The conversation whose end was not in view when it was left. */
export const awayIn = signal(kept.awayIn ?? "");

const mint = () => "console-" + randomId().slice(0, 16);

/** The id of the next conversation, until its first message was sent. */
export const newId = signal(mint());

onForget(() => {
  drafts.value = {};
  settings.value = initial;
  awayIn.value = "";
  newId.value = mint();
});

effect(() => {
  try {
    sessionStorage.setItem(
      storageKey,
      JSON.stringify({ drafts: drafts.value, settings: settings.value, awayIn: awayIn.value }),
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
