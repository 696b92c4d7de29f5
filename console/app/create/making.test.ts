import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkflowSummary } from "../types";
import type { Workflow } from "../workflow/model";
import { adopted, makingOf, withOwn } from "./making";

const step = (id: string, status: string, progress = 0) => ({ id, status, progress });
const workflow = (steps: object[], artifacts: object[] = []) =>
  ({ status: "running", steps, artifacts }) as unknown as Workflow;

test("a step that has not begun waits, however far the workflow is", () => {
  const first = { id: "a", url: "/a" };
  const making = makingOf(workflow([step("draw", "completed", 1), step("move", "queued")], [first]));
  assert.deepEqual([making.step?.id, making.share, making.isQueued, making.done], ["move", 0.5, true, first]);
});

test("a step that runs is shown before one that waits", () => {
  const making = makingOf(workflow([step("draw", "queued"), step("say", "running", 0.5)], [{ id: "a", url: "" }]));
  assert.deepEqual([making.step?.id, making.isQueued, making.done], ["say", false, undefined]);
});

test("only what this browser has started is shown by itself", () => {
  const pending = [{ workflowId: "of curl" }, { workflowId: "own" }] as WorkflowSummary[];
  assert.equal(adopted(pending, []), undefined);
  assert.equal(adopted(pending, withOwn(["older"], "own")), "own");
  assert.deepEqual(withOwn(["a", "b"], "b"), ["b", "a"]);
});
