import assert from "node:assert/strict";
import { test } from "node:test";
import { peaksIn } from "./loudness";

test("peaks are the loudest samples of equal parts", () => {
  assert.deepEqual(peaksIn([0, 0.5, -1, 0.25, 0.1, 0], 3), [50, 100, 10]);
  assert.deepEqual(peaksIn([0.2, -0.4], 200), [20, 40]);
  assert.deepEqual(peaksIn([2, -3], 1), [100]); // louder than full scale
  assert.deepEqual(peaksIn([], 200), []);
  const long = peaksIn(
    Float32Array.from({ length: 100_003 }, (_, i) => i / 100_003),
    200,
  );
  assert.equal(long.length, 200);
  assert.ok(long.every((peak, i) => i === 0 || peak >= long[i - 1]));
});
