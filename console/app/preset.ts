// What the service keeps for the account under a name, and the changes of it that the service has not confirmed.

import { listOf, objectOf, textOf } from "./json";

export interface Preset {
  name: string;
  value: string;
}

/** Keeps a value under a name, or removes the name when it has no value. */
export interface Change {
  name: string;
  value?: string;
}

export interface State {
  /** As the service said last; undefined until it did. */
  kept?: Preset[];
  pending: Change[];
}

export type Action =
  | { type: "read"; kept: Preset[] }
  | { type: "begin"; change: Change }
  | { type: "done"; change: Change }
  | { type: "failed"; change: Change };

export const maxName = 60;
export const maxValue = 1000;

const changed = (list: Preset[], { name, value }: Change): Preset[] => {
  const others = list.filter((p) => p.name !== name);
  if (value === undefined) return others;
  return [...others, { name, value }].sort((a, b) => (a.name < b.name ? -1 : 1));
};

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case "read":
      return { ...state, kept: action.kept };
    case "begin":
      return { ...state, pending: [...state.pending, action.change] };
  }
  const pending = state.pending.filter((change) => change !== action.change);
  return action.type === "failed"
    ? { ...state, pending }
    : { kept: state.kept && changed(state.kept, action.change), pending };
}

/** What is shown: changes count before the service confirms them. */
export const shown = ({ kept = [], pending }: State): Preset[] => pending.reduce(changed, kept);

/** The name as the service keeps it. */
export const nameOf = (written: string) => written.trim().replace(/\s+/g, " ");

/**
 * What has to be kept so that the service has all that a browser had. A name that means something else on another
 * device stays as it is: the browser's gets a number.
 */
export function missing(local: Preset[], kept: Preset[]): Preset[] {
  const all = [...kept];
  for (const { name, value } of local) {
    let free = name;
    for (let n = 2; all.some((p) => p.name === free && p.value !== value); n++)
      free = `${name.slice(0, maxName - 4)} ${n}`;
    if (!all.some((p) => p.name === free)) all.push({ name: free, value });
  }
  return all.slice(kept.length);
}

/** The styles that a browser kept; what is not one is left out. */
export function localStyles(text: string): Preset[] {
  const styles = listOf(parsed(text)).map(objectOf);
  return presetsIn(styles.map((s) => ({ name: textOf(s.name), value: textOf(s.words) })));
}

/** What can be kept, cut to what the service takes. */
export const presetsIn = (list: Preset[]) =>
  list
    .map(({ name, value }) => ({ name: nameOf(name).slice(0, maxName), value: value.trim().slice(0, maxValue) }))
    .filter(({ name, value }) => name && value);

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
