import assert from "node:assert/strict";
import { test } from "node:test";
import { isCovered, type Workflow } from "./model";

const workflow = (...costs: ([spark: string, byPlan: boolean] | null)[]) =>
  ({
    steps: costs.map((cost) => ({ cost: { actual: cost && { costInSpark: cost[0], byPlan: cost[1] } } })),
  }) as unknown as Workflow;

test("a workflow is covered when a plan has paid for all that was charged", () => {
  assert.equal(isCovered(workflow(["1.6", true], ["0", false], null)), true);
  assert.equal(isCovered(workflow(["1.6", true], ["2", false])), false);
  assert.equal(isCovered(workflow(["0", true], null)), false); // nothing was charged
});
