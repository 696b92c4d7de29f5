import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkflowSummary } from "../types";
import type { Workflow } from "../workflow/model";
import { adopted, makingOf, withOwn } from "./making";

const step = (id: string, status: string, progress = 0, more: object = {}) => ({
  id,
  status,
  progress,
  arguments: {},
  timestamps: {},
  ...more,
});
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

test("of several results it is said which is made, by the steps or by how far the only one is", () => {
  const which = (steps: object[]) => {
    const { at, of } = makingOf(workflow(steps));
    return [at, of];
  };
  const four = { arguments: { numberOfVariations: 4 } };
  assert.deepEqual(which([step("make", "running", 0.3, four)]), [2, 4]);
  assert.deepEqual(which([step("make", "running", 1, four)]), [4, 4]);
  assert.deepEqual(which([step("make", "running", 0, four)]), [undefined, 4]); // a worker may say nothing
  assert.deepEqual(which([step("make", "queued", 0, four)]), [undefined, 4]);
  assert.deepEqual(which([step("make", "running", 0.5)]), [undefined, 1]);
  assert.deepEqual(which([step("a", "completed", 1), step("b", "running", 0.5), step("c", "queued")]), [2, 3]);
});

test("the time that is left follows from the time that was needed", () => {
  const at = (second: number) => new Date(1e12 + second * 1000).toISOString();
  const left = (progress: number, now: number, status = "running") =>
    makingOf(workflow([step("make", status, progress, { timestamps: { startedAt: at(0) } })]), [{ at: at(now) }])
      .secondsLeft;
  assert.equal(left(0.25, 10), 30);
  assert.equal(left(0.01, 10), undefined);
  assert.equal(left(0.5, 1), undefined);
  assert.equal(left(1, 10), undefined);
  assert.equal(left(0.5, 10, "queued"), undefined);
  assert.equal(makingOf(workflow([step("make", "running", 0.5)])).secondsLeft, undefined);
});
