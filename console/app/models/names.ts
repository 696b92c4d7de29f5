// The names of models as people know them.

import { useCallback } from "preact/hooks";
import { get } from "../api";
import { useData } from "../hooks";

let names: Promise<Map<string, string>> | undefined;

const load = () => (names ??= get<{ models: { id: string; name: string }[] }>("/v1/model-catalog").then(
  ({ models }) => new Map(models.map((m) => [m.id, m.name])),
  (error) => {
    names = undefined;
    throw error;
  },
));

/** A function from the id of a model to its name, or to the id while no name is known. */
export function useModelNames(): (id: string) => string {
  const { data } = useData(load, []);
  return useCallback((id: string) => data?.get(id) ?? id, [data]);
}
