// The ways from a workflow to the pages where it is changed. Create has one step, the builder has all of them.

import { encoded } from "../api";
import { Icon } from "../parts/icon";
import { text } from "../texts/workflow";
import type { Step, Workflow } from "./model";
import { useStepName } from "./step-names";

/** Where Create opens with what a step was made with. */
export const inCreate = (workflow: Workflow, step: string) =>
  encoded`/?workflow=${workflow.workflowId}&restore=${step}`;

/** Where the builder opens with all steps: in the template that made them, or a new one. */
const inBuilder = ({ workflowId, template }: Workflow) =>
  template ? encoded`/templates/${template.id}/edit` : encoded`/templates/new?workflow=${workflowId}`;

export function OpenElsewhere({ workflow, step }: { workflow: Workflow; step: Step }) {
  const name = useStepName()(step.id);
  const others = workflow.steps.length - 1;
  if (!others)
    return (
      <a class="quiet" href={inCreate(workflow, step.id)}>
        <Icon name="edit" size={16} /> {text.openInCreate}
      </a>
    );
  return (
    <>
      <a class="quiet" href={inBuilder(workflow)}>
        <Icon name="workflow" size={16} /> {text.openInBuilder}
      </a>
      <a class="quiet" href={inCreate(workflow, step.id)} title={text.openOneHelp(others)}>
        <Icon name="edit" size={16} /> {text.openOneNamed(name)}
      </a>
    </>
  );
}
