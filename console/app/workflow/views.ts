// Saved views of the list: its filters under a name.

import { isObject, listOf, textOf } from "../json";

/** The parameters of the address that are filters. */
export const filters = ["status", "kind", "tool", "model", "reason", "q", "template", "from", "to"] as const;

export type Filters = Partial<Record<(typeof filters)[number], string>>;

export interface View {
  name: string;
  filters: Filters;
}

export const maxViews = 30;
export const maxName = 60;

/** The filters of an address, those that are set. */
export const filtersIn = (query: Record<string, unknown>): Filters =>
  Object.fromEntries(filters.flatMap((name) => (textOf(query[name]) ? [[name, textOf(query[name])]] : [])));

export const isSame = (a: Filters, b: Filters) => filters.every((name) => (a[name] ?? "") === (b[name] ?? ""));

/** The views that were kept; what is not one is left out. */
export function parseViews(text: string): View[] {
  let list: unknown;
  try {
    list = JSON.parse(text || "[]");
  } catch {
    return [];
  }
  return listOf(list)
    .flatMap((v) => (isObject(v) && textOf(v.name) && isObject(v.filters) ? [v] : []))
    .map((v) => ({ name: textOf(v.name), filters: filtersIn(v.filters as Filters) }))
    .slice(0, maxViews);
}

/** The views with one more. One of the same name is replaced, and the oldest leaves a full list. */
export const withView = (views: View[], name: string, filters: Filters): View[] =>
  [...views.filter((v) => v.name !== name), { name, filters }].slice(-maxViews);
