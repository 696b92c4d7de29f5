import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBatch, toBatch } from "./batch";

const once = { id: "draw", label: "Draw", tool: "generate_image", args: { prompt: "a $inputs.subject" } };

test("a stage that becomes a batch runs over the first list, and its work is that of an item", () => {
  const inputs = [
    { name: "subject", type: "text" as const },
    { name: "pictures", type: "image" as const, multiple: { min: 1, max: 5 } },
  ];
  assert.deepEqual(toBatch(once, inputs), {
    id: "draw",
    label: "Draw",
    type: "batch",
    overBinding: "$inputs.pictures",
    itemStage: { tool: "generate_image", args: { prompt: "a $inputs.subject" } },
    produces: ["draw"],
  });
  assert.equal(toBatch(once, []).overBinding, "");
  assert.deepEqual(toBatch({ ...once, produces: ["picture"] }, []).produces, ["picture"]);
});

test("a batch that becomes a stage that runs once keeps its work, and nothing of the batch", () => {
  const batch = { ...toBatch(once, []), itemName: "subject", concurrency: 3, onError: "continue" };
  assert.deepEqual(fromBatch(batch), { ...once, produces: ["draw"], onError: "continue" });
});
