// Everything about one step.

import { useLocation } from "preact-iso/router";
import { encoded } from "../api";
import { duration, moment, price, span, unit, words } from "../format";
import { useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { Progress, Status } from "../parts/chip";
import { Code } from "../parts/code";
import { Fact } from "../parts/fact";
import { Notice } from "../parts/notice";
import { isOver } from "../status";
import { text } from "../texts/workflow";
import { blamedBy, reasonOf, sentTo, stateOf, type Step, type Workflow } from "./model";
import { inCreate } from "./open";
import { Remake } from "./remake-button";
import { StepResults, Tiles } from "./results";
import { keepStarted } from "./started";
import { useArgumentInMessage, useArgumentName, useStepName } from "./step-names";
import { inWords, reasonInWords } from "./words";

export function StepPanel({ workflow, step }: { workflow: Workflow; step: Step }) {
  const names = useModelNames();
  const stepName = useStepName();
  const inMessage = useArgumentInMessage(step.id);
  const now = useNow(step.wait?.until ? 1000 : 3_600_000);
  const noWorker = (model: string, network: string, until?: string) =>
    [text.noWorker(names(model), network), until && text.failsIn(duration((Date.parse(until) - now) / 1000))]
      .filter(Boolean)
      .join(" ");
  const { message, isUsual } = reasonOf(step, noWorker);
  const isSaidAbove = step.waiting !== undefined && step.waiting.message === workflow.waiting?.message;
  const blamed = blamedBy(workflow, step);
  const taken = step.dependsOn.filter(({ sourceStepId }) => sourceStepId !== "$input_media");
  const made = step.artifacts.find((artifact) => artifact.width && artifact.height);
  const isUnserved = step.waitingFor !== undefined || step.waiting?.reason === "no_worker";
  return (
    <section class="step-panel stack" aria-label={`${text.step} ${stepName(step.id)}`}>
      <header class="row">
        <h2 class="grow">{stepName(step.id)}</h2>
        <Status {...stateOf(workflow, step)} />
      </header>
      {step.status === "running" && <Progress value={step.progress} label={text.progress} />}
      {step.status === "running" && step.previewUrl && (
        <img class="step-preview" src={step.previewUrl} alt={text.previewOf(stepName(step.id))} />
      )}
      {message && isUsual && <p class="small muted">{message}</p>}
      {message && !isUsual && !isSaidAbove && (
        <Notice tone="warn">
          <p>{message}</p>
          {isUnserved && (
            <p>
              <a href="/network">{text.workers}</a>
            </p>
          )}
        </Notice>
      )}
      {blamed && <p class="small muted">{text.needsResult(stepName(blamed.id))}</p>}
      {step.error && !blamed && step.error.message !== workflow.error?.message && (
        <Notice tone="bad">
          <p>{inWords(step.error.message, names, inMessage)}</p>
          <p>
            <a href={inCreate(workflow, step.id)}>
              {workflow.steps.length > 1 ? text.openOneInCreate : text.openInCreate}
            </a>
          </p>
        </Notice>
      )}
      {!(workflow.steps.length === 1 && isOver(workflow.status)) && <StepResults step={step} />}
      {step.remake && <Again key={step.id} workflow={workflow} step={step} />}
      <Given workflow={workflow} step={step} />
      <dl class="facts small">
        <Fact name={text.tool}>{words(step.toolName)}</Fact>
        {step.generation && (
          <Fact name={text.model}>
            <a href={encoded`/models/${step.generation.selectedModel}`}>{names(step.generation.selectedModel)}</a>
          </Fact>
        )}
        {step.seed !== undefined && (
          <Fact name={text.seed} class="tabular">
            {step.seed}
          </Fact>
        )}
        {made && (
          <Fact name={text.size} class="tabular">
            {made.width} × {made.height}
          </Fact>
        )}
        <Times step={step} />
        {step.retry.count > 0 && <Fact name={text.attempts}>{step.retry.count + 1}</Fact>}
        <Fact name={text.cost}>
          <Cost step={step} />
        </Fact>
        {taken.length > 0 && (
          <Fact name={text.takes}>
            {taken
              .map((b) =>
                text.takesFrom(
                  words(b.targetArgument.replace(/(Index|Indices|Url|Urls)$/, "")).toLowerCase(),
                  stepName(b.sourceStepId),
                ),
              )
              .join(", ")}
          </Fact>
        )}
        {step.routing?.reasons?.length ? (
          <Fact name={text.why}>
            {step.routing.reasons
              .map((reason) =>
                reasonInWords(reason, names(step.generation?.selectedModel ?? ""), workflow.template !== undefined),
              )
              .join(", ")}
          </Fact>
        ) : null}
      </dl>
      <Code code={JSON.stringify(step.arguments, null, 2)} language="json" title={text.arguments} wrap />
    </section>
  );
}

/** The media that came with the request and that the step works from. */
function Given({ workflow, step }: { workflow: Workflow; step: Step }) {
  const argumentName = useArgumentName(step.id);
  return (
    <>
      {sentTo(workflow, step).map((media) => (
        <div key={media.id} class="step-given">
          <h3 class="small muted">{argumentName(media.argument)}</h3>
          <Tiles items={[{ ...media, label: argumentName(media.argument) }]} />
        </div>
      ))}
    </>
  );
}

/** What can be made again leads to the workflow that does so. */
function Again({ workflow, step }: { workflow: Workflow; step: Step }) {
  const { route } = useLocation();
  const show = (started: Workflow) => {
    keepStarted(started);
    route(encoded`/workflows/${started.workflowId}`);
  };
  return (
    <p class="row">
      <Remake workflowId={workflow.workflowId} step={step} onStarted={show} />
    </p>
  );
}

function Times({ step }: { step: Step }) {
  const isRunning = step.status === "running" && step.timestamps.startedAt !== undefined;
  const now = useNow(isRunning ? 1000 : 3_600_000);
  if (!step.timestamps.startedAt) return null;
  const start = Date.parse(step.timestamps.startedAt);
  const end = step.timestamps.completedAt ? Date.parse(step.timestamps.completedAt) : isRunning ? now : undefined;
  return (
    <>
      <Fact name={text.started}>{moment(step.timestamps.startedAt)}</Fact>
      {end !== undefined && (
        <Fact name={isRunning ? text.running : text.took} class="tabular">
          {span((end - start) / 1000)}
        </Fact>
      )}
    </>
  );
}

/** That the plan has lowered the price. */
const Discount = ({ step: { cost } }: { step: Step }) =>
  cost.beforeDiscount ? <span class="muted"> {text.discount(price(cost.beforeDiscount))}</span> : null;

function Cost({ step }: { step: Step }) {
  const { actual } = step.cost;
  if (actual)
    return (
      <>
        {unit(price(actual.costInSpark), "Spark")}
        {actual.byPlan && <span class="muted"> {text.byPlan}</span>}
        {actual.free && <span class="muted"> {text.free}</span>}
        <Discount step={step} />
      </>
    );
  if (isOver(step.status)) return <>{unit(price("0"), "Spark")}</>;
  return (
    <>
      <span class="muted">{text.estimated}</span> {unit(price(step.cost.estimatedSpark), "Spark")}
      <Discount step={step} />
    </>
  );
}
