// Checks in the browser, at once. The service has the last word.

import { listOf, objectOf } from "../json";
import {
  cycleIn,
  edgesOf,
  inputNames,
  producersOf,
  referencesIn,
  stagesOf,
  type Path,
  type StageNode,
} from "../template/derive";
import { inputsOf, inputTypes, type Argument } from "../template/model";
import { labelOf } from "../texts/arguments";
import { kindName, text } from "../texts/builder";
import { fits, sourceOfInput, sourceOfStage, unfilled, type Tools } from "./connect";
import { pathText, type Issue, type Json } from "./document";

const idForm = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,99}$/;
const nameForm = /^[A-Za-z_][\w-]{0,63}$/;
const binding = /\$(inputs\.|artifacts\.|item\b)/;

export function check(template: Json, tools: Tools): Issue[] {
  const out: Issue[] = [];
  const fail = (path: Path, message: string, severity: Issue["severity"] = "error") =>
    out.push({ path: pathText(path), message, severity });
  if (typeof template.name !== "string" || !template.name.trim()) fail(["name"], text.checks.name);
  checkInputs(template, fail);
  const stages = stagesOf(template);
  if (!stages.length) fail(["stages"], text.checks.noStages, "warning");
  const seen = new Set<string>();
  for (const node of stages) {
    if (!idForm.test(String(node.stage.id ?? ""))) fail([...node.path, "id"], text.checks.id);
    else if (seen.has(node.id)) fail([...node.path, "id"], text.checks.twice(node.id));
    seen.add(node.id);
    const misnamed = listOf(node.stage.produces).find((name) => !nameForm.test(String(name)));
    if (misnamed !== undefined) fail([...node.path, "produces"], text.checks.inputName);
    if (node.isBatch && !node.stage.overBinding) fail([...node.path, "overBinding"], text.checks.over);
    checkTool(node, tools, fail);
  }
  checkReferences(template, stages, tools, fail);
  const circle = cycleIn(edgesOf(template, stages));
  if (circle)
    fail(stages.find((node) => node.id === circle[0])?.path ?? ["stages"], text.checks.circle(circle.join(", ")));
  return out;
}

type Fail = (path: Path, message: string, severity?: Issue["severity"]) => void;

function checkInputs(template: Json, fail: Fail) {
  const names = inputNames(template);
  listOf(template.inputs)
    .map(objectOf)
    .forEach((input, i) => {
      if (!nameForm.test(names[i])) fail(["inputs", i, "name"], text.checks.inputName);
      else if (names.indexOf(names[i]) < i) fail(["inputs", i, "name"], text.checks.twice(names[i]));
      if (!(inputTypes as unknown[]).includes(input.type)) fail(["inputs", i, "type"], text.checks.inputType);
      if (input.type === "select" && !listOf(input.options).length) fail(["inputs", i, "options"], text.checks.options);
    });
}

function checkTool(node: StageNode, tools: Tools, fail: Fail) {
  if (!tools.size) return;
  const tool = tools.get(node.tool);
  const toolPath = [...node.argsPath.slice(0, -1), "tool"];
  if (!node.tool) {
    if (!Array.isArray(node.stage.subStages)) fail(toolPath, text.checks.noTool);
    return;
  }
  if (!tool) return fail(toolPath, text.checks.unknownTool(node.tool));
  for (const [name, value] of Object.entries(node.args)) {
    const argument = tool.arguments.find((a) => a.name === name);
    const wrong = argument ? wrongWith(argument, value) : text.checks.unknownArgument(name);
    if (wrong) fail([...node.argsPath, name], wrong, argument ? "error" : "warning");
  }
  const work = node.isBatch ? objectOf(node.stage.itemStage) : node.stage;
  const bound = new Set(listOf(work.dependsOn).map((b) => objectOf(b).targetArgument));
  for (const { name } of unfilled(node, tool)) fail([...node.argsPath, name], text.checks.missing(labelOf(name)));
  for (const need of tool.needs) {
    if (!need.arguments.some((name) => node.args[name] !== undefined || bound.has(name)))
      fail([...node.argsPath, need.arguments[0]], text.checks.needs(kindName(need.kind)), "warning");
  }
}

function wrongWith(argument: Argument, value: unknown): string {
  if (typeof value === "string" && binding.test(value)) return "";
  const is = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  const wants = argument.type === "integer" ? "number" : argument.type;
  if (is !== wants) return text.checks.type(argument.type);
  if (argument.enum && !argument.enum.includes(value)) return text.checks.oneOf(argument.enum.slice(0, 12).join(", "));
  if (Array.isArray(value)) {
    if (argument.minItems && value.length < argument.minItems) return text.checks.fewest(argument.minItems);
    if (argument.maxItems && value.length > argument.maxItems) return text.checks.most(argument.maxItems);
  }
  if (typeof value !== "number") return "";
  if (argument.minimum !== undefined && value < argument.minimum) return text.checks.atLeast(argument.minimum);
  if (argument.maximum !== undefined && value > argument.maximum) return text.checks.atMost(argument.maximum);
  return "";
}

function checkReferences(template: Json, stages: StageNode[], tools: Tools, fail: Fail) {
  const inputs = inputsOf(template);
  const names = new Set(inputNames(template));
  const producers = producersOf(stages);
  const exists = (root: string, name: string) => (root === "inputs" ? names.has(name) : producers.has(name));
  const visit = (value: unknown, path: Path, node: StageNode, argument?: Argument) => {
    if (typeof value === "string") {
      const found = referencesIn(value, exists);
      for (const reference of found) {
        if (!exists(reference.root, reference.name))
          fail(
            path,
            reference.root === "inputs" ? text.checks.noInput(reference.name) : text.checks.noArtifact(reference.name),
          );
      }
      const whole = found.length === 1 && /^\$(inputs|artifacts)\.[^\s$]+$/.test(value) ? found[0] : undefined;
      if (!whole || !argument || !exists(whole.root, whole.name)) return;
      const maker = stages.find((stage) => producers.get(whole.name)?.includes(stage.id));
      const source =
        whole.root === "inputs"
          ? sourceOfInput(inputs.find((input) => input.name === whole.name)!)
          : sourceOfStage(maker!, tools);
      const isKnown = whole.root === "inputs" || tools.has(maker!.tool);
      if (isKnown && !fits(source, argument) && (argument.media || source.stage))
        fail(
          path,
          text.checks.doesNotFit(
            labelOf(argument.name),
            kindName(argument.media ?? argument.type),
            kindName(source.kind),
          ),
        );
    } else if (value !== null && typeof value === "object") {
      for (const [key, item] of Object.entries(value))
        visit(item, [...path, Array.isArray(value) ? Number(key) : key], node);
    }
  };
  for (const node of stages) {
    const tool = tools.get(node.tool);
    for (const [name, value] of Object.entries(node.args))
      visit(
        value,
        [...node.argsPath, name],
        node,
        tool?.arguments.find((a) => a.name === name),
      );
    if (typeof node.stage.overBinding === "string") visit(node.stage.overBinding, [...node.path, "overBinding"], node);
  }
}
