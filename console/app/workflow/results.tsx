// What a workflow has made, large, and what can be done with it.

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { encoded } from "../api";
import { words } from "../format";
import { useModelNames } from "../models/names";
import { Icon, kindIcon } from "../parts/icon";
import { elsewhere, mediaOf, type MediaItem } from "../parts/item";
import { openLightbox } from "../parts/lightbox";
import { Media, Thumbnail } from "../parts/media";
import { Menu } from "../parts/menu";
import { text as common } from "../texts/shell";
import { text } from "../texts/workflow";
import { caveatsOf, resultsOf, type Artifact, type Step, type Workflow } from "./model";
import { useStepName } from "./step-names";

const itemOf = (artifact: Artifact, step: Step, name: string): MediaItem => ({
  ...mediaOf(artifact, typeof step.arguments.prompt === "string" ? step.arguments.prompt : name),
  modelId: step.generation?.selectedModel,
});

/** The results of a workflow that is over: those that no other step has used first. */
export function Results({ workflow }: { workflow: Workflow }) {
  const stepName = useStepName();
  const { route } = useLocation();
  const names = useModelNames();
  const [isAll, setAll] = useState(false);
  const results = resultsOf(workflow);
  if (!results.length) return null;
  const isMany = results.length > 3;
  const items = results.map(({ artifact, step }) => itemOf(artifact, step, stepName(step.id)));
  return (
    <section class="workflow-results stack" aria-label={text.resultsTitle}>
      <header class="row">
        <h2 class="grow">{text.resultsTitle}</h2>
        {isMany && (
          <button class="quiet small" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? text.resultsInRow : text.resultsAll(results.length)}
          </button>
        )}
        <a class="small" href={encoded`/library?workflow=${workflow.workflowId}`}>
          {text.inLibrary}
        </a>
      </header>
      <ul class={`results-list${items.length === 1 ? " single" : isMany && !isAll ? " in-row" : ""}`}>
        {results.map(({ artifact, step }, i) => (
          <li key={artifact.id}>
            {items[i].kind === "image" ? (
              <button class="result-large" onClick={() => openLightbox(items, i)}>
                <Thumbnail item={items[i]} />
              </button>
            ) : (
              <div class="result-large">
                <Media item={items[i]} />
              </div>
            )}
            <div class="result-about">
              {workflow.steps.length > 1 && <p class="small cut">{stepName(step.id)}</p>}
              <p class="small muted cut">
                {[
                  step.generation && names(step.generation.selectedModel),
                  step.seed !== undefined && `${text.seed} ${step.seed}`,
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </p>
              <div class="small result-buttons">
                <a class="quiet" href={artifact.url} download={artifact.kind}>
                  <Icon name="download" size={16} /> {text.download}
                </a>
                <Menu
                  label={common.more}
                  icon="more"
                  items={[
                    ...(["image", "video", "audio"].includes(artifact.kind)
                      ? [{ label: text.useResult, run: () => route(encoded`/?reference=${artifact.id}`) }]
                      : []),
                    {
                      label: workflow.steps.length > 1 ? text.openOneInCreate : text.openInCreate,
                      run: () =>
                        route(encoded`/?workflow=${workflow.workflowId}&artifact=${artifact.id}&restore=${step.id}`),
                    },
                  ]}
                />
              </div>
            </div>
          </li>
        ))}
      </ul>
      <Caveats
        results={results.map(({ artifact, step }) => ({
          artifact,
          step: workflow.steps.length > 1 ? stepName(step.id) : undefined,
        }))}
      />
    </section>
  );
}

/** What the results of a step are not, each said once. */
const Caveats = ({ results }: { results: { artifact: Artifact; step?: string }[] }) => (
  <>
    {caveatsOf(results).map((sentence) => (
      <p class="small muted" key={sentence}>
        {sentence}
      </p>
    ))}
  </>
);

/** The results of one step, small. */
export function StepResults({ step }: { step: Step }) {
  if (!step.artifacts.length) return null;
  return (
    <div class="stack">
      <Tiles items={itemsOf(step)} />
      <Caveats results={step.artifacts.map((artifact) => ({ artifact }))} />
    </div>
  );
}

export const itemsOf = (step: Step): MediaItem[] =>
  step.artifacts.map((artifact) => itemOf(artifact, step, words(step.toolName)));

/** Results as small pictures, which open, and what has no picture as itself. */
export const Tiles = ({ items }: { items: MediaItem[] }) => (
  <div class="step-results">
    {items.map((item, i) => (
      <Tile key={item.id} item={item} open={() => openLightbox(items, i)} />
    ))}
  </div>
);

/** One of them. What was given by an address elsewhere cannot be shown here: that is a link. */
function Tile({ item, open }: { item: MediaItem; open: () => void }) {
  const place = elsewhere(item.url);
  if (place)
    return (
      <a class="step-elsewhere small" href={item.url} target="_blank" rel="noreferrer">
        <Icon name={kindIcon(item.kind)} size={16} /> {place}
      </a>
    );
  const isPicture = item.kind === "image" || item.kind === "video";
  return isPicture ? (
    <button class="step-result" onClick={open}>
      <Thumbnail item={item} />
    </button>
  ) : (
    <div class="step-result">
      <Media item={item} />
    </div>
  );
}
