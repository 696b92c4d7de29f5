// Everything about one step.

import { useLocation } from "preact-iso/router";
import { encoded } from "../api";
import { amount, duration, moment, words } from "../format";
import { useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { Progress, Status } from "../parts/chip";
import { Code } from "../parts/code";
import { Fact } from "../parts/fact";
import { mediaOf, type MediaItem } from "../parts/item";
import { openLightbox } from "../parts/lightbox";
import { Media, Thumbnail } from "../parts/media";
import { Notice } from "../parts/notice";
import { isOver } from "../status";
import { text } from "../texts/workflow";
import { reasonOf, type Artifact, type Step, type Workflow } from "./model";
import { Remake } from "./remake-button";
import { keepStarted } from "./started";
import { useStepName } from "./step-names";
import { inWords, reasonInWords } from "./words";

export function StepPanel({ workflow, step }: { workflow: Workflow; step: Step }) {
  const names = useModelNames();
  const stepName = useStepName();
  const now = useNow(step.wait?.until ? 1000 : 3_600_000);
  const noWorker = (model: string, network: string, until?: string) =>
    [text.noWorker(names(model), network), until && text.failsIn(duration((Date.parse(until) - now) / 1000))]
      .filter(Boolean)
      .join(" ");
  const { message, isUsual } = reasonOf(step, noWorker);
  const isUnserved = step.waitingFor !== undefined || step.waiting?.reason === "no_worker";
  return (
    <section class="step-panel stack" aria-label={`${text.step} ${stepName(step.id)}`}>
      <header class="row">
        <h2 class="grow">{stepName(step.id)}</h2>
        <Status status={step.status} />
      </header>
      {step.status === "running" && <Progress value={step.progress} label={text.progress} />}
      {step.status === "running" && step.previewUrl && (
        <img class="step-preview" src={step.previewUrl} alt={text.previewOf(stepName(step.id))} />
      )}
      {message && isUsual && <p class="small muted">{message}</p>}
      {message && !isUsual && (
        <Notice tone="warn">
          <p>{message}</p>
          {isUnserved && (
            <p>
              <a href="/network">{text.workers}</a>
            </p>
          )}
        </Notice>
      )}
      {step.error && (
        <Notice tone="bad">
          <p>{inWords(step.error.message, names)}</p>
          <p class="small muted">{words(step.error.code)}</p>
          <p>
            <a href={encoded`/?workflow=${workflow.workflowId}&restore=${step.id}`}>{text.openInCreate}</a>
          </p>
        </Notice>
      )}
      <Results step={step} />
      {step.remake && <Again key={step.id} workflow={workflow} step={step} />}
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
        <Times step={step} />
        {step.retry.count > 0 && <Fact name={text.attempts}>{step.retry.count + 1}</Fact>}
        <Fact name={text.cost}>
          <Cost step={step} />
        </Fact>
        {step.dependsOn.length > 0 && (
          <Fact name={text.takes}>
            {step.dependsOn
              .map((b) =>
                text.takesFrom(
                  words(b.targetArgument.replace(/(Index|Indices|Url|Urls)$/, "")),
                  stepName(b.sourceStepId),
                ),
              )
              .join(", ")}
          </Fact>
        )}
        {step.routing?.reasons?.length ? (
          <Fact name={text.why}>{step.routing.reasons.map(reasonInWords).join(", ")}</Fact>
        ) : null}
      </dl>
      <Code code={JSON.stringify(step.arguments, null, 2)} language="json" title={text.arguments} wrap />
    </section>
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
          {duration((end - start) / 1000)}
        </Fact>
      )}
    </>
  );
}

function Cost({ step }: { step: Step }) {
  const { actual } = step.cost;
  if (actual)
    return (
      <>
        {amount(actual.costInSpark)} Spark{actual.byPlan && <span class="muted"> {text.byPlan}</span>}
        {actual.free && <span class="muted"> {text.free}</span>}
      </>
    );
  if (isOver(step.status)) return <>–</>;
  return (
    <>
      <span class="muted">{text.estimated}</span> {amount(step.cost.estimatedSpark)} Spark
    </>
  );
}

function caveat(artifact: Artifact): string {
  const parts = [];
  if (artifact.preview) parts.push(text.caveatPreview(artifact.renderer || text.fallback));
  if (artifact.notUnderstood?.length)
    parts.push(text.notUnderstood(artifact.notUnderstood.join("; ").replace(/\.$/, "")));
  return parts.join(" ");
}

function Results({ step }: { step: Step }) {
  if (!step.artifacts.length) return null;
  const label = typeof step.arguments.prompt === "string" ? step.arguments.prompt : step.id;
  const items: MediaItem[] = step.artifacts.map((artifact) => mediaOf(artifact, label));
  const caveats = [...new Set(step.artifacts.map(caveat).filter(Boolean))];
  return (
    <div class="stack">
      <div class="step-results">
        {items.map((item, i) =>
          item.kind === "image" || item.kind === "video" ? (
            <button class="step-result" key={item.id} onClick={() => openLightbox(items, i)}>
              <Thumbnail item={item} />
            </button>
          ) : (
            <div class="step-result" key={item.id}>
              <Media item={item} />
            </div>
          ),
        )}
      </div>
      {caveats.map((sentence) => (
        <p class="small muted" key={sentence}>
          {sentence}
        </p>
      ))}
    </div>
  );
}
