// The page "create": one form for everything that the service makes, its result, and what
// was made before.

import { effect, untracked } from "@preact/signals";
import lazy, { ErrorBoundary } from "preact-iso/lazy";
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../api";
import { AgainDialog, useOffer } from "../create/again";
import { BoardChoice, ChosenBoard } from "../create/board";
import { loadCatalog, type Catalog } from "../create/catalog";
import { CountField } from "../create/count";
import { Examples } from "../create/examples";
import {
  Additions,
  Chosen,
  Kind,
  Length,
  Places,
  Prompt,
  Settings,
  settingsOf,
  type FieldsProps,
} from "../create/fields";
import { formOf, settle, type WorkflowRequest } from "../create/form";
import { useLoras, type Loras } from "../create/loras";
import { draftOf, errorsOf, whyNoPrice, type Draft } from "../create/machine";
import { Price, useEstimate, whyUnpriced } from "../create/price";
import { PromptTools } from "../create/prompts";
import { references, referTo } from "../create/reference";
import type { ResultActions } from "../create/actions";
import { Result, ResultLine } from "../create/result";
import { Shape } from "../create/shape";
import { shapesOf, withShape } from "../create/shapes";
import { sourceOf } from "../create/source";
import { send, state } from "../create/store";
import { Strip, usePending } from "../create/strip";
import {
  fieldErrors,
  focusError,
  refusalOf,
  showForm,
  showLacks,
  takeFiles,
  useAddress,
  useFold,
  useIncoming,
  useMake,
  useStarted,
  useTake,
  useView,
} from "../create/use";
import { usedOf } from "../create/used";
import { percent } from "../format";
import { useChanges, useData, useFiles, useTitle } from "../hooks";
import { numberOf } from "../json";
import { keep, kept } from "../keep";
import { Failure, Notice } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { useIntent } from "../press";
import { isOver } from "../status";
import { text } from "../texts/create";
import { text as common } from "../texts/shell";
import type { Estimate, Workflow } from "../types";
import { progressOf } from "../workflow/model";
import { useWorkflow } from "../workflow/watch";

// They are loaded when they are opened: the first page does without them.
const CodeDialog = lazy(() => import("../create/code"));
const GridDialog = lazy(() => import("../create/grid-dialog"));

export default function Page() {
  const catalog = useData(loadCatalog, []);
  // The catalog is cached for 30 s; workers come and go more often than anyone looks.
  const read = useRef(Date.now());
  useChanges(["network"], () => {
    if (Date.now() - read.current < 30_000) return;
    read.current = Date.now();
    catalog.reload();
  });
  if (catalog.data) return <Create catalog={catalog.data} />;
  return (
    <>
      <h1 class="offscreen">{text.title}</h1>
      {catalog.error ? (
        <Failure error={catalog.error} retry={catalog.reload} />
      ) : (
        <div class="create">
          <div class="create-form waiting" />
          <div class="create-result waiting" />
        </div>
      )}
    </>
  );
}

/** How far the work is, for a tab in the background. */
function titleOf(workflow: Workflow | undefined): string {
  if (workflow && !isOver(workflow.status)) return `${percent(progressOf(workflow))} · ${text.title}`;
  return workflow?.status === "completed" && document.hidden ? `${text.result.doneTitle} · ${text.title}` : text.title;
}

/** What the first step of a workflow makes. */
const kindOf = (workflow: Workflow, catalog: Catalog) =>
  catalog.tools.find((tool) => tool.name === workflow.steps[0]?.toolName)?.produces ?? null;

function Create({ catalog }: { catalog: Catalog }) {
  const loras = useLoras();
  const pending = usePending();
  const address = useAddress();
  const { shown, show, change, route } = address;
  const watched = useWorkflow(shown.workflowId);
  const draft = draftOf(state.value, catalog, references.value, loras.data?.rows);
  const [code, setCode] = useState<object | null>(null);
  useEffect(() => send({ type: "opened" }), []);
  useTitle(titleOf(watched.workflow));
  const loraName = (id: string) => loras.data?.rows.find((l) => l.loraId === id)?.name ?? id;
  useIncoming(address, draft, catalog, loraName, pending.data?.workflows);
  const take = useTake(address, catalog);
  const { offer, look, close } = useOffer((files) => takeFiles(files, take));
  const dragging = useFiles((files) => void look(files));
  const { isFolded, unfold } = useFold(shown, watched);
  const { result, bring } = useView(shown);
  const start = useStarted(address, bring, (workflow) => {
    unfold(workflow.workflowId);
    pending.add(workflow, kindOf(workflow, catalog));
  });

  const { form } = draft;
  const unfinished = (pending.data?.workflows ?? []).filter(
    (w) => w.workflowId !== watched.workflow?.workflowId || !isOver(watched.workflow.status),
  );
  const actions: ResultActions = {
    onShow: show,
    onStarted: (workflow) => start(workflow, true),
    onRestore: (workflow, stepId) => {
      const restored = formOf(workflow, stepId, catalog.tools, referTo, loraName);
      if (!restored) return;
      change(settle(restored, catalog));
      toast(text.result.restored);
      if (matchMedia("(max-width: 60rem)").matches) showForm();
    },
    onPrompt: showForm,
    sourceOf: (workflow, stepId) => sourceOf(workflow, stepId, catalog.tools),
    onReference: (a) => take(a.kind, () => referTo(a.kind, a.url, a.kind), true),
    onNext: (link) => route(link, true),
    onSeed: (seed) => change({ ...form, values: { ...form.values, seed } }),
    onCode: ({ input, mediaReferences }) =>
      setCode({ input, ...(mediaReferences?.length ? { media_references: mediaReferences } : {}) }),
  };
  const { width, height } = form.values;
  return (
    <div class={["create", shown.workflowId && "has-result", isFolded && "is-folded"].filter(Boolean).join(" ")}>
      <h1 class="offscreen">{text.title}</h1>
      <CreateForm
        catalog={catalog}
        draft={draft}
        loras={loras.data}
        address={address}
        onStarted={start}
        onCode={() => setCode(draft.request)}
        onPicture={(file) => void look([file], true)}
      />
      <div class="create-side">
        <section class="create-result" ref={result} aria-label={text.result.title}>
          {isFolded && watched.workflow && (
            <ResultLine workflow={watched.workflow} events={watched.events} onOpen={() => unfold(shown.workflowId)} />
          )}
          {shown.workflowId ? (
            <Result
              watched={watched}
              artifactId={shown.artifactId}
              actions={actions}
              ratio={width && height ? `${width} / ${height}` : undefined}
            />
          ) : (
            <Examples
              tool={draft.tool}
              modelId={draft.model?.id}
              onPick={(prompt, shape) => {
                change({ ...form, values: { ...withShape(form.values, shape, shapesOf(draft.fields)), prompt } });
                document.querySelector(".create-form textarea")?.scrollIntoView({ block: "nearest" });
              }}
            />
          )}
        </section>
        <Strip
          pending={unfinished}
          shown={shown}
          onShow={(workflowId, artifactId) => {
            unfold(workflowId);
            bring(workflowId);
            show(workflowId, artifactId);
          }}
        />
      </div>
      {dragging && (
        <div class="drop-hint" aria-hidden="true">
          <p>{text.drop}</p>
        </div>
      )}
      {offer && (
        <AgainDialog
          offer={offer}
          catalog={catalog}
          loraName={loraName}
          onClose={close}
          onTake={() => {
            close();
            takeFiles([offer.file], take);
          }}
          onForm={(made) => {
            close();
            change(made);
            toast(text.again.filled);
          }}
        />
      )}
      <ErrorBoundary
        onError={(error) => {
          toastError(error);
          setCode(null);
        }}>
        {code && <CodeDialog body={code} onClose={() => setCode(null)} />}
      </ErrorBoundary>
    </div>
  );
}

interface CreateFormProps {
  catalog: Catalog;
  draft: Draft;
  loras: Loras | undefined;
  address: ReturnType<typeof useAddress>;
  onStarted: (workflow: Workflow) => void;
  onCode: () => void;
  onPicture: (file: File) => void;
}

function CreateForm({ catalog, draft, loras, address, onStarted, onCode, onPicture }: CreateFormProps) {
  const { form, tool, model } = draft;
  const { estimate, error: unpriced } = useEstimate(draft.isReady ? draft.request : null);
  const unfit = fieldErrors(unpriced);
  const isTooMuch = draft.isReady && estimate?.sufficient === false;
  const make = useMake(draft, isTooMuch, onStarted);
  const isUnfit = Object.keys(draft.unfit).length > 0;
  const [grid, setGrid] = useState(false);
  const intend = useIntent();
  const startGrid = async (request: WorkflowRequest) => {
    setGrid(false);
    const { workflow } = await intend(JSON.stringify(request), (idempotencyKey) =>
      post("/v1/creative-agent/workflows", request, { idempotencyKey }),
    );
    onStarted(workflow);
  };
  const chooseTool = (name: string) => {
    send({ type: "toolChosen", tool: catalog.tools.find((t) => t.name === name)!, catalog });
    address.follow();
  };
  const reset = () => {
    const before = { form, references: references.value };
    references.value = {};
    send({ type: "reset", tool, catalog });
    address.follow();
    scrollTo(0, 0);
    const after = state.value.form;
    const hide = toast(text.resetDone, {
      action: {
        label: common.undo,
        run: () => {
          references.value = before.references;
          address.change(before.form);
        },
      },
    });
    const stop = effect(() => {
      if (state.value.form === after) return;
      untracked(hide); // it would replace what was entered since
      queueMicrotask(() => stop());
    });
  };
  const errors = errorsOf(state.value, draft, unfit);
  const [isOpen, setIsOpen] = useState(kept(settingsKey) === "open");
  const setOpen = (open: boolean) => {
    setIsOpen(open);
    keep(settingsKey, open ? "open" : "");
  };
  const props: FieldsProps = { catalog, tool, model, form, errors, onForm: address.change, onTool: chooseTool };
  return (
    <form
      class="create-form panel"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}>
      <Kind {...props} />
      <Prompt {...props} />
      <PromptTools {...props} onPicture={onPicture} />
      <div class="create-rest">
        <Places {...props} needed />
        <Chosen {...props} />
        <Length {...props} />
        <Shape {...props} />
        <Places {...props} />
        <Additions {...props} loras={loras} unfit={draft.unfit} />
        <details
          class="create-settings"
          open={isOpen || hasSettingError(props)}
          onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>
            <h2>{text.settings}</h2>
          </summary>
          <Settings {...props} />
          {isOpen && <BoardChoice />}
        </details>
        <div class="row">
          <button
            type="button"
            class="copy"
            disabled={isUnfit}
            onClick={() => (draft.isReady ? setGrid(true) : showLacks(draft))}>
            {text.grid.open}
          </button>
          <button type="button" class="copy" onClick={onCode}>
            {text.result.code}
          </button>
          <button type="button" class="copy" onClick={reset}>
            {text.reset}
          </button>
        </div>
        <ErrorBoundary
          onError={(error) => {
            toastError(error);
            setGrid(false);
          }}>
          {grid && (
            <GridDialog
              catalog={catalog}
              draft={draft}
              onStart={(request) => void startGrid(request).catch(toastError)}
              onClose={() => setGrid(false)}
            />
          )}
        </ErrorBoundary>
        <Foot
          {...props}
          draft={draft}
          isHeld={isTooMuch || isUnfit}
          estimate={estimate}
          why={whyNoPrice(draft, unfit) ?? whyUnpriced(unpriced)}
        />
      </div>
    </form>
  );
}

const settingsKey = "atelier.create.settings";

/** Whether one of the fields among the settings is wrong. */
const hasSettingError = (props: FieldsProps) =>
  settingsOf(props).some((a) => Object.keys(props.errors).some((path) => path.split(/[.[]/)[0] === a.name));

interface FootProps extends FieldsProps {
  draft: Draft;
  /** Nothing can be started: the balance does not suffice, or a LoRA does not fit. */
  isHeld: boolean;
  estimate: Estimate | undefined;
  why: string;
}

/** What keeps the form from starting, how many, the price, and the button. */
function Foot({ tool, form, errors, onForm, draft, isHeld, estimate, why }: FootProps) {
  const { problem, isStarting } = state.value;
  const { isReady } = draft;
  const count = tool.countArgument && tool.arguments.find((a) => a.name === tool.countArgument);
  const chosen = numberOf(count && form.values[count.name!]);
  const wrong = count && errors[count.name!];
  const setCount = (name: string, value: string) =>
    onForm({ ...form, values: { ...form.values, [name]: value === "1" || value === "" ? undefined : Number(value) } });
  const makes = (!wrong && chosen) || 1;
  const used = usedOf(draft, references.value, makes);
  const isElsewhere = Object.keys({ ...errors, ...draft.unfit }).some((path) => path !== tool.countArgument);
  const lead = isElsewhere && (
    <button type="button" class="copy" onClick={focusError}>
      {text.showField}
    </button>
  );
  return (
    <div class="create-make">
      {problem instanceof Error ? (
        <Failure error={problem} message={refusalOf(problem)} />
      ) : (
        problem && (
          <Notice tone="bad">
            {problem} {lead}
          </Notice>
        )
      )}
      {used && <p class="create-used cut small muted">{used}</p>}
      {count && (
        <CountField argument={count} value={chosen} error={wrong} onInput={(value) => setCount(count.name!, value)} />
      )}
      {(!problem || (isReady && estimate)) && (
        <Price
          estimate={isReady ? estimate : undefined}
          why={
            <span>
              {why} {lead}
            </span>
          }
        />
      )}
      <ChosenBoard />
      <div class="row end">
        <button
          type="submit"
          class="primary"
          disabled={isHeld}
          aria-disabled={isStarting}
          title={text.shortcut}
          aria-keyshortcuts="Control+Enter">
          {isStarting ? text.making : text.make(makes)}
        </button>
      </div>
    </div>
  );
}
