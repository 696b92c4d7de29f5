// The state of the page "create", of which the form is kept while the tab is open and for the account of the session.

import { effect, signal } from "@preact/signals";
import { onForget } from "../session";
import { emptyForm, type Form } from "./form";
import { begin, reduce, type Event } from "./machine";
import { forgetMarks } from "./marks";
import type { References } from "./pointer";
import { references } from "./reference";

const storageKey = "atelier.create";

export const state = signal(begin(stored()));

export const send = (event: Event) => {
  state.value = reduce(state.value, event);
};

onForget(() => {
  state.value = begin();
  references.value = {};
  forgetMarks();
});

function stored(): Form {
  try {
    const kept = JSON.parse(sessionStorage.getItem(storageKey) ?? "");
    references.value = kept.references;
    return kept.form;
  } catch {
    return emptyForm;
  }
}

effect(() => {
  const ready: References = {};
  for (const r of Object.values(references.value)) {
    if (r.state === "ready")
      ready[r.id] = { ...r, thumbnailUrl: r.thumbnailUrl?.startsWith("blob:") ? r.url : r.thumbnailUrl };
  }
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ form: state.value.form, references: ready }));
  } catch {
    // Without storage the form lasts as long as the page.
  }
});
