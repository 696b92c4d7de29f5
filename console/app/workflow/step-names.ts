// What steps are called: those of a template after its stages, any other by its id.

import { createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { get } from "../api";
import { useData } from "../hooks";
import type { Workflow } from "./model";
import { nameSteps, plainStepName, type StepName } from "./step-name";

const Names = createContext<StepName>(plainStepName);

export const StepNames = Names.Provider;

export const useStepName = () => useContext(Names);

/** The names of the steps of a workflow. A template that is gone or was changed leaves them their ids. */
export function useStepNames(workflow: Workflow | undefined): StepName {
  const id = workflow?.template?.id;
  const { data } = useData(
    async (signal) =>
      id ? (await get("/v1/creative-agent/workflows/templates/{id}", { path: { id }, signal })).template : undefined,
    [id],
  );
  return useMemo(() => nameSteps(data), [data]);
}
