import assert from "node:assert/strict";
import { test } from "node:test";
import { marked } from "./marked";

test("every second part is a word of the search", () => {
  assert.deepEqual(marked("A Red fox, a red hen", "red FOX"), ["A ", "Red", " ", "fox", ", a ", "red", " hen"]);
  assert.deepEqual(marked("What? (1+1)", "1+1"), ["What? (", "1+1", ")"]);
  assert.deepEqual(marked("a foxglove", "fox foxglove"), ["a ", "foxglove", ""]);
  assert.deepEqual(marked("a fox", ""), ["a fox"]);
});
