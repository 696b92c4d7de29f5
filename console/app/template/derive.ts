// The graph of a template. Its edges are derived from the stages: what an argument is bound
// to, what a stage depends on, and when it runs.

import { listOf, objectOf, textOf, textsOf } from "../json";

export type Path = (string | number)[];

export interface StageNode {
  id: string;
  path: Path;
  stage: Record<string, unknown>;
  label: string;
  tool: string;
  isBatch: boolean;
  /** The stage that holds it in its subStages. */
  parent?: string;
  args: Record<string, unknown>;
  argsPath: Path;
  produces: string[];
}

export type EdgeKind = "value" | "order" | "condition" | "over";

export interface Edge {
  /** A stage, or inputs for an input of the template. */
  from: string;
  /** The input, for an edge from the inputs. */
  input?: string;
  to: string;
  argument?: string;
  kind: EdgeKind;
  label: string;
  /** Where the edge is written; removing it changes this place. */
  path: Path;
}

/** The node of the inputs. It has no stage, and no stage can have this id. */
export const inputsId = "$inputs";

/** The stages of a template, each followed by those it holds. Stages without an id get their place as one. */
export function stagesOf(template: unknown): StageNode[] {
  const out: StageNode[] = [];
  const walk = (stages: unknown, path: Path, parent?: string) => {
    listOf(stages).forEach((value, i) => {
      const stage = objectOf(value);
      const here = [...path, i];
      const id =
        typeof stage.id === "string" && stage.id
          ? stage.id
          : `#${here.filter((part) => typeof part === "number").join(".")}`;
      const isBatch = stage.type === "batch" || (stage.type === undefined && stage.itemStage !== undefined);
      const work = isBatch ? objectOf(stage.itemStage) : stage;
      const workPath = isBatch ? [...here, "itemStage"] : here;
      const argsName = work.arguments !== undefined && work.args === undefined ? "arguments" : "args";
      out.push({
        id,
        path: here,
        stage,
        parent,
        isBatch,
        label: typeof stage.label === "string" && stage.label ? stage.label : id,
        tool: String(work.tool ?? work.toolName ?? ""),
        args: objectOf(work[argsName]),
        argsPath: [...workPath, argsName],
        produces: [...textsOf(stage.produces), ...(isBatch ? textsOf(work.produces) : [])],
      });
      walk(stage.subStages, [...here, "subStages"], id);
    });
  };
  walk(objectOf(template).stages, ["stages"]);
  return out;
}

export const inputNames = (template: unknown): string[] =>
  listOf(objectOf(template).inputs).map((input) => String(objectOf(input).name ?? ""));

export interface Reference {
  root: "inputs" | "artifacts";
  name: string;
}

/** The bindings in a text. Two dollar signs make one plain text; a name ends before a dash that no name has. */
export function referencesIn(text: string, exists: (root: string, name: string) => boolean): Reference[] {
  const out: Reference[] = [];
  for (const match of text.matchAll(/(\$?)\$(inputs|artifacts)\.([A-Za-z_][\w-]*)/g)) {
    if (match[1]) continue;
    const root = match[2] as Reference["root"];
    let name = match[3].replace(/-+$/, "");
    for (let cut = name; cut; cut = cut.includes("-") ? cut.slice(0, cut.lastIndexOf("-")) : "") {
      if (exists(root, cut)) {
        name = cut;
        break;
      }
    }
    out.push({ root, name });
  }
  return out;
}

function visit(value: unknown, path: Path, each: (text: string, path: Path) => void) {
  if (typeof value === "string") each(value, path);
  else if (Array.isArray(value)) value.forEach((item, i) => visit(item, [...path, i], each));
  else if (value !== null && typeof value === "object")
    for (const [name, item] of Object.entries(value)) visit(item, [...path, name], each);
}

/** Who makes an artifact, by its name or by the id of a stage: several where conditions choose between them. */
export function producersOf(stages: StageNode[]): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const stage of stages)
    for (const name of stage.produces) named.set(name, [...(named.get(name) ?? []), stage.id]);
  return new Map([...stages.map((stage): [string, string[]] => [stage.id, [stage.id]]), ...named]);
}

export function edgesOf(template: unknown, stages = stagesOf(template)): Edge[] {
  const inputs = new Set(inputNames(template));
  const producers = producersOf(stages);
  const exists = (root: string, name: string) => (root === "inputs" ? inputs.has(name) : producers.has(name));
  const out: Edge[] = [];
  const add = (edge: Edge) => {
    if (edge.from === edge.to) return;
    if (
      !out.some(
        (e) =>
          e.from === edge.from &&
          e.to === edge.to &&
          e.input === edge.input &&
          e.argument === edge.argument &&
          e.kind === edge.kind,
      )
    )
      out.push(edge);
  };
  const bind = (text: string, to: string, path: Path, kind: EdgeKind, argument?: string) => {
    for (const { root, name } of referencesIn(text, exists)) {
      if (root === "inputs" && inputs.has(name))
        add({ from: inputsId, input: name, to, argument, kind, label: name, path });
      for (const maker of (root === "artifacts" && producers.get(name)) || [])
        add({ from: maker, to, argument, kind, label: name, path });
    }
  };
  for (const node of stages) {
    for (const [argument, value] of Object.entries(node.args))
      visit(value, [...node.argsPath, argument], (text, path) => bind(text, node.id, path, "value", argument));
    const work = node.isBatch ? objectOf(node.stage.itemStage) : node.stage;
    const workPath = node.argsPath.slice(0, -1);
    listOf(work.dependsOn).forEach((value, i) => {
      const binding = objectOf(value);
      for (const from of producers.get(String(binding.sourceStepId ?? "")) ?? [])
        add({
          from,
          to: node.id,
          argument: textOf(binding.targetArgument),
          kind: "value",
          label: `${binding.sourceArtifactIndex ?? 0} ${binding.transform ?? ""}`.trim(),
          path: [...workPath, "dependsOn", i],
        });
    });
    for (const name of ["requiredArtifactsIn", "optionalArtifactsIn"]) {
      listOf(node.stage[name]).forEach((artifact, i) => {
        for (const from of producers.get(String(artifact)) ?? [])
          add({ from, to: node.id, kind: "order", label: String(artifact), path: [...node.path, name, i] });
      });
    }
    if (typeof node.stage.overBinding === "string")
      bind(node.stage.overBinding, node.id, [...node.path, "overBinding"], "over");
    const condition = objectOf(node.stage.condition);
    const at = [...node.path, "condition"];
    for (const other of producers.get(String(condition.stageId ?? condition.artifactName ?? "")) ?? [])
      add({ from: other, to: node.id, kind: "condition", label: String(condition.type ?? ""), path: at });
    for (const match of String(condition.expression ?? "").matchAll(/\binputs\.([A-Za-z_]\w*)/g)) {
      if (inputs.has(match[1]))
        add({ from: inputsId, input: match[1], to: node.id, kind: "condition", label: match[1], path: at });
    }
  }
  return out;
}

/** A circle among the stages, as their ids, or undefined. */
export function cycleIn(edges: Edge[]): string[] | undefined {
  const next = new Map<string, string[]>();
  for (const edge of edges) if (edge.from !== inputsId) next.set(edge.from, [...(next.get(edge.from) ?? []), edge.to]);
  const done = new Set<string>();
  const trail: string[] = [];
  const search = (id: string): string[] | undefined => {
    if (trail.includes(id)) return trail.slice(trail.indexOf(id));
    if (done.has(id)) return undefined;
    trail.push(id);
    for (const to of next.get(id) ?? []) {
      const found = search(to);
      if (found) return found;
    }
    trail.pop();
    done.add(id);
    return undefined;
  };
  for (const id of next.keys()) {
    const found = search(id);
    if (found) return found;
  }
  return undefined;
}

/** The column of each stage in a small picture: one after the last that it takes something from. */
export function ranksOf(stages: StageNode[], edges: Edge[]): Map<string, number> {
  const ranks = new Map(stages.map((stage) => [stage.id, 0]));
  for (let round = 0; round < stages.length; round++) {
    let changed = false;
    for (const edge of edges) {
      const before = ranks.get(edge.from);
      if (before === undefined || edge.to === edge.from || ranks.get(edge.to)! > before || before >= stages.length)
        continue;
      ranks.set(edge.to, before + 1);
      changed = true;
    }
    if (!changed) break;
  }
  return ranks;
}
