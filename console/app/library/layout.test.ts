import assert from "node:assert/strict";
import { test } from "node:test";
import { headHeight, layOut, rowsBetween } from "./layout";

const sections = [
  { date: "2026-01-02", count: 7, items: [] },
  { date: "2026-01-01", count: 3, items: [] },
];

test("sections are as high as their rows", () => {
  const l = layOut(sections, 700);
  assert.equal(l.columns, 4);
  assert.deepEqual(l.tops, [0, headHeight + 2 * l.rowHeight]);
});

test("only rows in view are drawn, with the items that they have", () => {
  const l = layOut(sections, 700);
  const all = rowsBetween(l, sections, 0, 10_000);
  assert.deepEqual(
    all.map(({ section, from, to }) => [section, from, to]),
    [
      [0, undefined, undefined],
      [0, 0, 4],
      [0, 4, 7],
      [1, undefined, undefined],
      [1, 0, 3],
    ],
  );
  assert.deepEqual(
    rowsBetween(l, sections, l.tops[1] + headHeight + 1, 10_000).map(({ section, from }) => [section, from]),
    [[1, 0]],
  );
});
