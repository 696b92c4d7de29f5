// The labels of the arguments of tools.

import { words } from "../format";
import { choose } from "./choose";

const labels = choose({
  en: { bpm: "Tempo (BPM)", keyscale: "Key", timesig: "Time signature" } as Record<string, string>,
});

/**
 * A description of the service for people: tools, and arguments if they are given, have the names that are shown. How
 * programs point to media is left out.
 */
export const describe = (description: string, names: string[] = []) =>
  description
    .replace(/ By number: 0 and up are results[^.]*\./, "")
    .replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) => words(name))
    .replace(/\b[a-z]+[A-Z]\w*\b/g, (name) => (names.includes(name) ? labelOf(name) : name));

/** The label of an argument whose medium is shown: not of its address. */
export const mediaLabelOf = (name: string) => labelOf(name.replace(/_?urls?$/i, ""));

/** The label of an argument: from the list, or its name as words. What an index points to is named, not the index. */
export const labelOf = (name: string) => labels[name] ?? words(name.replace(/Ind(ex|ices)$/, ""));
