import assert from "node:assert/strict";
import { test } from "node:test";
import { drawn, withSpot } from "./spots";

test("a click is a point and a drag is a box, in whichever direction", () => {
  assert.deepEqual(drawn({ x: 0.5, y: 0.25 }, { x: 0.501, y: 0.25 }, false), { point: { x: 0.5, y: 0.25 } });
  assert.deepEqual(drawn({ x: 0.5, y: 0.25 }, { x: 0.5, y: 0.25 }, true), {
    point: { x: 0.5, y: 0.25, label: "negative" },
  });
  assert.deepEqual(drawn({ x: 0.9, y: 0.8 }, { x: 0.123456, y: 0.2 }, false), {
    box: { x0: 0.1235, y0: 0.2, x1: 0.9, y1: 0.8 },
  });
});

test("beside points there is one box", () => {
  const box = (n: number) => ({ box: { x0: 0, y0: 0, x1: n, y1: n } });
  const two = withSpot(withSpot({ points: [], boxes: [] }, box(0.5)), box(0.7));
  assert.equal(two.boxes.length, 2);
  assert.deepEqual(withSpot(two, { point: { x: 0.1, y: 0.1 } }), {
    points: [{ x: 0.1, y: 0.1 }],
    boxes: [box(0.7).box],
  });
});
