// The page "create" as a state and what happens to it, and what follows from a state.

import { problemsOf, type Argument } from "../parts/arguments";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/create";
import { fieldsOf, leadOf, takesMarks } from "./arguments";
import { firstChoice, modelFor, type Catalog, type Model, type Tool } from "./catalog";
import { emptyForm, failedUploads, given, requestOf, settle, withTool, type Form, type WorkflowRequest } from "./form";
import { unfitLoras, type LoraRow, type Unfit } from "./lora";
import { referencesIn, type References } from "./pointer";

export interface State {
  form: Form;
  /** What the service has refused, by the path of the field. */
  refused: Record<string, string>;
  /** Why nothing was started. */
  problem?: Error | string;
  /** The person has tried to start: what is missing is shown too. */
  isTried: boolean;
  isStarting: boolean;
}

export type Event =
  /** The page is shown: what was tried on an earlier visit is past. */
  | { type: "opened" }
  /** The person, or another page, has set something. */
  | { type: "changed"; form: Form }
  | { type: "toolChosen"; tool: Tool; catalog: Catalog }
  /** Everything but the tool is as at the beginning. */
  | { type: "reset"; tool: Tool; catalog: Catalog }
  /** The person wants to start, and the form is not ready for the reason that is given. */
  | { type: "stopped"; problem: string }
  | { type: "starting" }
  | { type: "started" }
  /** The service refused the start, or did not answer. */
  | { type: "failed"; error: Error; refused: Record<string, string> };

export const begin = (form: Form = emptyForm): State => ({ form, refused: {}, isTried: false, isStarting: false });

const change = (state: State, form: Form): State => ({ ...state, form, refused: {}, problem: undefined });

/** The state after an event. */
export function reduce(state: State, event: Event): State {
  switch (event.type) {
    case "opened":
      return begin(state.form);
    case "changed":
      return change(state, event.form);
    case "toolChosen": {
      const form = withTool(settle(state.form, event.catalog), event.tool, event.catalog);
      return { ...change(state, settle(form, event.catalog)), isTried: false };
    }
    case "reset": {
      const form = { ...emptyForm, tool: event.tool.name, model: firstChoice(event.tool, event.catalog) };
      return { ...change(state, form), isTried: false };
    }
    case "stopped":
      return { ...state, isTried: true, problem: event.problem };
    case "starting":
      return { ...state, isTried: true, isStarting: true, problem: undefined };
    case "started":
      return { ...state, isTried: false, isStarting: false };
    case "failed":
      return { ...state, isStarting: false, problem: event.error, refused: event.refused };
  }
}

/** What a form means with a catalog: its tool and model, what is wrong, and the request. */
export interface Draft {
  form: Form;
  tool: Tool;
  model: Model | undefined;
  fields: Argument[];
  /** What is missing or wrong, by the path of the field. */
  problems: Record<string, string>;
  /** The LoRAs that the model cannot load. */
  unfit: Record<string, Unfit>;
  isUploading: boolean;
  isReady: boolean;
  request: WorkflowRequest;
}

export function draftOf(state: State, catalog: Catalog, references: References, loras: LoraRow[] = []): Draft {
  const form = settle(state.form, catalog);
  const tool = catalog.tools.find((t) => t.name === form.tool)!;
  const model = modelFor(tool, form.model, catalog, given(form.values, references));
  const fields = fieldsOf(tool, model);
  const problems = {
    ...missingForModel(model, fields, given(form.values, references)),
    ...missingMedia(tool, fields, form.values),
    ...missingMarks(tool, form.values),
    ...problemsOf(fields, form.values),
  };
  for (const [path, upload] of Object.entries(failedUploads(fields, form.values, references))) {
    problems[path] ??= text.references.notUploaded(upload.error ?? text.references.failed);
  }
  const isUploading = referencesIn(form.values, references).some((r) => r.state === "uploading");
  const unfit = unfitLoras(form, tool, model, loras, catalog);
  const isReady = !Object.keys({ ...problems, ...unfit }).length && !isUploading;
  const request = requestOf(form, tool, references);
  return { form, tool, model, fields, problems, unfit, isUploading, isReady, request };
}

/** The media that a tool cannot work without, at the first place that takes them. */
function missingMedia(tool: Tool, fields: Argument[], values: Form["values"]): Record<string, string> {
  const missing = tool.needs.filter(
    (need) => !need.arguments.some((a) => values[a] !== undefined) && fields.some((a) => a.name === need.arguments[0]),
  );
  return Object.fromEntries(missing.map((need) => [need.arguments[0], addOne(need.kind)]));
}

/** What a tool is to select: it is named, or marked on the picture. */
function missingMarks(tool: Tool, values: Form["values"]): Record<string, string> {
  const lead = leadOf(tool)?.name ?? "";
  return takesMarks(tool) && ![lead, "points", "boxes"].some((name) => values[name]) ? { [lead]: text.nameOrMark } : {};
}

const addOne = (kind: string) => text.references.needed(text.kindName[kind]);

/** The places of media that tool and model cannot do without. */
export const neededMedia = (tool: Tool, model: Model | undefined, fields: Argument[]): Set<string> =>
  new Set(Object.keys({ ...missingForModel(model, fields, {}), ...missingMedia(tool, fields, {}) }));

/** The media that a model cannot work without, also where its tool can, at the first place that takes them. */
function missingForModel(
  model: Model | undefined,
  fields: Argument[],
  count: Record<string, number>,
): Record<string, string> {
  const p = model?.parameters ?? {};
  const needed = [
    ...(p.requiresStartingImage || p.requiresContextImage ? ["image"] : []),
    ...(p.requiresReferenceVideo ? ["video"] : []),
    ...(p.requiresReferenceAudio ? ["audio"] : []),
  ];
  return Object.fromEntries(
    needed
      .filter((kind) => !count[kind])
      .flatMap((kind) => {
        const field = fields.find((a) => a.media === kind && !a.aside);
        return field ? [[field.name!, addOne(kind)]] : [];
      }),
  );
}

/** Before the first attempt, only what the person has entered can be wrong. */
const entered = (problems: Record<string, string>, { form }: Draft) =>
  Object.fromEntries(Object.entries(problems).filter(([path]) => form.values[path.split(/[.[]/)[0]] !== undefined));

/** Of what the estimate has refused, what is wrong: what other choices require is only missing yet. */
const wrongOf = (unfit: Record<string, string>, draft: Draft) => ({
  ...Object.fromEntries(Object.entries(unfit).filter(([, message]) => !/ is required\b/.test(message))),
  ...entered(unfit, draft),
});

/** The errors that the fields show. Unfit is what the estimate has refused. */
export const errorsOf = (state: State, draft: Draft, unfit: Record<string, string>) => ({
  ...(state.isTried
    ? { ...draft.problems, ...unfit }
    : { ...entered(draft.problems, draft), ...wrongOf(unfit, draft) }),
  ...state.refused,
});

/** What is wrong, named beside the button: the only field, unless it stands there itself, or the only LoRA. */
function reasonOf({ tool, unfit }: Draft, problems: Record<string, string>, several: string): string | undefined {
  const [[path, message] = ["", ""], ...others] = Object.entries(problems);
  const name = path.split(/[.[]/)[0];
  if (path) return others.length || name === tool.countArgument ? several : sentence(name, message);
  const loras = Object.values(unfit);
  return loras.length > 1 ? text.loras.change : loras[0]?.message;
}

/** What is wrong with an argument. The service's sentences begin with its name, those of the form do not. */
export function sentence(name: string, message: string): string {
  const label = labelOf(name);
  if (message === text.nameOrMark) return message; // it names two fields
  return message.toLowerCase().startsWith(label.toLowerCase())
    ? label + message.slice(label.length)
    : `${label}: ${message}`;
}

/** Why there is no price, unless the form is complete. */
export function whyNoPrice(draft: Draft, unfit: Record<string, string>): string | undefined {
  const wrong = { ...entered(draft.problems, draft), ...wrongOf(unfit, draft) };
  const reason = reasonOf(draft, wrong, text.priceWrong);
  if (reason) return reason;
  const lacks = Object.values({ ...draft.problems, ...unfit });
  if (lacks.length) return lacks.every((message) => message === text.nameOrMark) ? text.nameOrMark : text.priceWaits;
  return draft.isUploading ? text.priceUpload : undefined;
}

/** Why a form that is not ready cannot start. */
export const whyStopped = (draft: Draft): string => reasonOf(draft, draft.problems, text.check) ?? text.checkUpload;
