import assert from "node:assert/strict";
import { test } from "node:test";
import { keepMarks, marksOn } from "./marks";

test("marks last until the picture changes, or what they began with", () => {
  keepMarks("mask", "a", [], ["stroke"]);
  assert.deepEqual(marksOn("mask", "a", []), ["stroke"]);
  assert.deepEqual(marksOn("spots", "a", []), []);
  assert.deepEqual(marksOn("mask", "b", []), []);
  assert.deepEqual(marksOn("mask", "a", ["given"]), ["given"]);
  keepMarks("mask", "b", [], []);
  assert.deepEqual(marksOn("mask", "a", []), []);
});
