// What the library shows, as it is in the address.

import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { useSettled } from "../hooks";
import type { MarkFilter } from "./mark";
import type { Filter } from "./sections";

/** Changes the address; an empty value is left out. */
export type ChangeFilter = (next: Record<string, string>) => void;

type Query = Record<string, string | undefined>;

export const marksIn = (query: Query): MarkFilter => ({
  board: query.board ?? "",
  favourite: query.favourite === "true",
  tags: query.tag ? query.tag.split(",").filter(Boolean).slice(0, 5) : [],
});

/** The address of the library with another filter. */
export function addressWith(query: Query, next: Record<string, string>) {
  const all = new URLSearchParams(
    Object.entries({ ...query, ...next }).filter((entry): entry is [string, string] => !!entry[1]),
  );
  return "/library" + (all.size ? "?" + all : "");
}

export function useFilter() {
  const { query, route } = useLocation();
  const filter: Filter = {
    kind: query.kind ?? "",
    q: query.q ?? "",
    workflowId: query.workflow ?? "",
    ...marksIn(query),
  };
  const change: ChangeFilter = (next) => route(addressWith(query, next), true);
  return { query, route, filter, change };
}

/** What is typed goes to the address when the person pauses. */
export function useTyped(current: string, onSettled: (text: string) => void) {
  const [typed, setTyped] = useState(current);
  const settled = useSettled(typed, 300);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else if (settled !== current) onSettled(settled);
  }, [settled]);
  useEffect(() => {
    if (current !== settled) setTyped(current); // a link leads to another search
  }, [current]);
  return [typed, setTyped] as const;
}
