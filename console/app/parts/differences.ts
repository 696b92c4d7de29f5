// What tells media from each other, in words.

import { duration } from "../format";
import { text } from "../texts/shell";
import type { MediaItem } from "./item";

const unbroken = (fact: string) => fact.replaceAll(" ", "\u00a0");

/** What is known about an item, always in the same order; empty where it is not known. */
const factsOf = (item: MediaItem, modelName: (id: string) => string): string[] => [
  item.label ?? "",
  item.modelId ? modelName(item.modelId) : "",
  typeof item.seed === "number" ? unbroken(text.seed(item.seed)) : "",
  item.width && item.height ? unbroken(`${item.width} × ${item.height}`) : "",
  item.durationSeconds ? duration(item.durationSeconds) : "",
];

/**
 * A caption for each of the shown items of a list: the facts in which they differ, after their numbers in the list
 * unless every one of it is called differently.
 */
export function captionsOf(items: MediaItem[], modelName: (id: string) => string, shown = items): string[] {
  const areNamed = new Set(items.map((item) => item.label)).size === items.length;
  const facts = shown.map((item) => factsOf(item, modelName));
  const tells = (k: number) => new Set(facts.map((f) => f[k])).size > 1;
  return shown.map((item, i) =>
    [!areNamed && text.compare.number(items.indexOf(item) + 1), ...facts[i].filter((_, k) => tells(k))]
      .filter(Boolean)
      .join(" · "),
  );
}
