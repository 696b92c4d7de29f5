import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../status";
import type { WorkflowSummary } from "../types";
import { reduce, rowsToRead, type List } from "./list";

const row = (n: number, more: Partial<WorkflowSummary> = {}) =>
  ({
    workflowId: `w${n}`,
    status: "running",
    createdAt: `2026-01-01T00:00:${String(n).padStart(2, "0")}Z`,
    cost: "1",
    ...more,
  }) as WorkflowSummary;
const list = (...numbers: number[]): List => ({ rows: numbers.map((n) => row(n)), ended: new Set() });
const ids = ({ rows }: List) => rows.map((r) => r.workflowId);
const changed = (n: number, status: Status, statuses: Status[] = []) =>
  ({ type: "changed", change: { workflowId: `w${n}`, status, progress: 0, updatedAt: "" }, statuses }) as const;

test("a row leaves a list of other statuses, and stays in one of all", () => {
  assert.deepEqual(ids(reduce(list(3, 2, 1), changed(2, "completed", ["queued", "running"]))), ["w3", "w1"]);
  const before = list(3, 2, 1);
  const after = reduce(before, changed(2, "completed"));
  assert.equal(after.rows, before.rows); // the same object is not drawn again
  assert.deepEqual([...after.ended], ["w2"]);
});

test("the newest page comes before what was scrolled to", () => {
  const page = { items: [row(5), row(4)], nextCursor: "c" };
  assert.deepEqual(ids(reduce(list(4, 3, 2, 1), { type: "refreshed", page, read: [], asked: [], hasMore: true })), [
    "w5",
    "w4",
    "w3",
    "w2",
    "w1",
  ]);
});

test("rows that the page does not have any more are gone", () => {
  const page = { items: [row(5), row(3)], nextCursor: "c" };
  assert.deepEqual(ids(reduce(list(5, 4, 3, 2), { type: "refreshed", page, read: [], asked: [], hasMore: true })), [
    "w5",
    "w3",
    "w2",
  ]);
  const whole = { items: [row(3)], nextCursor: null };
  assert.deepEqual(ids(reduce(list(5, 4), { type: "refreshed", page: whole, read: [], asked: [], hasMore: false })), [
    "w3",
  ]);
});

test("a page does not grow beyond what was read of the list", () => {
  const page = { items: [row(6), row(5), row(4)], nextCursor: "c" };
  assert.deepEqual(ids(reduce(list(6, 5), { type: "refreshed", page, read: [], asked: [], hasMore: true })), [
    "w6",
    "w5",
  ]);
});

test("workflows that are over are read again, those of the page with it", () => {
  let state = [5, 2, 1].reduce((old, n) => reduce(old, changed(n, "completed")), list(5, 4, 3, 2, 1));
  const page = { items: [row(5), row(4)], nextCursor: "c" };
  assert.deepEqual(
    rowsToRead(state, page).map((r) => r.workflowId),
    ["w2", "w1"],
  );
  state = reduce(state, { type: "refreshed", page, read: [row(2, { cost: "7" })], asked: ["w2", "w1"], hasMore: true });
  assert.equal(state.rows[3].cost, "7");
  assert.deepEqual([...state.ended], []);
});

test("many rows are read in turns", () => {
  const numbers = Array.from({ length: 30 }, (_, i) => 50 - i);
  const state = numbers.reduce((old, n) => reduce(old, changed(n, "failed")), list(...numbers));
  const page = { items: [row(59)], nextCursor: "c" };
  const first = rowsToRead(state, page).map((r) => r.workflowId);
  assert.equal(first.length, 20);
  const next = reduce(state, { type: "refreshed", page, read: [], asked: first, hasMore: true });
  assert.equal(rowsToRead(next, page).length, 10);
});
