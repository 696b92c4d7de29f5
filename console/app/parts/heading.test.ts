import assert from "node:assert/strict";
import { test } from "node:test";
import { levelsOf } from "./heading";

test("headings begin at the first level and skip none", () => {
  assert.deepEqual(levelsOf([2, 4, 4, 2, 3]), [0, 1, 1, 0, 1]);
  assert.deepEqual(levelsOf([3, 1, 2, 6]), [0, 0, 1, 2]);
  assert.deepEqual(levelsOf([]), []);
});

test("a heading keeps its level while the text grows", () => {
  const depths = [2, 3, 1, 4, 2];
  for (let n = 0; n <= depths.length; n++) assert.deepEqual(levelsOf(depths.slice(0, n)), levelsOf(depths).slice(0, n));
});
