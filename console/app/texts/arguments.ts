// The labels of the arguments of tools.

import { words } from "../format";
import { choose } from "./choose";

const labels = choose({
  en: { bpm: "Tempo (BPM)", keyscale: "Key", timesig: "Time signature" } as Record<string, string>,
});

/** The label of an argument: from the list, or its name as words. What an index points to is named, not the index. */
export const labelOf = (name: string) => labels[name] ?? words(name.replace(/Ind(ex|ices)$/, ""));
