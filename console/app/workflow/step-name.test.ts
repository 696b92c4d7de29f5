import assert from "node:assert/strict";
import { test } from "node:test";
import type { Workflow } from "../types";
import { nameSteps, plainStepName, toolOf } from "./step-name";

const template = {
  stages: [
    { id: "restored", label: "Repair", tool: "restore_photo" },
    { id: "views", label: "View", type: "batch", itemStage: { tool: "edit_image" } },
    { id: "clip", tool: "generate_video" },
  ],
};

test("the steps of a template are called as its stages are", () => {
  const name = nameSteps(template);
  assert.deepEqual(["restored/main", "views/0", "views/11", "clip/main", "gone/main"].map(name), [
    "Repair",
    "View 1",
    "View 12",
    "clip",
    "gone",
  ]);
});

test("without its template a step bears the id of its stage, and any other its own", () => {
  assert.deepEqual(["restored/main", "views/0", "draw", "main"].map(plainStepName), [
    "restored",
    "views/0",
    "draw",
    "main",
  ]);
  assert.equal(nameSteps(undefined)("clip/main"), "clip");
});

test("a step that was given no name is called as its tool", () => {
  const workflow = (appSource: string, id: string) =>
    ({ appSource, steps: [{ id, toolName: "edit_image" }] }) as unknown as Workflow;
  assert.equal(toolOf(workflow("console", "make"), "make"), "Edit image");
  assert.equal(toolOf(workflow("", "edit_image"), "edit_image"), "Edit image");
  assert.equal(toolOf(workflow("render-farm", "make"), "make"), undefined); // its program calls it so
  assert.equal(toolOf(workflow("console", "draw"), "draw"), undefined);
});
