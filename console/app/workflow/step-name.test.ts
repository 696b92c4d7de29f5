import assert from "node:assert/strict";
import { test } from "node:test";
import { nameSteps, plainStepName } from "./step-name";

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
