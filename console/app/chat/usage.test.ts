import assert from "node:assert/strict";
import { test } from "node:test";
import { usageFacts } from "./usage";

const used = {
  model: "wise",
  promptTokens: 1200,
  completionTokens: 60,
  cachedTokens: 0,
  seconds: 2,
  costInSpark: "0.000000",
  costInSvc: "0.000000",
  costInUSD: "0.000000",
  coveredByPlan: false,
};

test("an answer names its model, tokens, speed and cost", () => {
  assert.deepEqual(usageFacts(used), ["wise", "1,200 tokens in, 60 out", "2 sec, 30 tokens/s", "free"]);
});

test("an answer that came at once has no speed", () => {
  assert.deepEqual(usageFacts({ ...used, seconds: 0.01 }), ["wise", "1,200 tokens in, 60 out", "free"]);
});

test("who paid is said", () => {
  assert.equal(usageFacts({ ...used, costInSpark: "0.008000" }).at(-1), "0.008 Spark");
  assert.equal(usageFacts({ ...used, costInSpark: "1.000000", costInSvc: "2.000000" }).at(-1), "1 Spark + 2 svc");
  assert.equal(usageFacts({ ...used, coveredByPlan: true }).at(-1), "covered by the plan");
});
