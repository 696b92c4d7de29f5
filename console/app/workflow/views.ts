// Saved views of the list: its filters under a name.

import { isObject, listOf, textOf } from "../json";
import { parsed, presetsIn, type Preset } from "../preset";

/** The parameters of the address that are filters. */
export const filters = ["status", "kind", "tool", "model", "reason", "q", "template", "from", "to"] as const;

export type Filters = Partial<Record<(typeof filters)[number], string>>;

export interface View {
  name: string;
  filters: Filters;
}

/** The filters of an address, those that are set. */
export const filtersIn = (query: Record<string, unknown>): Filters =>
  Object.fromEntries(filters.flatMap((name) => (textOf(query[name]) ? [[name, textOf(query[name])]] : [])));

export const isSame = (a: Filters, b: Filters) => filters.every((name) => (a[name] ?? "") === (b[name] ?? ""));

/** Filters as the service keeps them: the query of the list. */
export const queryOf = (filters: Filters) => new URLSearchParams(filters).toString();

export const viewOf = ({ name, value }: Preset): View => ({
  name,
  filters: filtersIn(Object.fromEntries(new URLSearchParams(value))),
});

/** The views that a browser kept; what is not one is left out. */
export const localViews = (text: string): Preset[] =>
  presetsIn(
    listOf(parsed(text)).flatMap((v) =>
      isObject(v) && isObject(v.filters) ? [{ name: textOf(v.name), value: queryOf(filtersIn(v.filters)) }] : [],
    ),
  );
