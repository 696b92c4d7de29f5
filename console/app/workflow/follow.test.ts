import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorkflowEvent } from "../types";
import { follow, lastSequence, needsReading, nothing } from "./follow";
import type { Step, Workflow } from "./model";

const step = (id: string, status: Step["status"]) =>
  ({ id, status, progress: 0, artifacts: [], timestamps: {}, dependsOn: [] }) as unknown as Step;
const workflow = (...steps: Step[]) =>
  ({
    workflowId: "w",
    status: "queued",
    steps,
    events: [event(0, "workflow_started", {})],
    artifacts: [],
  }) as unknown as Workflow;
const event = (sequence: number, type: WorkflowEvent["type"], payload: object) =>
  ({ sequence, type, at: `t${sequence}`, payload }) as unknown as WorkflowEvent;
const progress = (sequence: number, share: number, more: object = {}) =>
  event(sequence, "workflow_progress", { stepId: "a", stepProgress: share, message: "", ...more });

test("a snapshot and the events after it make one log", () => {
  let state = follow(nothing, { type: "read", workflow: workflow(step("a", "queued")) });
  assert.equal(lastSequence(state), 0);
  state = follow(state, {
    type: "sent",
    events: [event(0, "workflow_started", {}), event(1, "step_started", { stepId: "a" }), progress(2, 0.5)],
  });
  assert.deepEqual(
    state.events.map((e) => e.sequence),
    [0, 1, 2],
  );
  assert.deepEqual(follow(state, { type: "begun" }), nothing);
});

test("a step that begins and progresses needs no reading", () => {
  const first = follow(nothing, { type: "read", workflow: workflow(step("a", "queued")) });
  const state = follow(first, {
    type: "sent",
    events: [event(1, "step_started", { stepId: "a" }), progress(2, 0.5, { previewUrl: "/p", message: "step 2" })],
  });
  const { status, progress: share, previewUrl, message, timestamps } = state.workflow!.steps[0];
  assert.deepEqual([status, share, previewUrl, message, timestamps.startedAt], ["running", 0.5, "/p", "step 2", "t1"]);
  assert.equal(state.workflow!.status, "running");
});

test("a step that is over does not run again by an old event", () => {
  const first = follow(nothing, { type: "read", workflow: workflow(step("a", "completed")) });
  assert.equal(follow(first, { type: "sent", events: [progress(1, 0.2)] }).workflow!.steps[0].status, "completed");
});

test("a snapshot keeps the preview that was seen before it", () => {
  let state = follow(nothing, { type: "read", workflow: workflow(step("a", "running")) });
  state = follow(state, { type: "sent", events: [progress(1, 0.2, { previewUrl: "/p" })] });
  state = follow(state, { type: "read", workflow: workflow(step("a", "running")) });
  assert.equal(state.workflow!.steps[0].previewUrl, "/p");
});

test("what an event does not say is read", () => {
  const one = workflow(step("a", "running"));
  const two = workflow(step("a", "running"), step("b", "queued"));
  const done = event(3, "step_completed", { stepId: "a" });
  const cases: [Workflow, WorkflowEvent, boolean][] = [
    [one, event(1, "step_started", { stepId: "a" }), false],
    [one, progress(1, 0.5), false],
    [one, progress(1, 0, { waitingFor: null }), true],
    [one, done, false], // the end of the workflow follows
    [two, done, true], // its cost, and what waits for it
    [one, event(2, "artifact_created", { stepId: "a" }), false],
    [one, event(2, "workflow_waiting_for_user", {}), true],
    [one, event(2, "custom", { kind: "step_retry" }), true],
    [one, event(4, "workflow_completed", {}), false],
  ];
  for (const [w, e, want] of cases) assert.equal(needsReading(w, e), want, `${e.type} of ${w.steps.length} steps`);
});
