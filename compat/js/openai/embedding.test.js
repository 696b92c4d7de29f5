import assert from "node:assert/strict";
import test from "node:test";
import { client } from "./client.js";

test("texts have vectors", async () => {
  for (const encoding_format of [undefined, "float", "base64"]) {
    const made = await client.embeddings.create({ model: "scripted", input: ["a fox", "a hen"], encoding_format });
    assert.equal(made.object, "list");
    assert.equal(made.model, "scripted");
    assert.deepEqual(made.usage, { prompt_tokens: 7, total_tokens: 7 });
    assert.deepEqual(made.data.map((one) => one.index), [0, 1]);
    if (encoding_format !== "base64") assert.deepEqual(made.data.map((one) => Array.from(one.embedding)), [[1, 0.5, -2], [1, 0.5, -2]]);
  }
});

test("a model without embeddings is named", async () => {
  await assert.rejects(client.embeddings.create({ model: "atelier-builtin", input: "a fox" }), { status: 400, param: "model" });
});
