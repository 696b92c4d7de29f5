// Two workflows side by side: their steps, what differs in them, and their results.

import { ApiError, encoded } from "../api";
import { amount, moment, words } from "../format";
import { useTitle } from "../hooks";
import { useModelNames } from "../models/names";
import { Status } from "../parts/chip";
import { Slider } from "../parts/compare";
import { Choices } from "../parts/field";
import { mediaOf, type MediaItem } from "../parts/item";
import { openLightbox } from "../parts/lightbox";
import { Media, Thumbnail } from "../parts/media";
import { Empty, Failure, Notice, Waiting } from "../parts/notice";
import { useQuery } from "../query";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/workflow";
import { alignSteps, differencesOf, type Pair } from "../workflow/compare";
import { sparkOf, titleOf, type Step, type Workflow } from "../workflow/model";
import { usePosters } from "../workflow/posters";
import { useWorkflow } from "../workflow/watch";

const said = text.compare;

export default function Page() {
  useTitle(said.title);
  const [query] = useQuery();
  const { left, right } = query;
  return (
    <div class="compared stack">
      <header>
        <p class="small">
          <a href="/workflows">{text.back}</a>
        </p>
        <div class="page-head">
          <h1>{said.title}</h1>
        </div>
      </header>
      {left && right ? <Compared key={left + " " + right} left={left} right={right} /> : <Empty title={said.choose} />}
    </div>
  );
}

function Compared({ left, right }: { left: string; right: string }) {
  const [a, b] = [useWorkflow(left), useWorkflow(right)];
  const failed = [a, b].find((w) => !w.workflow && w.error);
  if (failed?.error instanceof ApiError && failed.error.status === 404)
    return (
      <Empty title={text.missing}>
        <p>{text.missingHelp}</p>
      </Empty>
    );
  if (failed) return <Failure error={failed.error!} retry={failed.retry} />;
  if (!a.workflow || !b.workflow) return <Waiting />;
  return <Both left={a.workflow} right={b.workflow} />;
}

function Both({ left: plainLeft, right: plainRight }: { left: Workflow; right: Workflow }) {
  const left = usePosters(plainLeft);
  const right = usePosters(plainRight);
  return (
    <>
      <div class="compared-sides">
        <Side workflow={left} />
        <Side workflow={right} />
      </div>
      {alignSteps(left.steps, right.steps).map((pair) => (
        <StepPair key={`${pair.left?.id ?? ""} ${pair.right?.id ?? ""}`} pair={pair} />
      ))}
    </>
  );
}

function Side({ workflow }: { workflow: Workflow }) {
  return (
    <section class="stack" aria-label={titleOf(workflow)}>
      <h2>
        <a href={encoded`/workflows/${workflow.workflowId}`}>
          <bdi>{titleOf(workflow)}</bdi>
        </a>
      </h2>
      <p class="row small">
        <Status status={workflow.status} />
        <span class="muted">{moment(workflow.timestamps.createdAt)}</span>
        <span class="muted tabular">{amount(sparkOf(workflow))} Spark</span>
      </p>
      {workflow.error && <Notice tone="bad">{workflow.error.message}</Notice>}
    </section>
  );
}

function StepPair({ pair }: { pair: Pair }) {
  const { left, right } = pair;
  const names = useModelNames();
  const shown = (name: string, value: string) => (name === "model" ? names(value) : value) || "–";
  const ids = [...new Set([left?.id, right?.id].filter((id) => id !== undefined))];
  return (
    <section class="panel compared-step stack" aria-label={`${text.step} ${ids.join(", ")}`}>
      <h2>
        {words((left ?? right)!.toolName)} <span class="small muted">{ids.join(" · ")}</span>
      </h2>
      {!(left && right) && <p class="small muted">{left ? said.onlyLeft : said.onlyRight}</p>}
      <Results pair={pair} />
      <table class="compared-facts small">
        <caption class="offscreen">{text.arguments}</caption>
        <colgroup>
          <col class="compared-name" />
          <col />
          <col />
        </colgroup>
        <thead class="offscreen">
          <tr>
            <th scope="col">{said.argument}</th>
            <th scope="col">{said.left}</th>
            <th scope="col">{said.right}</th>
          </tr>
        </thead>
        <tbody>
          {differencesOf(pair).map((d) => (
            <tr key={d.name} class={d.differs ? "differs" : ""}>
              <th scope="row">
                {labelOf(d.name)}
                {d.differs && (
                  <>
                    {" "}
                    <span aria-hidden="true">≠</span>
                    <span class="offscreen">{said.differs}</span>
                  </>
                )}
              </th>
              <td>{left ? shown(d.name, d.left) : ""}</td>
              <td>{right ? shown(d.name, d.right) : ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const itemsOf = (step: Step | undefined): MediaItem[] =>
  step?.artifacts.map((a) => mediaOf(a, typeof step.arguments.prompt === "string" ? step.arguments.prompt : step.id)) ??
  [];

/** The results of two steps, beside each other or one over the other. */
function Results({ pair: { left, right } }: { pair: Pair }) {
  const [query, change] = useQuery();
  const [a, b] = [itemsOf(left), itemsOf(right)];
  if (!a.length && !b.length) return null;
  const canSlide = a[0]?.kind === "image" && b[0]?.kind === "image";
  const isSliding = canSlide && query.view === "slider";
  return (
    <>
      {canSlide && (
        <Choices
          label={said.view}
          value={isSliding ? "slider" : "beside"}
          onInput={(view) => change({ view: view === "slider" ? view : undefined })}
          options={[
            { value: "beside", label: said.beside },
            { value: "slider", label: said.slider },
          ]}
        />
      )}
      {isSliding ? (
        <Slider left={a[0]} right={b[0]} />
      ) : (
        <div class="compared-sides">
          <SideResults items={a} />
          <SideResults items={b} />
        </div>
      )}
    </>
  );
}

const SideResults = ({ items }: { items: MediaItem[] }) => (
  <div class="step-results">
    {!items.length && <p class="small muted">{said.noResult}</p>}
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
);
