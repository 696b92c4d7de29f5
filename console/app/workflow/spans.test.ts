import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkflowEvent } from "../types";
import type { Step, Workflow } from "./model";
import { spansOf } from "./spans";

const at = (second: number) => new Date(second * 1000).toISOString();
const step = (id: string, status: Step["status"], times: object, ...sources: string[]) =>
  ({
    id,
    status,
    timestamps: times,
    artifacts: [],
    dependsOn: sources.map((sourceStepId) => ({ sourceStepId })),
  }) as unknown as Step;
const event = (second: number, type: WorkflowEvent["type"], payload: object) =>
  ({ type, at: at(second), payload: { stepId: "a", ...payload } }) as unknown as WorkflowEvent;

/** The spans of a step that was created at 0, as "kind from-to" in seconds. */
function spans(steps: Step[], events: WorkflowEvent[], now: number, status = "running") {
  const workflow = { status, steps, timestamps: { createdAt: at(0), updatedAt: at(now) } } as unknown as Workflow;
  const found = spansOf(workflow, events, now * 1000).get(steps.at(-1)!.id)!;
  return found.map(({ kind, from, to }) => `${kind} ${from / 1000}-${to / 1000}`);
}

test("a step waits until it is started, and runs until it is over", () => {
  const events = [event(2, "step_started", {})];
  assert.deepEqual(spans([step("a", "running", { startedAt: at(2) })], events, 5), ["queued 0-2", "running 2-5"]);
  const done = step("a", "completed", { startedAt: at(2), completedAt: at(4) });
  assert.deepEqual(spans([done], events, 9), ["queued 0-2", "running 2-4"]);
  assert.deepEqual(spans([done], [], 9), ["queued 0-2", "running 2-4"]); // its events were removed
});

test("a step waits from when what it takes was there", () => {
  const source = step("s", "completed", { completedAt: at(3) });
  assert.deepEqual(spans([source, step("a", "queued", {}, "s")], [], 5), ["queued 3-5"]);
});

test("an attempt that failed is told from one that was given back", () => {
  const begun = event(1, "step_started", {});
  const again = event(3, "step_started", {});
  const running = [step("a", "running", { startedAt: at(3) })];
  const retried = [begun, event(2, "custom", { kind: "step_retry" }), again];
  assert.deepEqual(spans(running, retried, 4), ["queued 0-1", "failed 1-2", "queued 2-3", "running 3-4"]);
  const requeued = [begun, event(2, "custom", { kind: "step_requeued" }), again];
  assert.deepEqual(spans(running, requeued, 4), ["queued 0-1", "running 1-2", "queued 2-3", "running 3-4"]);
  assert.deepEqual(spans(running, [begun, again], 4), ["queued 0-1", "failed 1-3", "running 3-4"]); // dropped
  const failed = step("a", "failed", { startedAt: at(1), completedAt: at(2) });
  assert.deepEqual(spans([failed], [begun], 9, "failed"), ["queued 0-1", "failed 1-2"]);
  const unread = { ...step("a", "failed", { completedAt: at(2) }), error: { code: "dependency_failed" } } as Step;
  assert.deepEqual(spans([unread], [], 9, "failed"), ["failed 0-2"]);
});
