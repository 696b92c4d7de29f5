import assert from "node:assert/strict";
import { test } from "node:test";
import type { Workflow } from "../workflow/model";
import type { Run } from "./conversation";
import { mediaCost, usageFacts, workflowsOf } from "./usage";

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
const run = (usage: Partial<typeof used> = {}) => ({
  usage: { ...used, ...usage },
  createdAt: "2026-01-01T00:00:00.000Z",
  completedAt: "2026-01-01T00:00:03.500Z",
  toolCalls: [],
});

test("an answer names its model, tokens, speed and cost", () => {
  assert.deepEqual(usageFacts(run()), ["wise", "1,200 tokens in, 60 out", "2 sec, 30 tokens/s", "free"]);
});

test("an answer whose words came at once has no speed, but it took its time", () => {
  assert.deepEqual(usageFacts(run({ seconds: 0.01 })), ["wise", "1,200 tokens in, 60 out", "3.5 sec", "free"]);
});

test("the time that a person took to approve its tools is not its own", () => {
  const answer = { ...run({ seconds: 0.01 }), toolCalls: [{}] };
  assert.deepEqual(usageFacts(answer), ["wise", "1,200 tokens in, 60 out", "free"]);
});

test("an answer that was stopped took its time too", () => {
  assert.deepEqual(usageFacts({ ...run(), usage: undefined }), ["3.5 sec"]);
});

test("who paid is said", () => {
  assert.equal(usageFacts(run({ costInSpark: "0.008000" })).at(-1), "0.008\u00a0Spark");
  assert.equal(usageFacts(run({ costInSpark: "1.000000", costInSvc: "2.000000" })).at(-1), "1\u00a0Spark + 2 svc");
  assert.equal(usageFacts(run({ coveredByPlan: true })).at(-1), "covered by the plan");
});

test("what its tools cost is said beside what its words cost", () => {
  assert.deepEqual(usageFacts(run(), { spark: "1.600000", byPlan: false }).slice(-2), [
    "media 1.6\u00a0Spark",
    "words free",
  ]);
  assert.deepEqual(usageFacts(run({ costInSpark: "0.008000" }), { spark: "1.6", byPlan: true }).slice(-2), [
    "media 1.6\u00a0Spark, covered by the plan",
    "words 0.008\u00a0Spark",
  ]);
});

const step = (costInSpark?: string, byPlan = false) => ({
  status: "completed",
  cost: { estimatedSpark: "9", actual: costInSpark && { costInSpark, byPlan } },
});
const workflow = (...steps: object[]) => ({ status: "completed", steps }) as unknown as Workflow;

test("what workflows were charged is added up", () => {
  assert.equal(mediaCost([]), undefined);
  assert.equal(mediaCost([workflow(step())]), undefined);
  const cost = mediaCost([workflow(step("1.6"), step("0.2")), workflow(step("2", true))])!;
  assert.equal(Number(cost.spark), 3.8);
  assert.equal(cost.byPlan, false);
  assert.equal(mediaCost([workflow(step("2", true)), workflow(step())])!.byPlan, true);
});

test("the workflows of an answer are those that it names and those of its media", () => {
  const answer = { workflowIds: ["a"], artifacts: [{ workflowId: "a" }, { workflowId: "b" }, {}] } as unknown as Run;
  assert.deepEqual(workflowsOf(answer), ["a", "b"]);
});
