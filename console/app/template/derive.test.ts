import assert from "node:assert/strict";
import { test } from "node:test";
import { cycleIn, edgesOf, inputsId, ranksOf, referencesIn, stagesOf } from "./derive";

const template = {
  inputs: [{ name: "subject" }, { name: "photos" }],
  stages: [
    { id: "draw", tool: "generate_image", args: { prompt: "a $inputs.subject at night" }, produces: ["picture"] },
    { id: "move", tool: "animate_photo", args: { image: "$artifacts.picture.items[0].url" }, label: "Move it" },
    {
      id: "each",
      type: "batch",
      overBinding: "$inputs.photos",
      itemStage: { tool: "edit_image", args: { image: "$item" } },
    },
  ],
};

test("stages have their tools, arguments and results", () => {
  const stages = stagesOf(template);
  assert.deepEqual(
    stages.map(({ id, tool, isBatch, label }) => [id, tool, isBatch, label]),
    [
      ["draw", "generate_image", false, "draw"],
      ["move", "animate_photo", false, "Move it"],
      ["each", "edit_image", true, "each"],
    ],
  );
  assert.deepEqual(stages[2].argsPath, ["stages", 2, "itemStage", "args"]);
});

test("what is no template has no stages", () => {
  for (const value of [null, 1, [], { stages: "x" }]) assert.deepEqual(stagesOf(value), []);
  assert.equal(stagesOf({ stages: [null] })[0].id, "#0");
});

test("edges follow bindings to inputs and results, and what a batch runs over", () => {
  assert.deepEqual(
    edgesOf(template).map(({ from, to, input, argument, kind }) => [from, to, input, argument, kind]),
    [
      [inputsId, "draw", "subject", "prompt", "value"],
      ["draw", "move", undefined, "image", "value"],
      [inputsId, "each", "photos", undefined, "over"],
    ],
  );
});

test("a name ends before a dash that no name has, and two dollar signs are text", () => {
  const exists = (_: string, name: string) => name === "a" || name === "b-c";
  assert.deepEqual(referencesIn("$inputs.a-x $inputs.b-c $$inputs.a", exists), [
    { root: "inputs", name: "a" },
    { root: "inputs", name: "b-c" },
  ]);
});

test("a circle is found, and ranks end where it begins", () => {
  const circle = {
    stages: [
      { id: "a", args: { x: "$artifacts.b" } },
      { id: "b", args: { x: "$artifacts.a" } },
    ],
  };
  assert.deepEqual(cycleIn(edgesOf(circle))?.sort(), ["a", "b"]);
  assert.equal(cycleIn(edgesOf(template)), undefined);
  const stages = stagesOf(template);
  assert.deepEqual(
    [...ranksOf(stages, edgesOf(template, stages))],
    [
      ["draw", 0],
      ["move", 1],
      ["each", 0],
    ],
  );
});
