// The names of models as people know them.

import { useCallback } from "preact/hooks";
import { get } from "../api";
import { words } from "../format";
import { useData } from "../hooks";

type Models = Map<string, { name: string; mediaType: string }>;

let known: Models | undefined;
let reading: Promise<Models> | undefined;

const load = () =>
  (reading ??= get("/v1/model-catalog")
    .then(({ models }) => (known = new Map(models.map((m) => [m.id, m]))))
    .finally(() => {
      reading = undefined;
    }));

/** A function from the id of a model to its name, or to the id while no name is known. */
export function useModelNames(): (id: string) => string {
  const { data } = useData(load, [], known);
  return useCallback((id: string) => data?.get(id)?.name ?? id, [data]);
}

/** A function from the id of a model to what it makes, where that is known. */
export function useMediaTypes(): (id: string) => string | undefined {
  const { data } = useData(load, [], known);
  return (id) => data?.get(id)?.mediaType;
}

/** The ids of the models of the catalog. */
export const useModelIds = (): string[] => [...(useData(load, [], known).data?.keys() ?? [])];

/** The same for jobs: tools that need no model are listed by their own names, which are put in words. */
export function useJobNames(): (id: string) => string {
  const names = useModelNames();
  return useCallback(
    (id: string) => (names(id) === id && /^[a-z0-9]+(_[a-z0-9]+)+$/.test(id) ? words(id) : names(id)),
    [names],
  );
}
