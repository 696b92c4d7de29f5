import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "./conversation";
import { costOf } from "./cost";

const held = (prices: Record<string, number>, tokenType = "auto") =>
  ({
    waiting: { details: { pendingToolCallIds: ["a", "b"], costApprovalPreview: { tokenType } } },
    prices,
  }) as unknown as Run;
const run = held({ a: 0.1, b: 0.2 });

test("the calls that wait cost what they cost together", () => {
  assert.deepEqual(costOf(run, "1.000000", { status: "none" }), {
    spark: "0.3",
    isMost: false,
    isCovered: false,
    left: "0.7",
  });
  assert.equal(costOf(run, "0.2", { status: "none" })?.left, undefined); // not enough
  assert.equal(costOf(run, undefined, undefined)?.left, undefined); // not known yet
});

test("a plan covers what can be paid otherwise than in Spark", () => {
  assert.deepEqual(costOf(run, "1", { status: "active" }), {
    spark: "0.3",
    isMost: true,
    isCovered: true,
    left: undefined,
  });
  assert.equal(costOf(held({ a: 1, b: 1 }, "spark"), "1", { status: "active" })?.isCovered, false);
  assert.equal(costOf(run, "1", { status: "expired" })?.isMost, false);
});

test("a cost of which a part is not known is not shown", () => {
  assert.equal(costOf(held({ a: 1 }), "1", undefined), undefined);
});
