// The page "create": one form for everything that the service makes, its result, and what
// was made before.

import { useLocation } from "preact-iso/router";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, post, randomId } from "../api";
import { firstChoice, loadCatalog, modelFor, type Catalog } from "../create/catalog";
import { CodeDialog } from "../create/code";
import { Additions, Chosen, fieldsOf, Kind, Prompt, Settings } from "../create/fields";
import { failedUploads, form, formOf, given, isUploading, requestOf, withTool, type Form } from "../create/form";
import { applyAddress, settle } from "../create/incoming";
import { useLoras } from "../create/loras";
import { Price, useEstimate, whyUnpriced } from "../create/price";
import { references, referTo, uploadReference } from "../create/reference";
import { Result } from "../create/result";
import { place } from "../create/slot";
import { Strip, usePending } from "../create/strip";
import { percent } from "../format";
import { useChanges, useData, useFiles, useListener, useTitle } from "../hooks";
import { Empty, Failure, Notice } from "../parts/notice";
import { problemsOf } from "../parts/schema-form";
import { toast, toastError } from "../parts/toast";
import { usePress } from "../press";
import { text } from "../texts/create";
import { kindOf } from "../upload";
import { isOver, progressOf } from "../workflow/model";
import { useWorkflow } from "../workflow/watch";

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
      {catalog.error ? <Failure error={catalog.error} retry={catalog.reload} /> : <div class="create"><div class="create-form waiting" /><div class="create-result waiting" /></div>}
    </>
  );
}

function Create({ catalog }: { catalog: Catalog }) {
  const { query, route } = useLocation();
  const loras = useLoras();
  const pending = usePending();
  const f = settle(form.value, catalog);
  const tool = catalog.tools.find((t) => t.name === f.tool)!;
  const counts = given(f.values);
  const model = modelFor(tool, f.model, catalog, counts);
  const [code, setCode] = useState<object | null>(null);
  const [refused, setRefused] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState<Error | string>();
  const [tried, setTried] = useState(false);
  const [starting, setStarting] = useState(false);
  const intent = useRef<{ body: string; key: string }>();
  const press = usePress();
  const bringIntoView = useRef("");

  const shown = { workflowId: query.workflow ?? "", artifactId: query.artifact ?? "" };
  const watched = useWorkflow(shown.workflowId);
  const status = watched.workflow?.status;
  useTitle(status && !isOver(status) ? `${percent(progressOf(watched.workflow!))} · ${text.title}` : status === "completed" && document.hidden ? `${text.result.doneTitle} · ${text.title}` : text.title);

  const show = (workflowId: string, artifactId?: string) => {
    if (location.pathname !== "/") return; // the person has left for a page that is being loaded
    const next = new URLSearchParams({ tool: form.value.tool, ...(form.value.model ? { model: form.value.model } : {}) });
    if (workflowId) next.set("workflow", workflowId);
    if (artifactId) next.set("artifact", artifactId);
    route("/?" + next, true);
  };
  const change = (next: Form) => {
    form.value = next;
    setRefused({});
    setProblem(undefined);
    if (next.tool !== query.tool || next.model !== (query.model ?? "")) show(shown.workflowId, shown.artifactId);
  };
  const changeTool = (name: string) => {
    const next = catalog.tools.find((t) => t.name === name)!;
    setTried(false);
    change(settle(withTool(f, next, firstChoice(next, catalog)), catalog));
  };

  // What another page asked for, once.
  const loraName = (id: string) => loras.data?.rows.find((l) => l.loraId === id)?.name ?? id;
  const asked = [query.restore, query.reference, query.asset, ...Object.keys(query).filter((k) => k.startsWith("arg."))].some(Boolean)
    || (query.tool && query.tool !== form.value.tool) || (query.model && query.model !== form.value.model);
  useLayoutEffect(() => {
    if (!form.value.tool && !asked) form.value = f;
    if (!asked) return;
    applyAddress(query, catalog, loraName).then((came) => {
      if (!form.value.tool) form.value = settle(form.value, catalog);
      if (came) take(came.kind, () => came.pointer);
    }).catch(toastError).finally(() => show(shown.workflowId, shown.artifactId));
  }, [asked]);
  // Without an address, what is being made is shown.
  useEffect(() => {
    const running = pending.data?.workflows[0];
    if (running && !shown.workflowId && !asked) show(running.workflowId);
  }, [!pending.data]);

  const take = (kind: string, pointer: () => { ref: string }) => {
    const now = settle(form.value, catalog);
    const current = catalog.tools.find((t) => t.name === now.tool)!;
    const values = place(fieldsOf(current, model), now.values, kind, pointer);
    if (values) change({ ...now, values });
  };
  const takeFiles = (files: Iterable<File>) => {
    for (const file of files) {
      const kind = kindOf(file);
      if (kind) take(kind, () => uploadReference(file, kind));
      else toast(text.references.unknown, { tone: "bad" });
    }
  };
  const dragging = useFiles(takeFiles);

  const fields = useMemo(() => fieldsOf(tool, model), [tool, model]);
  const problems = problemsOf(fields, f.values);
  for (const need of tool.needs) {
    if (!need.arguments.some((a) => f.values[a] !== undefined) && fields.some((a) => a.name === need.arguments[0])) problems[need.arguments[0]] ??= text.references.add(text.kindName[need.kind]) + ".";
  }
  for (const [path, upload] of Object.entries(failedUploads(fields, f.values))) problems[path] ??= text.references.notUploaded(upload.error ?? text.references.failed);
  const uploading = isUploading(f.values);
  const isReady = !Object.keys(problems).length && !uploading;
  const body = requestOf(f, tool);
  const { estimate, error: unpriced } = useEstimate(isReady ? body : null);
  const unfit = fieldErrors(unpriced);
  const entered = pickSet(problems, f.values); // and wrong
  const errors = { ...(tried ? problems : entered), ...unfit, ...refused };
  const why = Object.keys({ ...entered, ...unfit }).length ? text.priceWrong : Object.keys(problems).length ? text.priceWaits : uploading ? text.priceUpload : whyUnpriced(unpriced);
  const isTooMuch = isReady && estimate?.sufficient === false;

  const refuse = (reason: Error | string) => {
    setProblem(reason);
    requestAnimationFrame(focusError);
  };
  const make = async () => {
    if (isTooMuch) return;
    setTried(true);
    if (!isReady) return refuse(uploading && !Object.keys(problems).length ? text.checkUpload : text.check);
    const wanted = JSON.stringify(body);
    const start = () => {
      setStarting(true);
      setProblem(undefined);
      // One key for one intention: a repetition after a lost answer starts nothing twice.
      if (intent.current?.body !== wanted) intent.current = { body: wanted, key: randomId() };
      return post("/v1/creative-agent/workflows", body, { idempotencyKey: intent.current.key });
    };
    try {
      const started = await press(wanted, start);
      if (!started) return;
      intent.current = undefined;
      setTried(false);
      bringIntoView.current = started.workflow.workflowId;
      show(started.workflow.workflowId);
      pending.reload();
    } catch (error) {
      setRefused(fieldErrors(error as Error));
      refuse(error as Error);
      if (error instanceof ApiError && error.status) intent.current = undefined;
    }
    setStarting(false);
  };
  useListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    if (!event.repeat) void make();
  });
  // Where the result is above the form, it comes into view when its work starts, and not again.
  const result = useRef<HTMLElement>(null);
  useEffect(() => {
    if (bringIntoView.current !== shown.workflowId) return;
    bringIntoView.current = "";
    const { top } = result.current!.getBoundingClientRect();
    if (top < 0 || top > innerHeight / 2) result.current!.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }, [shown.workflowId]);

  const actions = {
    onShow: show,
    onRestore: (workflow: any, stepId?: string) => {
      const restored = formOf(workflow, stepId, catalog.tools, loraName);
      if (!restored) return;
      change(settle(restored, catalog));
      toast(text.result.restored);
    },
    onReference: (a: any) => take(a.kind, () => referTo(a.kind, a.url, a.kind, a.thumbnailUrl)),
    onSeed: (seed: number) => change({ ...f, values: { ...f.values, seed } }),
    onCode: (workflow: any) => setCode({ input: workflow.input, ...(workflow.mediaReferences?.length ? { media_references: workflow.mediaReferences } : {}) }),
  };
  const props = { catalog, tool, model, form: f, errors, onForm: change, onTool: changeTool };
  const count = tool.countArgument && tool.arguments.find((a) => a.name === tool.countArgument);
  return (
    <div class={shown.workflowId ? "create has-result" : "create"}>
      <h1 class="offscreen">{text.title}</h1>
      <form class="create-form panel" noValidate onSubmit={(event) => { event.preventDefault(); void make(); }}>
        <Kind {...props} />
        <Prompt {...props} />
        <Chosen {...props} />
        <Additions {...props} loras={loras.data} />
        <details class="create-settings" open={innerWidth > 960}>
          <summary><h2>{text.settings}</h2></summary>
          <Settings {...props} />
          <div class="row"><button type="button" class="quiet" onClick={() => setCode(body)}>{text.result.code}</button><button type="button" class="quiet" onClick={() => { references.value = {}; setTried(false); change({ tool: f.tool, model: firstChoice(tool, catalog), values: {}, loras: [] }); }}>{text.reset}</button></div>
        </details>
        <div class="create-make">
          {problem && (problem instanceof Error ? <Failure error={problem} /> : <Notice tone="bad">{problem}</Notice>)}
          {count && errors[count.name!] && <p class="error-text" id="count-error">{errors[count.name!]}</p>}
          {count && (
            <label class="create-count"><span>{text.count}</span>
              <input type="number" min={1} max={count.maximum ?? 16} step={1} value={f.values[count.name!] ?? 1}
                aria-invalid={errors[count.name!] ? true : undefined} aria-describedby={errors[count.name!] ? "count-error" : undefined}
                onInput={(e) => change({ ...f, values: { ...f.values, [count.name!]: e.currentTarget.value === "1" || e.currentTarget.value === "" ? undefined : Number(e.currentTarget.value) } })} />
            </label>
          )}
          {(!problem || (isReady && estimate)) && <Price estimate={isReady ? estimate : undefined} why={why} />}
          <div class="row end">
            <button type="submit" class="primary" disabled={starting || isTooMuch} title={text.shortcut} aria-keyshortcuts="Control+Enter">{starting ? text.making : text.make}</button>
          </div>
        </div>
      </form>
      <div class="create-side">
        <section class="create-result" ref={result} aria-label={text.result.title}>
          {shown.workflowId ? <Result watched={watched} artifactId={shown.artifactId} actions={actions} ratio={f.values.width && f.values.height ? `${f.values.width} / ${f.values.height}` : undefined} />
            : <Empty title={text.result.empty}>{text.result.emptyHelp}</Empty>}
        </section>
        <Strip pending={pending.data?.workflows ?? []} shown={shown} onShow={show} />
      </div>
      {dragging && <div class="drop-hint" aria-hidden="true"><p>{text.drop}</p></div>}
      {code && <CodeDialog body={code} onClose={() => setCode(null)} />}
    </div>
  );
}

/** Puts the focus on the first field that is wrong, also in a part of the form that is closed. */
function focusError() {
  const field = document.querySelector<HTMLElement>(".create [aria-invalid], .create .wrong button");
  for (let closed = field?.closest<HTMLDetailsElement>("details:not([open])"); closed; closed = field?.closest<HTMLDetailsElement>("details:not([open])")) closed.open = true;
  field?.focus();
}

// Before the first attempt, only what the person has entered can be wrong.
function pickSet(problems: Record<string, string>, values: Record<string, any>): Record<string, string> {
  return Object.fromEntries(Object.entries(problems).filter(([path]) => values[path.split(/[.[]/)[0]] !== undefined));
}

/** The error of a refusal that names an argument, at its field. */
function fieldErrors(error: Error | undefined): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const path = /^input\.steps\[0\]\.arguments\.(.+)$/.exec(error.body?.details?.field ?? "")?.[1];
  return path ? { [path]: error.message.replace(/^input\.steps\[0\]\.arguments\./, "") } : {};
}
