// Two workflows side by side: their steps, what differs in them, and their results.

import type { ComponentChildren } from "preact";
import { ApiError, encoded } from "../api";
import { moment, words } from "../format";
import { useTitle } from "../hooks";
import { useModelNames } from "../models/names";
import { Status } from "../parts/chip";
import { Slider } from "../parts/compare";
import { captionsOf } from "../parts/differences";
import { CheckField, Choices } from "../parts/field";
import type { MediaItem } from "../parts/item";
import { Empty, Failure, Notice, Waiting } from "../parts/notice";
import { Table } from "../parts/table";
import { useNarrow, useQuery } from "../query";
import { asked } from "../template/values";
import { labelOf, mediaLabelOf } from "../texts/arguments";
import { text } from "../texts/workflow";
import type { Template } from "../types";
import { alignSteps, differencesOf, mediaIn, type Pair } from "../workflow/compare";
import { WorkflowCost } from "../workflow/cost";
import { Entered, valuesOf } from "../workflow/entered";
import { titleOf, type Step, type Workflow } from "../workflow/model";
import { usePosters } from "../workflow/posters";
import { itemsOf, Tiles } from "../workflow/results";
import { useStepNames, useTemplateOf } from "../workflow/step-names";
import { useWorkflow } from "../workflow/watch";
import { inWords } from "../workflow/words";

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
  const [leftTemplate, rightTemplate] = [useTemplateOf(left).template, useTemplateOf(right).template];
  const templates = { leftTemplate, rightTemplate };
  const [query, change] = useQuery();
  const pairs = alignSteps(left.steps, right.steps);
  const isAlike = pairs.some((pair) => pair.left && pair.right && differencesOf(pair).some((d) => !d.differs));
  return (
    <>
      <div class="compared-sides">
        {isAlike && (
          <CheckField
            label={said.onlyDifferences}
            value={query.only === "differences"}
            onInput={(isOnly) => change({ only: isOnly ? "differences" : undefined })}
          />
        )}
        <Side workflow={left} place={said.left} />
        <Side workflow={right} place={said.right} />
      </div>
      <InputPairs left={left} right={right} {...templates} />
      {pairs.map((pair) => (
        <StepPair
          key={`${pair.left?.id ?? ""} ${pair.right?.id ?? ""}`}
          pair={pair}
          left={left}
          right={right}
          {...templates}
        />
      ))}
    </>
  );
}

function Side({ workflow, place }: { workflow: Workflow; place: string }) {
  const names = useModelNames();
  return (
    <section class="stack" aria-label={`${place}: ${titleOf(workflow)}`}>
      <h2>
        <a href={encoded`/workflows/${workflow.workflowId}`}>
          <bdi>{titleOf(workflow)}</bdi>
        </a>
      </h2>
      <p class="row small">
        <span class="muted">{place}</span>
        <Status status={workflow.status} />
        <span class="muted">{moment(workflow.timestamps.createdAt)}</span>
        <WorkflowCost workflow={workflow} />
      </p>
      {workflow.error && <Notice tone="bad">{inWords(workflow.error.message, names)}</Notice>}
    </section>
  );
}

interface Row {
  name: string;
  label: ComponentChildren;
  differs: boolean;
  isAlike?: boolean;
  left: ComponentChildren;
  right: ComponentChildren;
}

interface SidesProps {
  left: Workflow;
  right: Workflow;
  leftTemplate: Template | undefined;
  rightTemplate: Template | undefined;
}

/** The name of a row, with a sign where the sides differ. */
const RowName = ({ name, differs }: { name: string; differs: boolean }) => (
  <>
    {name}
    {differs && (
      <>
        {" "}
        <span aria-hidden="true">≠</span>
        <span class="offscreen">{said.differs}</span>
      </>
    )}
  </>
);

/** What two workflows of one template were started with, what differs first. */
function InputPairs({ left, right, leftTemplate: template }: SidesProps) {
  if (!template || left.template?.id !== right.template?.id) return null;
  const [a, b] = [valuesOf(template, left), valuesOf(template, right)];
  const all = asked(template.inputs)
    .filter(({ name }) => a[name] !== undefined || b[name] !== undefined)
    .map((input): Row => {
      const differs = JSON.stringify(a[input.name]) !== JSON.stringify(b[input.name]);
      return {
        name: input.name,
        label: <RowName name={words(input.name)} differs={differs} />,
        differs,
        isAlike: !differs,
        left: <Entered input={input} value={a[input.name]} />,
        right: <Entered input={input} value={b[input.name]} />,
      };
    });
  if (!all.length) return null;
  return (
    <section class="panel compared-step stack" aria-label={text.inputs}>
      <h2>{text.inputs}</h2>
      <PairTable
        label={text.inputs}
        rows={[...all.filter((row) => row.differs), ...all.filter((row) => !row.differs)]}
      />
    </section>
  );
}

function PairTable({ label, rows }: { label: string; rows: Row[] }) {
  const [{ only }] = useQuery();
  const shown = rows.filter((row) => only !== "differences" || !row.isAlike);
  if (!shown.length) return <p class="small muted">{said.alike}</p>;
  return (
    <Table
      label={label}
      rows={shown}
      keyOf={(row) => row.name}
      classOf={(row) => (row.differs ? "differs" : row.name === "result" ? "result" : undefined)}
      isSmall
      columns={[
        { name: said.argument, cell: (row) => row.label },
        { name: said.left, cell: (row) => row.left || " " },
        { name: said.right, cell: (row) => row.right || " " },
      ]}
    />
  );
}

/** Two steps beside each other: what they made, and what they were made with. */
function StepPair({ pair, left, right, leftTemplate, rightTemplate }: { pair: Pair } & SidesProps) {
  const names = useModelNames();
  const [leftName, rightName] = [useStepNames(left, leftTemplate), useStepNames(right, rightTemplate)];
  const [query, change] = useQuery();
  const [a, b] = [pair.left ? itemsOf(pair.left) : [], pair.right ? itemsOf(pair.right) : []];
  const isPair = Boolean(pair.left && pair.right);
  const canSlide = a[0]?.kind === "image" && b[0]?.kind === "image";
  const isNarrow = useNarrow("40rem"); // two columns would be tiny there
  const isSliding = canSlide && (query.view ? query.view === "slider" : isNarrow);
  const sides = [
    { ...a[0], label: said.left },
    { ...b[0], label: said.right },
  ];
  const ids = new Set([pair.left && leftName(pair.left.id), pair.right && rightName(pair.right.id)].filter(Boolean));
  const title = [...ids].join(" · ");
  const tool = words((pair.left ?? pair.right)!.toolName);
  const result = (step: Step | undefined, items: MediaItem[]) =>
    !step ? (
      <span class="muted">{said.noStep}</span>
    ) : items.length ? (
      <Tiles items={items} />
    ) : (
      <span class="muted">{said.noResult}</span>
    );
  const shown = (workflow: Workflow, step: Step | undefined, name: string, value: string) => {
    if (!step) return "";
    const media = mediaIn(workflow, step, name);
    return media ? (
      <Tiles items={media.map((m) => ({ ...m, label: mediaLabelOf(name) }))} />
    ) : name === "model" ? (
      names(value)
    ) : (
      value || "–"
    );
  };
  const rows: Row[] = [
    ...(isSliding
      ? []
      : [
          {
            name: "result",
            label: said.result,
            differs: false,
            left: result(pair.left, a),
            right: result(pair.right, b),
          },
        ]),
    ...differencesOf(pair).map(({ name, differs, ...value }) => ({
      name,
      differs,
      isAlike: !differs && isPair,
      label: (
        <RowName
          name={
            [pair.left && mediaIn(left, pair.left, name), pair.right && mediaIn(right, pair.right, name)].some(Boolean)
              ? mediaLabelOf(name)
              : labelOf(name)
          }
          differs={differs}
        />
      ),
      left: shown(left, pair.left, name, value.left),
      right: shown(right, pair.right, name, value.right),
    })),
  ];
  return (
    <section class="panel compared-step stack" aria-label={`${text.step} ${title}`}>
      <header class="row">
        <h2 class="grow">
          {tool} {title !== tool && <span class="small muted">{title}</span>}
        </h2>
        {canSlide && (
          <Choices
            label={said.view}
            value={isSliding ? "slider" : "beside"}
            onInput={(view) => change({ view })}
            options={[
              { value: "beside", label: said.beside },
              { value: "slider", label: said.slider },
            ]}
          />
        )}
      </header>
      {isSliding && <Slider left={a[0]} right={b[0]} captions={captionsOf(sides, names)} />}
      <PairTable label={`${text.arguments}: ${title}`} rows={rows} />
    </section>
  );
}
