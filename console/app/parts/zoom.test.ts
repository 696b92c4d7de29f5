import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted, held, swiped, zoomed } from "./zoom";

const picture = { width: 400, height: 400 };
const place = { width: 800, height: 400 };

test("what is at a point stays there when a picture is enlarged", () => {
  const view = zoomed(fitted, 4, { x: 50, y: -100 }, picture, place);
  assert.deepEqual(view, { scale: 4, x: -150, y: 300 });
  assert.deepEqual(zoomed(view, 1, { x: 7, y: 7 }, picture, place), fitted);
  assert.equal(zoomed(view, 1000, { x: 0, y: 0 }, picture, place).scale, 16);
});

test("a picture does not leave its place", () => {
  assert.deepEqual(held({ scale: 2, x: 300, y: -900 }, picture, place), { scale: 2, x: 0, y: -200 });
  assert.deepEqual(held({ scale: 4, x: 1000, y: 10 }, picture, place), { scale: 4, x: 400, y: 10 });
});

test("a swipe goes along the list, and across it nowhere", () => {
  assert.equal(swiped({ x: -80, y: 10 }), 1);
  assert.equal(swiped({ x: 80, y: -30 }), -1);
  assert.equal(swiped({ x: 80, y: 70 }), 0);
  assert.equal(swiped({ x: 20, y: 0 }), 0);
});
