// The ways from a workflow to the pages where it is changed. Create has one step, the builder has all of them.

import { useLocation } from "preact-iso/router";
import { encoded } from "../api";
import { drafts } from "../builder/store";
import { ask } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { text } from "../texts/workflow";
import { templateOf } from "./as-template";
import type { Step, Workflow } from "./model";
import { useStepName } from "./step-names";

/** Where Create opens with what a step was made with. */
export const inCreate = (workflow: Workflow, step: string) =>
  encoded`/?workflow=${workflow.workflowId}&restore=${step}`;

export function OpenElsewhere({ workflow, step }: { workflow: Workflow; step: Step }) {
  const { route } = useLocation();
  const name = useStepName()(step.id);
  const others = workflow.steps.length - 1;
  if (!others)
    return (
      <a class="quiet" href={inCreate(workflow, step.id)}>
        <Icon name="edit" size={16} /> {text.openInCreate}
      </a>
    );
  const build = async () => {
    const isKept =
      drafts.read(undefined) &&
      !(await ask({ title: text.replaceDraft, body: text.replaceDraftText, confirm: text.replaceDraftConfirm }));
    if (isKept) return;
    drafts.write(undefined, JSON.stringify(templateOf(workflow), null, 2) + "\n");
    route("/templates/new");
  };
  return (
    <>
      {workflow.template ? (
        <a class="quiet" href={encoded`/templates/${workflow.template.id}/edit`}>
          <Icon name="workflow" size={16} /> {text.openInBuilder}
        </a>
      ) : (
        <button class="quiet" onClick={() => void build()}>
          <Icon name="workflow" size={16} /> {text.openInBuilder}
        </button>
      )}
      <a class="quiet" href={inCreate(workflow, step.id)} title={text.openOneHelp(others)}>
        <Icon name="edit" size={16} /> {text.openOneNamed(name)}
      </a>
    </>
  );
}
