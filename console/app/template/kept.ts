// What was filled into the forms of templates, kept while the tab is open and for the account
// of the session: as it is now for each template, and as it was for each workflow started here.

import { objectOf } from "../json";
import { onForget } from "../session";
import { asked, type Values } from "./values";
import { boundsOf, isMedia, type TemplateInput } from "./model";

const storageKey = "atelier.templates";
const most = 40; // forms; the ones that were changed last

function stored(): [string, Values][] {
  try {
    const found = JSON.parse(sessionStorage.getItem(storageKey) ?? "");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

let kept = new Map(stored());

onForget(() => {
  kept = new Map();
});

/** Keeps the values of a form under the id of a template, or of a workflow that was started with them. */
export function keepValues(id: string, values: Values) {
  kept.delete(id);
  kept.set(id, values);
  kept = new Map([...kept].slice(-most));
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([...kept]));
  } catch {
    // Without storage they last as long as the page.
  }
}

export const keptValues = (id: string): Values | undefined => kept.get(id);

/** Of some values those that inputs can have now: a template may have changed since. */
export function fitting(inputs: TemplateInput[], values: Values): Values {
  return Object.fromEntries(
    asked(inputs)
      .filter((input) => suits(input, values[input.name]))
      .map((input) => [input.name, values[input.name]]),
  );
}

function suits(input: TemplateInput, value: unknown): boolean {
  if (boundsOf(input)) return Array.isArray(value);
  if (input.type === "select" || input.options?.length) return value !== undefined;
  if (isMedia(input.type)) return typeof value === "string" || typeof objectOf(value).url === "string";
  return typeof value === (input.type === "text" ? "string" : input.type);
}
