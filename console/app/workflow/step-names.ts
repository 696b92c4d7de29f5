// What steps are called: those of a template after its stages, any other by its id.

import { createContext } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { get } from "../api";
import { cellOf } from "../create/grid";
import { words } from "../format";
import { useData } from "../hooks";
import { labelOf, mediaLabelOf } from "../texts/arguments";
import type { Template } from "../types";
import { inputOf } from "./inputs";
import type { Workflow } from "./model";
import { nameSteps, plainStepName, toolOf, type StepName } from "./step-name";

const Names = createContext<StepName>(plainStepName);

export const StepNames = Names.Provider;

export const useStepName = () => useContext(Names);

const Origin = createContext<Template | undefined>(undefined);

/** The template of the workflow that is shown. */
export const TemplateOf = Origin.Provider;

/** What the argument of a step is called: as the input of the template that it takes its value from, or as in tools. */
export function useArgumentName(stepId: string): (argument: string) => string {
  const template = useContext(Origin);
  return (argument) => {
    const input = inputOf(template, stepId, argument);
    return input ? words(input) : mediaLabelOf(argument);
  };
}

/** The same in a message, where it has the name by which lists of workflows, which know no template, call it too. */
export function useArgumentInMessage(stepId: string): (argument: string) => string {
  const nameOf = useArgumentName(stepId);
  return (argument) => {
    const [name, usual] = [nameOf(argument), labelOf(argument)];
    return name === usual ? name : `${name} (${usual})`;
  };
}

/** The template of a workflow, while it is there, and whether that is not known yet. */
export function useTemplateOf(workflow: Workflow | undefined): { template: Template | undefined; isLoading: boolean } {
  const id = workflow?.template?.id;
  const { data, error } = useData(
    async (signal) =>
      id ? (await get("/v1/creative-agent/workflows/templates/{id}", { path: { id }, signal })).template : undefined,
    [id],
  );
  return { template: data, isLoading: id !== undefined && !data && !error };
}

/** The names of the steps of a workflow, in a grid what differs. A template that is gone or was changed leaves them their ids. */
export function useStepNames(workflow: Workflow | undefined, template: Template | undefined): StepName {
  return useMemo(() => {
    const name = nameSteps(template);
    return (id) => (workflow && cellOf(workflow, id, labelOf)) || (workflow && toolOf(workflow, id)) || name(id);
  }, [template, workflow?.workflowId]);
}
