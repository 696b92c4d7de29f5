import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange, curve, curveAround, extent, neighbour } from "./layout";

const nodes = ["a", "b", "c"].map((id) => ({ id, width: 100, height: 40 }));
const edges = [
  { from: "a", to: "b" },
  { from: "a", to: "c" },
  { from: "c", to: "missing" },
];

test("nodes are in ranks from left to right, in the order of the list", () => {
  const places = arrange(nodes, edges);
  const [a, b, c] = nodes.map(({ id }) => places.get(id)!);
  assert.ok(b.x >= a.x + a.width);
  assert.equal(b.x, c.x);
  assert.ok(b.y < c.y);
  assert.deepEqual(extent(places.values()), { width: b.x + 100, height: c.y + 40 });
});

test("arrow keys follow edges, and go up and down to the nearest node", () => {
  const places = arrange(nodes, edges);
  assert.equal(neighbour("b", "left", places, edges), "a");
  assert.equal(neighbour("b", "down", places, edges), "c");
  assert.equal(neighbour("b", "up", places, edges), undefined);
  assert.equal(neighbour("missing", "left", places, edges), undefined);
});

test("a curve goes around a node that is in its way", () => {
  const away = [{ x: 200, y: 300, width: 50, height: 50 }];
  const between = [{ x: 200, y: -20, width: 50, height: 50 }];
  assert.equal(curveAround(0, 0, 500, 0, away), curve(0, 0, 500, 0));
  assert.ok(curveAround(0, 0, 500, 0, between).includes("L"));
});
