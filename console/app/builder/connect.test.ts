import assert from "node:assert/strict";
import { test } from "node:test";
import { edgesOf, stagesOf } from "../template/derive";
import type { Argument, TemplateInput, Tool } from "../template/model";
import {
  addStage,
  bindingInWords,
  changeTool,
  connect,
  disconnect,
  fits,
  newInput,
  removeStage,
  renameInput,
  renameStage,
  sourceOfInput,
  sourceOfStage,
  targetsOf,
} from "./connect";

const argument = (name: string, more: Partial<Argument> = {}): Argument => ({ name, type: "string", ...more });
const tool = (name: string, produces: string, args: Argument[]): Tool => ({
  name,
  produces,
  description: "",
  runs: "worker",
  models: [],
  needs: [],
  arguments: args,
});
const draw = tool("generate_image", "image", [argument("prompt"), argument("steps", { type: "integer" })]);
const move = tool("animate_photo", "video", [argument("image", { type: "integer", media: "image" })]);
const tools = new Map([draw, move].map((t) => [t.name, t]));

const text = JSON.stringify(
  {
    inputs: [{ name: "subject", type: "text" }],
    stages: [
      { id: "draw", tool: "generate_image", args: { prompt: "a $inputs.subject" }, produces: ["picture"] },
      { id: "move", tool: "animate_photo", args: { image: "$artifacts.picture.items[0].url" } },
    ],
  },
  null,
  2,
);
const stages = stagesOf(JSON.parse(text));
const edges = edgesOf(JSON.parse(text));
const subject: TemplateInput = { name: "subject", type: "text" };

test("media fit arguments of their kind, text fits text, choices of numbers fit numbers", () => {
  const [prompt, steps] = draw.arguments;
  const sizes: TemplateInput = { name: "n", type: "select", options: ["1", 2] };
  assert.ok(fits(sourceOfStage(stages[0], tools), move.arguments[0]));
  assert.ok(!fits(sourceOfStage(stages[0], tools), prompt));
  assert.ok(fits(sourceOfInput(subject), prompt));
  assert.ok(!fits(sourceOfInput(subject), steps));
  assert.ok(fits(sourceOfInput(sizes), steps));
});

test("a stage cannot be connected to what it takes from", () => {
  assert.deepEqual(targetsOf(sourceOfStage(stages[1], tools), stages, edges, tools), []);
  assert.deepEqual(
    targetsOf(sourceOfStage(stages[0], tools), stages, edges, tools).map((t) => t.stage.id),
    ["move"],
  );
});

test("text is added to the text of an argument, and removed from it", () => {
  const joined = connect(text, sourceOfInput({ name: "mood", type: "text" }), stages[0], draw.arguments[0]);
  assert.equal(JSON.parse(joined).stages[0].args.prompt, "a $inputs.subject $inputs.mood");
  const cut = disconnect(text, edges[0]);
  assert.equal(JSON.parse(cut).stages[0].args.prompt, "a");
});

test("a new stage has an id that nothing has", () => {
  const { text: more, id } = addStage(text, draw);
  assert.equal(id, "image");
  assert.equal(addStage(more, draw).id, "image_2");
});

test("a new stage is called after its tool, and after another tool when it gets that one", () => {
  const first = addStage(text, draw);
  const second = addStage(first.text, draw);
  assert.deepEqual([first.label, second.label], ["Generate image", "Generate image 2"]);
  const relabeled = (document: string) => {
    const node = stagesOf(JSON.parse(document)).at(-1)!;
    return stagesOf(JSON.parse(changeTool(document, node, [...node.path, "tool"], "animate_photo"))).at(-1)!;
  };
  assert.deepEqual(
    [relabeled(second.text)].map(({ label, tool }) => [label, tool]),
    [["Animate photo", "animate_photo"]],
  );
  assert.equal(relabeled(second.text.replace("Generate image 2", "Hero")).label, "Hero");
  assert.equal(relabeled(text).label, "move");
});

test("bindings are said in words, with all stages that make the same", () => {
  const made = [
    { id: "a", label: "Draw", produces: ["front"] },
    { id: "b", label: "Redraw", produces: ["front"] },
  ];
  const said = (binding: string) => bindingInWords(binding, [subject], stagesOf({ stages: made }));
  assert.equal(said("$inputs.subject"), "Input subject");
  assert.equal(said("$inputs.other"), undefined);
  assert.equal(said("$artifacts.front.items[0].url"), "Result of Draw or Redraw");
  assert.equal(said("$artifacts.a.items[2].url"), "Result 3 of Draw");
  assert.equal(said("$artifacts.b.items[$item.index].url"), "Result of Redraw with the same number");
  assert.equal(said("$artifacts.a.items"), "Result of Draw");
  assert.equal(said("$artifacts.a.metadata.seed"), undefined);
  assert.equal(said("$item.view"), "The item of the batch");
});

test("a new input is for what a stage lacks", () => {
  const needy = new Map(
    [draw, move].map((t) => [
      t.name,
      { ...t, arguments: t.arguments.map((a) => ({ ...a, required: a.name !== "steps" })) },
    ]),
  );
  const bare = stagesOf({
    stages: [
      { id: "move", tool: "animate_photo" },
      { id: "draw", tool: "generate_image" },
    ],
  });
  const made: TemplateInput[] = [];
  for (let n = 0; n < 3; n++) made.push(newInput(made, bare, needy));
  assert.deepEqual(
    made.map(({ name, type }) => `${name} ${type}`),
    ["picture image", "prompt text", "prompt_2 text"],
  );
  assert.equal(newInput([], stages, needy).name, "prompt");
});

test("names are changed wherever they are used", () => {
  assert.equal(JSON.parse(renameInput(text, 0, "subject", "who")).stages[0].args.prompt, "a $inputs.who");
  const unnamed = text
    .replace('"picture"', '"draw"')
    .replace("artifacts.picture", "artifacts.draw")
    .replace(/,\s*"produces": \[\s*"draw"\s*\]/, "");
  const node = stagesOf(JSON.parse(unnamed))[0];
  assert.equal(JSON.parse(renameStage(unnamed, node, "paint")).stages[1].args.image, "$artifacts.paint.items[0].url");
});

test("a removed stage leaves no connection to it", () => {
  const left = JSON.parse(removeStage(text, stages[0], edges));
  assert.deepEqual(
    left.stages.map((s: { id: string }) => s.id),
    ["move"],
  );
  assert.deepEqual(left.stages[0].args, {});
});

test("the id of a stage is a word for what it makes", () => {
  const idOf = (name: string, produces: string) => addStage('{"stages": []}', tool(name, produces, [])).id;
  assert.equal(idOf("generate_image", "image"), "image");
  assert.equal(idOf("restore_photo", "image"), "photo");
  assert.equal(idOf("animate_photo", "video"), "clip");
  assert.equal(idOf("analyze_image", "json"), "analysis");
  assert.equal(idOf("generate_music", "audio"), "music");
  assert.equal(idOf("image_to_3d", "model"), "model");
});
