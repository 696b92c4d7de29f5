import assert from "node:assert/strict";
import { test } from "node:test";
import { shapeOf, withShape } from "./shapes";

test("a size has a shape", () => {
  assert.equal(shapeOf(1920, 1080), "16:9");
  assert.equal(shapeOf(512, 512), "1:1");
  assert.equal(shapeOf(1000, 1), "1000:1");
  assert.equal(shapeOf(512, undefined), "");
  assert.equal(shapeOf(0, 512), "");
  assert.equal(shapeOf(1.5, 2), "");
});

test("an example brings its shape, the nearest one that is offered, in place of a size", () => {
  const offered = ["1:1", "4:3", "16:9", "9:16"];
  const values = { prompt: "a fox", width: 512, height: 512 };
  assert.deepEqual(withShape(values, shapeOf(960, 576), offered), { prompt: "a fox", aspectRatio: "16:9" });
  assert.deepEqual(withShape(values, "4:5", offered), { prompt: "a fox", aspectRatio: "1:1" });
  assert.equal(withShape(values, "", offered), values);
  assert.equal(withShape(values, "16:9", []), values);
});
