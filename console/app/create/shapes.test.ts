import assert from "node:assert/strict";
import { test } from "node:test";
import { shapeOf } from "./shapes";

test("a size has a shape", () => {
  assert.equal(shapeOf(1920, 1080), "16:9");
  assert.equal(shapeOf(512, 512), "1:1");
  assert.equal(shapeOf(1000, 1), "1000:1");
  assert.equal(shapeOf(512, undefined), "");
  assert.equal(shapeOf(0, 512), "");
  assert.equal(shapeOf(1.5, 2), "");
});
