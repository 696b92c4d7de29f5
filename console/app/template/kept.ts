// What was filled into the forms of templates, kept while the tab is open and for the account
// of the session: as it is now for each template, and as it was for each workflow started here. The
// names of files are kept beside them: their addresses have none.

import { objectOf } from "../json";
import { onForget } from "../session";
import { asked, type Values } from "./values";
import { boundsOf, isMedia, type TemplateInput } from "./model";

/** Keeps the values that were set last under their ids. */
function keeper<T>(storageKey: string, most: number) {
  let kept = new Map(stored<T>(storageKey));
  onForget(() => {
    kept = new Map();
  });
  return {
    get: (id: string): T | undefined => kept.get(id),
    set: (id: string, value: T) => {
      kept.delete(id);
      kept.set(id, value);
      kept = new Map([...kept].slice(-most));
      try {
        sessionStorage.setItem(storageKey, JSON.stringify([...kept]));
      } catch {
        // Without storage they last as long as the page.
      }
    },
  };
}

function stored<T>(storageKey: string): [string, T][] {
  try {
    const found = JSON.parse(sessionStorage.getItem(storageKey) ?? "");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

const forms = keeper<Values>("atelier.templates", 40);
const names = keeper<string>("atelier.files", 200);

/** Keeps the values of a form under the id of a template, or of a workflow that was started with them. */
export const keepValues = forms.set;
export const keptValues = forms.get;

/** Keeps the name of the file at an address. */
export const keepName = names.set;

/** What the file at an address is called: the last part of the address where no name is known. */
export function nameAt(url: string): string {
  const last = url.split("?")[0].split("/").pop() ?? "";
  try {
    return names.get(url) ?? decodeURIComponent(last);
  } catch {
    return last; // it is not encoded
  }
}

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
