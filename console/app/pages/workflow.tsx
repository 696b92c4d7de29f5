// One workflow, live: its steps as a graph, its timeline and its log, with one selection.

import type { ComponentChildren } from "preact";
import { useRoute } from "preact-iso/router";
import { ApiError, encoded } from "../api";
import { moment, percent } from "../format";
import { useTitle } from "../hooks";
import { Progress, Status } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Choices } from "../parts/field";
import { Icon } from "../parts/icon";
import { Empty, Failure, Waiting } from "../parts/notice";
import { useNarrow, useQuery } from "../query";
import { isOver } from "../status";
import { text } from "../texts/workflow";
import { Actions, Approval, Failed, Pause } from "../workflow/actions";
import { Graph, StepLines } from "../workflow/graph";
import { Inputs } from "../workflow/entered";
import { Log } from "../workflow/log";
import { progressOf, stateOf, titleOf, type Step, type Workflow } from "../workflow/model";
import { usePosters } from "../workflow/posters";
import { Results } from "../workflow/results";
import { StepNames, TemplateOf, useStepName, useStepNames, useTemplateOf } from "../workflow/step-names";
import { StepPanel } from "../workflow/step";
import { Timeline } from "../workflow/timeline";
import { WorkflowCost } from "../workflow/cost";
import { useWorkflow, type Watched } from "../workflow/watch";

type Tab = "steps" | "timeline" | "log";

export default function Page() {
  const { params } = useRoute();
  return <WorkflowPage key={params.id} id={params.id} />;
}

function WorkflowPage({ id }: { id: string }) {
  const watched = useWorkflow(id);
  const { workflow, error } = watched;
  const { template, isLoading } = useTemplateOf(workflow);
  const stepName = useStepNames(workflow, template);
  useTitle(workflow ? mark(workflow) + titleOf(workflow).slice(0, 80) : text.title);
  if (!workflow || isLoading) {
    if (error instanceof ApiError && error.status === 404)
      return (
        <Empty title={text.missing}>
          <p>{text.missingHelp}</p>
          <p>
            <a href="/workflows">{text.back}</a>
          </p>
        </Empty>
      );
    return error ? <Failure error={error} retry={watched.retry} /> : <Waiting />;
  }
  return (
    <StepNames value={stepName}>
      <TemplateOf value={template}>
        <div class="workflow stack">
          <Head workflow={workflow} watched={watched} />
          {error && <Failure error={error} retry={watched.reload} />}
          {workflow.awaitingCostApproval && workflow.billingPreview ? (
            <Approval workflow={workflow} watched={watched} />
          ) : (
            workflow.status === "waiting_for_user" && <Pause workflow={workflow} watched={watched} />
          )}
          {workflow.error && <Failed workflow={workflow} error={workflow.error} />}
          <Views workflow={workflow} watched={watched} inputs={<Inputs workflow={workflow} template={template} />} />
        </div>
      </TemplateOf>
    </StepNames>
  );
}

/** What a tab in the background shows before the title. */
function mark(workflow: Workflow): string {
  if (workflow.status === "running") return `${percent(progressOf(workflow))} · `;
  return workflow.status === "completed" ? "✓ " : workflow.status === "waiting_for_user" ? "● " : "";
}

function Head({ workflow, watched }: { workflow: Workflow; watched: Watched }) {
  const stepName = useStepName(); // a workflow that makes a step again has it under the same id
  return (
    <header class="workflow-head">
      <p class="small">
        <a href="/workflows">{text.back}</a>
      </p>
      <div class="page-head">
        <h1 class="workflow-title">
          <bdi>{titleOf(workflow)}</bdi>
        </h1>
        <Actions workflow={workflow} watched={watched} />
      </div>
      <div class="row small">
        <Status status={workflow.status} />
        <span class="muted">
          {text.created} {moment(workflow.timestamps.createdAt)}
        </span>
        <WorkflowCost workflow={workflow} />
        {workflow.remakeOf && (
          <a href={encoded`/workflows/${workflow.remakeOf.workflowId}`}>
            {text.remakeOf(stepName(workflow.remakeOf.stepId))}
          </a>
        )}
        {workflow.template && <a href={encoded`/templates/${workflow.template.id}`}>{text.edit}</a>}
        {workflow.appSource && (
          <span class="muted">
            {text.application} {workflow.appSource}
          </span>
        )}
        <CopyButton value={workflow.workflowId} label={workflow.workflowId.slice(-12)} />
      </div>
      <div class="workflow-progress">
        {!isOver(workflow.status) && <Progress value={progressOf(workflow)} label={text.progress} />}
      </div>
    </header>
  );
}

/** The step that the person selected, or the one that is most interesting now. */
function selectionOf(workflow: Workflow, wanted: string | undefined): Step | undefined {
  const steps = workflow.steps;
  return (
    steps.find((step) => step.id === wanted) ??
    steps.find((step) => step.id === workflow.error?.stepId) ??
    steps.find((step) => step.status === "failed") ??
    steps.find((step) => step.status === "running") ??
    steps.find((step) => !isOver(step.status)) ??
    steps.at(-1)
  );
}

interface ViewsProps {
  workflow: Workflow;
  watched: Watched;
  /** What it was started with. */
  inputs: ComponentChildren;
}

function Views({ workflow: plain, watched, inputs }: ViewsProps) {
  const workflow = usePosters(plain);
  const results = isOver(workflow.status) && <Results workflow={workflow} />;
  const [query, change] = useQuery();
  const narrow = useNarrow();
  const step = selectionOf(workflow, query.step);
  const selected = step?.id ?? "";
  const onSelect = (id: string) => change({ step: id });
  const timeline = <Timeline workflow={workflow} events={watched.events} selected={selected} onSelect={onSelect} />;
  const log = <Log events={watched.events} stream={watched.stream} selected={selected} onSelect={onSelect} />;
  if (narrow) {
    const tab = (query.tab as Tab) || "steps";
    return (
      <>
        {results}
        {inputs}
        <Choices<Tab>
          label={text.tabs}
          value={tab}
          onInput={(value) => change({ tab: value === "steps" ? undefined : value })}
          options={[
            { value: "steps", label: text.stepsTab },
            { value: "timeline", label: text.timeline },
            { value: "log", label: text.log },
          ]}
        />
        {tab === "timeline" ? (
          timeline
        ) : tab === "log" ? (
          log
        ) : (
          <StepList
            workflow={workflow}
            selected={query.step ?? ""}
            onSelect={(id) => change({ step: id === query.step ? undefined : id })}
          />
        )}
      </>
    );
  }
  return (
    <>
      {results}
      {inputs}
      <div class="workflow-main">
        <div class="stack">
          <Graph workflow={workflow} selected={selected} onSelect={onSelect} />
          {timeline}
          {log}
        </div>
        {step && <StepPanel workflow={workflow} step={step} />}
      </div>
    </>
  );
}

function StepList({
  workflow,
  selected,
  onSelect,
}: {
  workflow: Workflow;
  selected: string;
  onSelect: (step: string) => void;
}) {
  return (
    <ol class="step-list stack">
      {workflow.steps.map((step) => (
        <li key={step.id}>
          <button
            class={`step-item status-${stateOf(workflow, step).status}`}
            aria-expanded={step.id === selected}
            onClick={() => onSelect(step.id)}>
            <span class="step-lines">
              <StepLines workflow={workflow} step={step} />
            </span>
            <Icon name={step.id === selected ? "up" : "down"} size={18} />
          </button>
          {step.id === selected && <StepPanel workflow={workflow} step={step} />}
        </li>
      ))}
    </ol>
  );
}
