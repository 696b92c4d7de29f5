// What a person chose for the step that made an item.

import { words } from "../format";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/library";
import type { Step } from "../types";

/** What the details of an item say by themselves. */
const known = new Set(
  "prompt model videoModel seed width height aspectRatio ratio duration numberOfVariations outputFormat loras loraStrengths".split(
    " ",
  ),
);

const isMedia = (name: string, value: unknown) =>
  /Ind(ex|ices)$|[uU]rls?$/.test(name) || /^https?:/.test(String(value));

/** A value in words; empty for what is too much for a line, such as points on a picture. */
function said(value: unknown): string {
  if (Array.isArray(value)) return value.map(said).filter(Boolean).join(", ");
  if (typeof value === "boolean") return value ? text.details.yes : text.details.no;
  if (typeof value === "number") return String(value);
  return typeof value !== "string" ? "" : /^[a-z]+([_-][a-z]+)+$/.test(value) ? words(value) : value;
}

/** The arguments of a step as they were given, in words, without what is said elsewhere and what was left to the service. */
export const chosenOf = ({ arguments: given }: Pick<Step, "arguments">): { name: string; value: string }[] =>
  Object.entries(given)
    .filter(([name, value]) => !known.has(name) && !isMedia(name, value) && value !== given.prompt)
    .map(([name, value]) => ({ name: labelOf(name), value: said(value) }))
    .filter(({ value }) => value);
