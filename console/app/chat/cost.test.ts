import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "./conversation";
import { text } from "../texts/chat";
import { costOf, heldCalls, spokenOf } from "./cost";

const held = (prices: Record<string, number>, tokenType = "auto") =>
  ({
    waiting: { details: { pendingToolCallIds: ["a", "b"], costApprovalPreview: { tokenType } } },
    held: Object.fromEntries(Object.entries(prices).map(([id, estimatedCost]) => [id, { estimatedCost }])),
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

test("the calls that wait say what they make", () => {
  const call = (toolName: string, modelKey: string, toolArgs: unknown) => ({
    toolName,
    modelKey,
    toolArgs,
    estimatedCost: 1.6,
  });
  const waiting = {
    waiting: { details: { pendingToolCallIds: ["a", "b", "c", "d"] } },
    held: {
      d: { ...call("generate_video", "", { duration: 2 }), width: 1280, height: 720, durationSeconds: 5.1 },
      a: call("generate_image", "z-turbo", { prompt: "a red fox", width: 512, height: 256 }),
      c: call("generate_image", "", { prompt: "a hen", aspectRatio: "16:9" }),
      b: call("generate_music", "", { duration: 10, lyrics: "la la" }),
      earlier: call("edit_image", "", {}),
    },
  } as unknown as Run;
  const names: Record<string, string> = { "z-turbo": "Z-Image Turbo" };
  assert.deepEqual(
    heldCalls(waiting, (id) => names[id] ?? id),
    [
      { id: "a", tool: "Generate image", facts: ["Z-Image Turbo", "512 × 256", "1.6\u00a0Spark"], prompt: "a red fox" },
      { id: "b", tool: "Generate music", facts: ["10\u00a0s", "1.6\u00a0Spark"], prompt: "la la" },
      { id: "c", tool: "Generate image", facts: ["16:9", "1.6\u00a0Spark"], prompt: "a hen" },
      { id: "d", tool: "Generate video", facts: ["1280 × 720", "5.1\u00a0s", "1.6\u00a0Spark"], prompt: "" },
    ],
  );
});

test("a cost of which a part is not known is not shown", () => {
  assert.equal(costOf(held({ a: 1 }), "1", undefined), undefined);
});

test("what waits for an answer is said, and so is an answer", () => {
  const waiting = (reason: string, held?: object) =>
    ({
      status: "waiting_for_user",
      waiting: { reason, message: "", details: { pendingToolCallIds: ["a"] } },
      held,
    }) as unknown as Run;
  const call = { toolName: "generate_image", estimatedCost: 1.6 };
  assert.equal(
    spokenOf(waiting("cost_approval_required", { a: call })),
    "Approve the cost? Generate image, 1.6\u00a0Spark",
  );
  assert.equal(spokenOf(waiting("cost_approval_required")), text.approval); // what is held is not read yet
  assert.equal(spokenOf(waiting("safety_review_required")), text.review);
  assert.equal(spokenOf({ status: "running", content: "Here" } as unknown as Run), "");
  assert.equal(spokenOf({ status: "completed", content: "Here" } as unknown as Run), text.live);
});
