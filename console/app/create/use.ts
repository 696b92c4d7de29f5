// What the page "create" does: it reads its address, takes references, and starts work.

import { useLocation } from "preact-iso/router";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, post } from "../api";
import { useListener } from "../hooks";
import { keep, kept } from "../keep";
import { toast, toastError } from "../parts/toast";
import { useIntent, usePress } from "../press";
import { isOver } from "../status";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/create";
import type { WorkflowSummary } from "../types";
import { kindOf } from "../upload";
import type { Workflow } from "../workflow/model";
import { keepStarted } from "../workflow/started";
import type { Watched } from "../workflow/watch";
import { fieldsOf, identifier } from "./arguments";
import { isAsking, shownLink, withAddress } from "./address";
import { sendToBoard } from "./board";
import { modelFor, type Catalog } from "./catalog";
import { given, place, settle, withLora, type Form } from "./form";
import { readLora, readMade, readReference } from "./incoming";
import { arrived } from "./loras";
import { adopted, withOwn } from "./making";
import { sentence, whyStopped, type Draft } from "./machine";
import type { Pointer } from "./pointer";
import { references, uploadReference } from "./reference";
import { send, state } from "./store";

export interface Shown {
  workflowId: string;
  artifactId: string;
}

/** What the address shows, and functions that change it together with the form. */
export function useAddress() {
  const { query, route } = useLocation();
  const shown: Shown = { workflowId: query.workflow ?? "", artifactId: query.artifact ?? "" };
  const show = (workflowId: string, artifactId?: string) => {
    if (location.pathname !== "/") return; // the person has left for a page that is being loaded
    route(shownLink(state.value.form, workflowId, artifactId), true);
  };
  /** Writes the tool and the model of the form to the address. */
  const follow = () => {
    const { tool, model } = state.value.form;
    if (tool !== query.tool || model !== (query.model ?? "")) show(shown.workflowId, shown.artifactId);
  };
  const change = (form: Form) => {
    send({ type: "changed", form });
    follow();
  };
  return { query, shown, show, follow, change, route };
}

type Address = ReturnType<typeof useAddress>;

/** Applies what another page asked for, once; without an address, what is being made for this page is shown. */
export function useIncoming(
  address: Address,
  draft: Draft,
  catalog: Catalog,
  loraName: (id: string) => string,
  pending: WorkflowSummary[] | undefined,
) {
  const { query, shown, show } = address;
  const isAsked = isAsking(query, state.value.form);
  const take = useTake(address, catalog);
  // The words in the form were for something else: they are replaced by what is written next.
  const [asked, askWords] = useState(0);
  useLayoutEffect(() => {
    if (asked) selectWords();
  }, [asked]);
  useLayoutEffect(() => {
    if (!state.value.form.tool && !isAsked) send({ type: "changed", form: draft.form });
    if (!isAsked) return;
    const read = async () => {
      if (query.restore && query.workflow) {
        const form = await readMade(query.workflow, query.restore, catalog, loraName);
        if (form) send({ type: "changed", form });
      } else if (query.tool || query.model)
        send({ type: "changed", form: withAddress(state.value.form, query, catalog) }); // at once: a file may come next
      if (!state.value.form.tool) send({ type: "changed", form: settle(state.value.form, catalog) });
      const lora = query.lora && (await readLora(query.lora));
      if (lora) {
        send({ type: "changed", form: withLora(state.value.form, lora) });
        arrived.value = lora.id;
      }
      if (query.tool && query.reference && !query.restore) askWords((n) => n + 1);
      const came = await readReference(query);
      if (came) take(came.kind, () => came.pointer, true);
    };
    read()
      .catch(toastError)
      .finally(() => show(shown.workflowId, shown.artifactId));
  }, [isAsked]);
  useEffect(() => {
    const running = adopted(pending ?? [], own());
    if (running && !shown.workflowId && !isAsked) show(running);
  }, [!pending]);
}

/** A function that puts a reference into the form and shows it there, or says why it cannot. */
export function useTake({ change }: Address, catalog: Catalog) {
  return (kind: string, pointer: () => Pointer, isSaid = false) => {
    const now = settle(state.value.form, catalog);
    const tool = catalog.tools.find((t) => t.name === now.tool)!;
    const model = modelFor(tool, now.model, catalog, given(now.values, references.value));
    const values = place(fieldsOf(tool, model), now.values, kind, pointer);
    if (values === "full" || values === "none")
      return void toast(text.references[values](text.kindName[kind]), { tone: "bad" });
    change({ ...now, values });
    const name = Object.keys(values).find((n) => values[n] !== now.values[n]);
    if (isSaid && name) toast(text.references.taken(text.kindName[kind], labelOf(name)));
    requestAnimationFrame(() =>
      document.querySelector(`.create-form .slot[data-name="${name}"]`)?.scrollIntoView({ block: "nearest" }),
    );
  };
}

/** Puts files into the form, and begins to upload them. */
export function takeFiles(files: Iterable<File>, take: ReturnType<typeof useTake>) {
  for (const file of files) {
    const kind = kindOf(file);
    if (kind) take(kind, () => uploadReference(file, kind));
    else toast(text.references.unknown, { tone: "bad" });
  }
}

/** A function that starts what the form describes; Control and Enter call it too. */
export function useMake(draft: Draft, isTooMuch: boolean, onStarted: (workflow: Workflow) => void) {
  const press = usePress();
  const intend = useIntent();
  const make = async () => {
    if (isTooMuch) return;
    if (!draft.isReady) return showLacks(draft);
    const wanted = JSON.stringify(draft.request);
    const start = () => {
      send({ type: "starting" });
      return intend(wanted, (idempotencyKey) =>
        post("/v1/creative-agent/workflows", draft.request, { idempotencyKey }),
      );
    };
    try {
      const started = await press(wanted, start);
      if (!started) return;
      send({ type: "started" });
      onStarted(started.workflow);
    } catch (error) {
      refuse(() => send({ type: "failed", error: error as Error, refused: fieldErrors(error as Error) }));
    }
  };
  useListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    if (!event.repeat) void make();
  });
  return make;
}

/** Says what a form lacks that is not ready, and marks it. */
export const showLacks = (draft: Draft) => refuse(() => send({ type: "stopped", problem: whyStopped(draft) }));

function refuse(show: () => void) {
  show();
  requestAnimationFrame(focusError);
}

/** Puts the focus on the first field that is wrong, also in a part of the form that is closed. */
export function focusError() {
  const field = document.querySelector<HTMLElement>(".create [aria-invalid], .create .wrong button");
  const closedAround = () => field?.closest<HTMLDetailsElement>("details:not([open])");
  for (let closed = closedAround(); closed; closed = closedAround()) closed.open = true;
  field?.focus({ preventScroll: true });
  field?.scrollIntoView({ block: "center" }); // with what is wrong, above the bar
}

/** Puts the cursor into the prompt, with its text selected. */
function selectWords() {
  const field = document.querySelector<HTMLTextAreaElement>(".create-form > .field textarea");
  field?.focus();
  field?.select();
}

/** Shows the form from its beginning, and puts the cursor into its prompt. */
export function showForm() {
  document.querySelector(".create-form")!.scrollIntoView();
  document.querySelector<HTMLElement>(".create-form textarea")?.focus({ preventScroll: true });
}

/** The error of a refusal that names an argument, at its field. */
export function fieldErrors(error: Error | undefined): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const path = /^input\.steps\[0\]\.arguments\.(.+)$/.exec(error.field)?.[1];
  const message = error.message.replace(/^input\.steps\[0\]\.arguments\./, "").replace(identifier, labelOf);
  return path ? { [path]: message } : {};
}

/** What the service has refused, named as the form names it; undefined where no argument is at fault. */
export const refusalOf = (error: Error): string | undefined =>
  Object.entries(fieldErrors(error)).map(([path, message]) => sentence(path.split(/[.[]/)[0], message))[0];

const ownKey = "atelier.create.started";

/** The workflows that this browser has started here. */
const own = () => kept(ownKey).split(",").filter(Boolean);

/** Whether work is shown in one line where the screen is narrow: it was found, and the person has not asked to see it. */
export function useFold({ workflowId, artifactId }: Shown, { workflow, error }: Watched) {
  const [opened, setOpened] = useState("");
  const found = useRef("");
  if (workflow && !isOver(workflow.status)) found.current = workflow.workflowId;
  const isFound = workflowId !== "" && !artifactId && !error && (!workflow || found.current === workflowId);
  return { isFolded: isFound && opened !== workflowId, unfold: setOpened };
}

/** The place of the result, and a function that brings it into view once it shows a workflow. */
export function useView({ workflowId, artifactId }: Shown) {
  const result = useRef<HTMLElement>(null);
  const next = useRef("");
  const [asked, ask] = useState(0);
  useEffect(() => {
    if (!next.current || next.current !== workflowId) return;
    next.current = "";
    return keepInView(result.current!);
  }, [workflowId, artifactId, asked]);
  const bring = (id: string) => {
    next.current = id;
    ask((n) => n + 1); // it may be what is shown already
  };
  return { result, bring };
}

/** Scrolls to an element, also while it grows, until the person does something. Returns a function that ends it. */
function keepInView(element: HTMLElement): () => void {
  const bar = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  let behavior: ScrollBehavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  const sizes = new ResizeObserver(() => {
    const { top } = element.getBoundingClientRect();
    if (top < bar - 1 || top > innerHeight / 2) element.scrollIntoView({ behavior });
    behavior = "auto";
  });
  const events = ["wheel", "touchstart", "pointerdown", "keydown"];
  const end = () => {
    sizes.disconnect();
    for (const name of events) removeEventListener(name, end);
  };
  for (const name of events) addEventListener(name, end, { passive: true });
  sizes.observe(element);
  return end;
}

/** A function that shows work that was started. */
export function useStarted({ show }: Address, bring: (id: string) => void, onStarted: (workflow: Workflow) => void) {
  return (workflow: Workflow, isInView = false) => {
    keepStarted(workflow);
    keep(ownKey, withOwn(own(), workflow.workflowId).join());
    void sendToBoard(workflow.workflowId);
    if (!isInView) bring(workflow.workflowId);
    show(workflow.workflowId);
    onStarted(workflow);
  };
}
