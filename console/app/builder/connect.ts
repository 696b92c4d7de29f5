// Connections: what fits where, and how a connection is written and removed.

import { words } from "../format";
import { listOf, objectOf, textOf } from "../json";
import { text as said } from "../texts/builder";
import { insertAt, setAt, valueAt, read } from "./document";
import { producersOf, stagesOf, type Edge, type Path, type StageNode } from "../template/derive";
import { boundsOf, isMedia, optionsOf, type Argument, type TemplateInput, type Tool } from "../template/model";

/** Something that an argument can take: an input, or the results of a stage. */
export interface Source {
  input?: TemplateInput;
  stage?: StageNode;
  /** image, video, audio, text, number, boolean or another kind of result. */
  kind: string;
}

export interface Target {
  stage: StageNode;
  argument: Argument;
}

export type Tools = Map<string, Tool>;

export const sourceOfInput = (input: TemplateInput): Source => ({
  input,
  kind: input.type === "select" ? "text" : input.type,
});
export const sourceOfStage = (stage: StageNode, tools: Tools): Source => ({
  stage,
  kind: tools.get(stage.tool)?.produces ?? "",
});

/** Reports whether an argument can take what a source gives. */
export function fits(source: Source, argument: Argument): boolean {
  if (source.stage || isMedia(source.kind)) {
    if (argument.media) return argument.media === source.kind || argument.media === "any";
    return source.stage !== undefined && source.kind === "json" && ["cues", "srt", "overlays"].includes(argument.name);
  }
  if (argument.media) return false;
  switch (source.kind) {
    case "number":
      return argument.type === "number" || argument.type === "integer" || argument.type === "string";
    case "boolean":
      return argument.type === "boolean";
  }
  const type = argument.type === "array" ? (argument.items?.type ?? "string") : argument.type;
  if (type === "string") return true;
  // Choices that are all numbers can fill one.
  const options = source.input ? optionsOf(source.input) : [];
  return (
    (type === "number" || type === "integer") &&
    options.length > 0 &&
    options.every((option) => String(option.value).trim() !== "" && Number.isFinite(Number(option.value)))
  );
}

/** The arguments that can take what a source gives, those that the tool needs first. */
export function fittingArguments(source: Source, tool: Tool | undefined): Argument[] {
  if (!tool) return [];
  const first = (argument: Argument) =>
    tool.needs.some((need) => need.arguments[0] === argument.name)
      ? 0
      : argument.required || argument.name === "prompt"
        ? 1
        : argument.advanced
          ? 3
          : 2;
  return tool.arguments.filter((argument) => fits(source, argument)).sort((a, b) => first(a) - first(b));
}

/** The stages that a source can be connected to. A stage cannot take from what takes from it. */
export function targetsOf(source: Source, stages: StageNode[], edges: Edge[], tools: Tools): Target[] {
  const before = new Set<string>();
  const collect = (id: string) => {
    if (before.has(id)) return;
    before.add(id);
    for (const edge of edges) if (edge.to === id) collect(edge.from);
  };
  if (source.stage) collect(source.stage.id);
  return stages
    .filter((stage) => !before.has(stage.id))
    .flatMap((stage) => fittingArguments(source, tools.get(stage.tool)).map((argument) => ({ stage, argument })));
}

/** The binding that an argument takes from a source. */
export function bindingFor(source: Source, target: StageNode, argument: Argument): string {
  if (source.input) {
    const isItem = target.isBatch && target.stage.overBinding === `$inputs.${source.input.name}`;
    return isItem ? "$item" : `$inputs.${source.input.name}`;
  }
  const from = source.stage!;
  const name = from.produces[0] ?? from.id;
  if (argument.type === "array") return `$artifacts.${name}.items`;
  const isParallel = from.isBatch && target.isBatch && target.stage.overBinding !== undefined;
  return `$artifacts.${name}.items[${isParallel ? "$item.index" : "0"}].url`;
}

/** Writes a connection. Text is added to the text that an argument has; everything else replaces its value. */
export function connect(text: string, source: Source, target: StageNode, argument: Argument): string {
  const path = [...target.argsPath, argument.name];
  const old = valueAt(read(text).value, path);
  const binding = bindingFor(source, target, argument);
  if (source.kind === "text" && argument.type === "string" && typeof old === "string" && old && !argument.enum)
    return setAt(text, path, `${old} ${binding}`);
  return setAt(text, path, binding);
}

/** Removes a connection where it is written. */
export function disconnect(text: string, edge: Edge): string {
  const document = read(text).value;
  const value = valueAt(document, edge.path);
  if (edge.kind !== "value" || edge.path.at(-2) === "dependsOn") return removeAt(text, edge.path);
  if (typeof value !== "string") return text;
  const names = edge.input
    ? [edge.input]
    : [...producersOf(stagesOf(document))].filter(([, makers]) => makers.includes(edge.from)).map(([name]) => name);
  const root = edge.input ? "inputs" : "artifacts";
  let rest = value;
  for (const name of names)
    rest = rest.replace(
      new RegExp(`\\$${root}\\.${name.replace(/[.:]/g, "\\$&")}(?![\\w])(\\.items)?(\\[[^\\]]*\\])?(\\.url)?`, "g"),
      "",
    );
  rest = rest.replace(/ {2,}/g, " ").trim();
  return rest ? setAt(text, edge.path, rest) : removeAt(text, edge.path);
}

/** Removes a value, and the list that it leaves empty. */
export function removeAt(text: string, path: Path): string {
  const without = setAt(text, path, undefined);
  if (typeof path.at(-1) !== "number") return without;
  const list = valueAt(read(without).value, path.slice(0, -1));
  const keeps = ["stages", "inputs"].includes(String(path.at(-2)));
  return Array.isArray(list) && !list.length && !keeps ? setAt(without, path.slice(0, -1), undefined) : without;
}

/** An id that no stage has yet. */
export function freshId(base: string, taken: Iterable<string>): string {
  const used = new Set(taken);
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}_${n}`;
    if (!used.has(id)) return id;
  }
}

/** The required arguments that a stage has no value for. */
export function unfilled({ args, stage, isBatch }: StageNode, tool: Tool): Argument[] {
  const work = isBatch ? objectOf(stage.itemStage) : stage;
  const bound = listOf(work.dependsOn).map((binding) => objectOf(binding).targetArgument);
  return tool.arguments.filter(
    ({ name, required, default: preset }) =>
      required && preset === undefined && args[name] === undefined && !bound.includes(name),
  );
}

/** A new input, for what a stage lacks: it has the name of the argument, or of the kind of file. */
export function newInput(inputs: TemplateInput[], stages: StageNode[], tools: Tools): TemplateInput {
  const taken = inputs.map((input) => input.name);
  const lacking = stages.flatMap((stage) => {
    const tool = tools.get(stage.tool);
    return tool ? unfilled(stage, tool) : [];
  });
  const wanted = lacking.flatMap(({ name, media, type, enum: choices }): Pick<TemplateInput, "name" | "type">[] => {
    if (media && isMedia(media)) return [{ name: nouns[media], type: media as TemplateInput["type"] }];
    return !media && type === "string" && !choices ? [{ name, type: "text" }] : [];
  });
  const { name, type } = wanted.find((want) => !taken.includes(want.name)) ?? { name: "prompt", type: "text" };
  return { name: freshId(name, taken), type, required: true, description: "" };
}

const kindOfWord: Record<string, string> = { image: "image", photo: "image", video: "video" };
const nouns: Record<string, string> = {
  image: "picture",
  video: "clip",
  audio: "sound",
  json: "analysis",
  model: "model",
};

/**
 * The id of a stage begins with the last word of its tool, unless that names what it takes and not what it makes, or
 * cannot name results, which no digit begins.
 */
function idBase({ name, produces = "" }: Tool): string {
  const last = name.split("_").pop()!.replace(/\W/g, "");
  const kind = kindOfWord[last];
  return (kind && kind !== produces) || !/^[a-z]/i.test(last) ? (nouns[produces] ?? "stage") : last;
}

/** The label that a stage has until a person gives it one: its tool, with a number where another stage is called so. */
export function labelFor(tool: string, stages: StageNode[]): string {
  const taken = stages.map((stage) => stage.label);
  for (let n = 1; ; n++) {
    const label = n === 1 ? words(tool) : `${words(tool)} ${n}`;
    if (!taken.includes(label)) return label;
  }
}

/** Adds a stage with a tool at the end of the list, and names it and what it makes. */
export function addStage(text: string, tool: Tool): { text: string; id: string; label: string } {
  const stages = stagesOf(read(text).value);
  const id = freshId(idBase(tool), producersOf(stages).keys());
  const label = labelFor(tool.name, stages);
  const stage = { id, label, tool: tool.name, args: {}, ...(tool.produces ? { produces: [id] } : {}) };
  return { text: insertAt(text, ["stages"], stage), id, label };
}

/** Gives a stage another tool, and a label of it where it has that of the one before. */
export function changeTool(text: string, node: StageNode, path: Path, tool: string | undefined): string {
  const label = textOf(node.stage.label);
  const isOwn = label.replace(/ \d+$/, "") !== words(node.tool);
  const out = setAt(text, path, tool);
  if (isOwn || !tool) return out;
  return setAt(out, [...node.path, "label"], labelFor(tool, stagesOf(read(out).value)));
}

/** The stages that make the same as one, by their labels: conditions choose between several. */
export const makersOf = ({ id, produces }: StageNode, stages: StageNode[]) =>
  labelsOf(produces[0] ?? id, stages).join(said.or);

const labelsOf = (artifact: string, stages: StageNode[]) => {
  const makers = producersOf(stages).get(artifact) ?? [];
  return [...new Set(stages.filter(({ id }) => makers.includes(id)).map(({ label }) => label))];
};

/** A binding as people say it; undefined where it is too special for that. */
export function bindingInWords(binding: string, inputs: TemplateInput[], stages: StageNode[]): string | undefined {
  if (binding === "$item.index") return said.fromItemIndex;
  if (/^\$item(\.\w+)?$/.test(binding)) return said.fromItem;
  const input = inputs.find(({ name }) => binding === `$inputs.${name}`);
  if (input) return said.fromInput(input.name);
  const [, name, place] = /^\$artifacts\.([\w-]+)\.items(?:\[(\d+|\$item\.index)\]\.url)?$/.exec(binding) ?? [];
  const makers = labelsOf(name, stages).join(said.or);
  if (!makers) return undefined;
  return place === "$item.index" ? said.fromSameItem(makers) : said.fromStage(makers, Number(place ?? 0) + 1);
}

/** Removes a stage and every connection to it. */
export function removeStage(text: string, node: StageNode, edges: Edge[]): string {
  let out = text;
  // The last ones first, so that the places of the others in their lists stay.
  const isMadeElsewhere = (edge: Edge) =>
    edges.some(
      (e) => e.from !== node.id && e.to === edge.to && e.label === edge.label && e.path.join() === edge.path.join(),
    );
  const from = edges.filter((edge) => edge.from === node.id && !isMadeElsewhere(edge)).reverse();
  for (const edge of from) out = disconnect(out, edge);
  return removeAt(out, node.path);
}

/** Renames a stage, and what refers to it by its id. */
export function renameStage(text: string, node: StageNode, id: string): string {
  let out = setAt(text, [...node.path, "id"], id);
  const visit = (value: unknown, path: Path) => {
    if (typeof value === "string") {
      const last = path.at(-1);
      const names = (last === "stageId" || last === "sourceStepId") && value === node.id;
      const bound = value.replaceAll(
        new RegExp(`(^|[^$])\\$artifacts\\.${node.id.replace(/[.:]/g, "\\$&")}(?![\\w-])`, "g"),
        (_, before) => `${before}$artifacts.${id}`,
      );
      if (names) out = setAt(out, path, id);
      else if (bound !== value && !node.produces.includes(node.id)) out = setAt(out, path, bound);
    } else if (value !== null && typeof value === "object") {
      for (const [key, item] of Object.entries(value)) visit(item, [...path, Array.isArray(value) ? Number(key) : key]);
    }
  };
  visit(read(text).value, []);
  return out;
}

/** Renames an input, and the bindings to it. */
export function renameInput(text: string, index: number, from: string, to: string): string {
  let out = setAt(text, ["inputs", index, "name"], to);
  if (!from || !to) return out;
  const name = from.replace(/[^\w-]/g, "");
  const visit = (value: unknown, path: Path) => {
    if (typeof value === "string") {
      const isExpression = path.at(-1) === "expression";
      const bound = value.replaceAll(
        isExpression
          ? new RegExp(`\\binputs\\.${name}(?![\\w])`, "g")
          : new RegExp(`\\$inputs\\.${name}(?![\\w-])`, "g"),
        `${isExpression ? "" : "$"}inputs.${to}`.replace(/\$/g, "$$$$"),
      );
      if (bound !== value) out = setAt(out, path, bound);
    } else if (value !== null && typeof value === "object") {
      for (const [key, item] of Object.entries(value)) visit(item, [...path, Array.isArray(value) ? Number(key) : key]);
    }
  };
  visit(read(text).value?.stages, ["stages"]);
  return out;
}

/** Reports whether an input has several values, over which a batch can run. */
export const isListInput = (input: TemplateInput) => boundsOf(input) !== undefined;
