// Marks: favourites, tags and boards. What a change makes of them, and what fits a filter.

import type { MarkedItem } from "../types";

export type Marks = Omit<MarkedItem, "id">;

export interface MarkChange {
  favourite?: boolean;
  addTags?: string[];
  removeTags?: string[];
  addBoards?: string[];
  removeBoards?: string[];
}

export interface MarkFilter {
  board: string;
  favourite: boolean;
  tags: string[];
}

const changed = (old: string[], added: string[] = [], removed: string[] = []) =>
  [...new Set([...old, ...added])].filter((value) => !removed.includes(value)).sort();

/** The marks after a change. */
export const applied = (marks: Marks, change: MarkChange): Marks => ({
  favourite: change.favourite ?? marks.favourite,
  tags: changed(marks.tags, change.addTags, change.removeTags),
  boards: changed(marks.boards, change.addBoards, change.removeBoards),
});

/** A change of the marks of some items. */
export interface Change<Item extends Marks & { id: string }> {
  items: readonly Item[];
  change: MarkChange;
}

/** The marks that are known of items by their ids, after changes of them in this order. */
export function changedBy<Item extends Marks & { id: string }>(
  known: ReadonlyMap<string, Marks>,
  changes: readonly Change<Item>[],
): ReadonlyMap<string, Marks> {
  const all = new Map(known);
  for (const { items, change } of changes)
    for (const item of items) all.set(item.id, applied(all.get(item.id) ?? item, change));
  return all;
}

/** Reports whether something with these marks is in the list of a filter. */
export const fits = (marks: Marks, filter: MarkFilter) =>
  (!filter.board || marks.boards.includes(filter.board)) &&
  (!filter.favourite || marks.favourite) &&
  filter.tags.every((tag) => marks.tags.includes(tag));

/** The values that all of several items have, and those that only some have. */
export function shared(lists: string[][]): { all: string[]; some: string[] } {
  const values = [...new Set(lists.flat())].sort();
  const isInAll = (value: string) => lists.every((list) => list.includes(value));
  return { all: values.filter(isInAll), some: values.filter((value) => !isInAll(value)) };
}

/** The tags in what a person has written, as the service keeps them. */
export const tagsIn = (written: string) => [
  ...new Set(
    written
      .split(",")
      .map((tag) => tag.trim().replace(/\s+/g, " ").toLowerCase())
      .filter(Boolean),
  ),
];
