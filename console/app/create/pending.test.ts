import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../status";
import type { Workflow, WorkflowSummary } from "../types";
import { withChange, withStarted } from "./pending";

const row = (workflowId: string) => ({ workflowId, status: "queued", progress: 0 }) as WorkflowSummary;
const change = (workflowId: string, status: Status) => ({ workflowId, status, progress: 0.5, updatedAt: "" });

test("a change is shown in its row, an end removes it, and another workflow has to be read", () => {
  assert.equal(withChange([row("a")], change("a", "running"))?.[0].progress, 0.5);
  assert.deepEqual(
    withChange([row("a"), row("b")], change("a", "completed"))?.map((r) => r.workflowId),
    ["b"],
  );
  assert.deepEqual(withChange([row("a")], change("b", "failed")), [row("a")]);
  assert.equal(withChange([row("a")], change("b", "running")), undefined);
});

test("a workflow that was started is first, once", () => {
  const workflow = {
    workflowId: "b",
    status: "queued",
    title: "fox",
    steps: [],
    artifacts: [],
    timestamps: { createdAt: "", updatedAt: "" },
  } as unknown as Workflow;
  const list = withStarted([row("a")], workflow, "video");
  assert.deepEqual(
    list.map((r) => [r.workflowId, r.kind]),
    [
      ["b", "video"],
      ["a", undefined],
    ],
  );
  assert.equal(withStarted(list, workflow, "video"), list);
});
