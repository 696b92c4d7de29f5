// The page "create": one form for everything that the service makes, its result, and what
// was made before.

import { useLocation } from "preact-iso/router";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, post, randomId } from "../api";
import { firstChoice, loadCatalog, modelFor, type Catalog } from "../create/catalog";
import { CodeDialog } from "../create/code";
import { Additions, Chosen, fieldsOf, Kind, Prompt, Settings } from "../create/fields";
import { form, formOf, given, isUploading, pointersOf, requestOf, type Form } from "../create/form";
import { applyAddress, settle } from "../create/incoming";
import { useLoras } from "../create/loras";
import { Price, useEstimate } from "../create/price";
import { references, referTo, uploadReference } from "../create/reference";
import { Result } from "../create/result";
import { place } from "../create/slot";
import { Strip, usePending } from "../create/strip";
import { percent } from "../format";
import { useChanges, useData, useFiles, useListener, useTitle } from "../hooks";
import { Empty, Failure } from "../parts/notice";
import { problemsOf } from "../parts/schema-form";
import { toast, toastError } from "../parts/toast";
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
  const [problem, setProblem] = useState<Error>();
  const [tried, setTried] = useState(false);
  const [starting, setStarting] = useState(false);
  const intent = useRef<{ body: string; key: string }>();

  const shown = { workflowId: query.workflow ?? "", artifactId: query.artifact ?? "" };
  const watched = useWorkflow(shown.workflowId);
  const status = watched.workflow?.status;
  useTitle(status && !isOver(status) ? `${percent(progressOf(watched.workflow!))} · ${text.title}` : status === "completed" && document.hidden ? `${text.result.doneTitle} · ${text.title}` : text.title);

  const show = (workflowId: string, artifactId?: string) => {
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
    const kept = Object.fromEntries(Object.entries(f.values).filter(([n]) => next.arguments.some((a) => a.name === n)));
    setTried(false);
    change({ tool: name, model: firstChoice(next, catalog), values: kept, loras: next.arguments.some((a) => a.name === "loras") ? f.loras : [] });
  };

  // What another page asked for, once.
  const loraName = (id: string) => loras.data?.find((l) => l.loraId === id)?.name ?? id;
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
  const isReady = !Object.keys(problems).length && !isUploading(f.values) && !pointersOf(f.values).some((r) => r.state === "failed");
  const body = requestOf(f, tool);
  const { estimate, error: unpriced } = useEstimate(isReady ? body : null);
  const errors = { ...(tried ? problems : pickSet(problems, f.values)), ...fieldErrors(unpriced), ...refused };

  const make = async () => {
    setTried(true);
    if (starting || !isReady) return void requestAnimationFrame(() => document.querySelector<HTMLElement>(".create [aria-invalid], .create .wrong button")?.focus());
    setStarting(true);
    setProblem(undefined);
    // One key for one intention: a repetition after a lost answer starts nothing twice.
    const wanted = JSON.stringify(body);
    if (intent.current?.body !== wanted) intent.current = { body: wanted, key: randomId() };
    try {
      const { workflow } = await post("/v1/creative-agent/workflows", body, { idempotencyKey: intent.current.key });
      intent.current = undefined;
      setTried(false);
      show(workflow.workflowId);
      pending.reload();
    } catch (error) {
      const found = fieldErrors(error as Error);
      if (Object.keys(found).length) setRefused(found);
      else setProblem(error as Error);
      if (error instanceof ApiError && error.status) intent.current = undefined;
    } finally {
      setStarting(false);
    }
  };
  useListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    void make();
  });

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
        <Additions {...props} loras={loras.data ?? []} />
        <details class="create-settings" open={innerWidth > 960}>
          <summary><h2>{text.settings}</h2></summary>
          <Settings {...props} />
          <div class="row"><button type="button" class="quiet" onClick={() => setCode(body)}>{text.result.code}</button><button type="button" class="quiet" onClick={() => { references.value = {}; setTried(false); change({ tool: f.tool, model: firstChoice(tool, catalog), values: {}, loras: [] }); }}>{text.reset}</button></div>
        </details>
        {problem && <Failure error={problem} />}
        <div class="create-make">
          {count && (
            <label class="create-count"><span>{text.count}</span>
              <input type="number" min={1} max={count.maximum ?? 16} step={1} value={f.values[count.name!] ?? 1}
                onInput={(e) => change({ ...f, values: { ...f.values, [count.name!]: e.currentTarget.value === "1" || e.currentTarget.value === "" ? undefined : Number(e.currentTarget.value) } })} />
            </label>
          )}
          <Price estimate={estimate} failed={Boolean(unpriced && !Object.keys(fieldErrors(unpriced)).length)} />
          <div class="row end">
            <button type="submit" class="primary" disabled={starting} title={text.shortcut} aria-keyshortcuts="Control+Enter">{starting ? text.making : text.make}</button>
          </div>
        </div>
      </form>
      <section class="create-result" aria-label={text.result.title}>
        {shown.workflowId ? <Result watched={watched} artifactId={shown.artifactId} actions={actions} ratio={f.values.width && f.values.height ? `${f.values.width} / ${f.values.height}` : undefined} />
          : <Empty title={text.result.empty}>{text.result.emptyHelp}</Empty>}
      </section>
      <Strip pending={pending.data?.workflows ?? []} shown={shown} onShow={show} />
      {dragging && <div class="drop-hint" aria-hidden="true"><p>{text.drop}</p></div>}
      {code && <CodeDialog body={code} onClose={() => setCode(null)} />}
    </div>
  );
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
