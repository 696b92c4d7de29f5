// Runs a template from the builder. The results appear in the nodes.

import { encoded, UnreachableError } from "../api";
import { Progress, Status } from "../parts/chip";
import { Failure } from "../parts/notice";
import { isOwn } from "../template/load";
import type { TemplateInput } from "../template/model";
import type { Template } from "../types";
import { RunForm } from "../template/run";
import type { Values } from "../template/values";
import { isOver } from "../status";
import { text } from "../texts/builder";
import { Actions, Approval, Pause } from "../workflow/actions";
import { progressOf, type Workflow } from "../workflow/model";
import { StepNames, useStepNames } from "../workflow/step-names";
import { StepPanel } from "../workflow/step";
import type { Watched } from "../workflow/watch";
import type { Issue } from "./document";
import { Refusal } from "./parts";
import { refusalsOf } from "./store";
import type { Checked } from "./use-checked";

export function RunPanel({
  template,
  inputs,
  watched,
  isSaved,
  filled,
  checked,
  onJump,
  store,
  onStarted,
  onAnother,
}: {
  template?: Template;
  inputs: TemplateInput[];
  watched: Watched;
  isSaved: boolean;
  /** What was filled in: it lasts while the builder is open. */
  filled: { current: Values | undefined };
  checked: Checked;
  onJump: (issue: Issue) => void;
  store: () => Promise<Template>;
  onStarted: (workflow: Workflow, templateId: string) => void;
  onAnother: () => void;
}) {
  const { workflow } = watched;
  const stepName = useStepNames(workflow, template);
  if (workflow)
    return (
      <StepNames value={stepName}>
        <RunState workflow={workflow} watched={watched} onAnother={onAnother} />
      </StepNames>
    );
  if (watched.error)
    return (
      <Failure error={watched.error} retry={watched.error instanceof UnreachableError ? watched.retry : onAnother} />
    );
  let id = template?.id ?? "";
  const before = async () => (id = (await store()).id);
  const explain = (error: Error) => {
    const issues = checked.inWords(refusalsOf(error));
    return issues.length > 0 && <Refusal issues={issues} onJump={onJump} />;
  };
  return (
    <div class="stack">
      <h2>{text.run}</h2>
      {!(template && isSaved) && <p class="small muted">{text.runHelp}</p>}
      <RunForm
        key={inputs.map((input) => `${input.name} ${input.type}`).join()}
        templateId={id}
        inputs={inputs}
        given={filled.current}
        onValues={(values) => (filled.current = { ...filled.current, ...values })}
        explain={explain}
        before={isSaved && template ? undefined : before}
        onStarted={(started) => onStarted(started, id)}
      />
      {template && !isOwn(template) && !isSaved && <p class="small muted">{text.notYours}</p>}
    </div>
  );
}

function RunState({ workflow, watched, onAnother }: { workflow: Workflow; watched: Watched; onAnother: () => void }) {
  const done = workflow.steps.filter((step) => step.artifacts.length || step.error || step.waiting);
  return (
    <div class="stack">
      <div class="row">
        <h2 class="grow">{text.run}</h2>
        <Status status={workflow.status} />
      </div>
      {!isOver(workflow.status) && <Progress value={progressOf(workflow)} label={text.run} />}
      {workflow.awaitingCostApproval && workflow.billingPreview ? (
        <Approval workflow={workflow} watched={watched} />
      ) : (
        workflow.status === "waiting_for_user" && <Pause workflow={workflow} watched={watched} />
      )}
      <div class="row">
        <a class="quiet" href={encoded`/workflows/${workflow.workflowId}`}>
          {text.openRun}
        </a>
        {isOver(workflow.status) && (
          <button class="quiet" onClick={onAnother}>
            {text.another}
          </button>
        )}
        <Actions workflow={workflow} watched={watched} />
      </div>
      {done.map((step) => (
        <StepPanel key={step.id} workflow={workflow} step={step} />
      ))}
    </div>
  );
}
