import assert from "node:assert/strict";
import { test } from "node:test";
import type { Template } from "../types";
import { boundIn, enteredIn, inputOf } from "./inputs";
import type { Workflow } from "./model";

const template = {
  version: "2",
  inputs: [
    { name: "subject", type: "text" },
    { name: "photo", type: "image" },
    { name: "width", type: "number" },
    { name: "views", type: "text", multiple: true },
    { name: "unused", type: "text" },
  ],
  stages: [
    {
      id: "draw",
      tool: "edit_image",
      args: { prompt: "A drawing of $inputs.subject.", sourceImageIndex: "$inputs.photo", width: "$inputs.width" },
    },
    {
      id: "turn",
      type: "batch",
      overBinding: "$inputs.views",
      itemStage: { tool: "change_angle", args: { description: "Seen $item.view" } },
    },
  ],
} as unknown as Template;

const step = (id: string, given: object) => ({ id, arguments: given, dependsOn: [] });
const workflow = (version: string) =>
  ({
    template: { id: "t", version },
    mediaReferences: [{ kind: "image", url: "https://a.example/1.png" }],
    steps: [
      step("draw/main", { prompt: "A drawing of a fox.", sourceImageIndex: -1, width: 512 }),
      step("turn/0", { description: "Seen from above" }),
      step("turn/1", { description: "Seen from below" }),
    ],
  }) as unknown as Workflow;

test("what a workflow was started with is read from its steps", () => {
  assert.deepEqual(enteredIn(template, workflow("2")), {
    subject: "a fox",
    photo: "https://a.example/1.png",
    width: 512,
    views: ["from above", "from below"],
  });
  assert.deepEqual(enteredIn(template, workflow("1")), {}); // the template was changed since
});

test("what a binding stands for is not guessed", () => {
  const found = (pattern: string, text: string) => Object.fromEntries(boundIn(pattern, text));
  assert.deepEqual(found("$inputs.a, then $inputs.b", "x, then y"), { "inputs.a": "x", "inputs.b": "y" });
  assert.deepEqual(found("$inputs.a $inputs.b", "x y z"), {});
  assert.deepEqual(found("$$inputs.a", "$inputs.a"), {});
});

test("an argument has the name of the input that it takes its value from", () => {
  assert.equal(inputOf(template, "draw/main", "sourceImageIndex"), "photo");
  assert.equal(inputOf(template, "draw/main", "prompt"), undefined);
});
