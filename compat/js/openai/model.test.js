import assert from "node:assert/strict";
import test from "node:test";
import OpenAI from "openai";
import { account } from "../stage.js";
import { as, client } from "./client.js";

test("models are listed, the same for all accounts", async () => {
  const page = await client.models.list();
  assert.equal(page.object, "list");
  const models = [];
  for await (const model of client.models.list()) models.push(model);
  assert.deepEqual(models.map((model) => model.id).sort(), ["atelier-builtin", "scripted", "scripted-dear", "vendor/scripted-small"]);
  for (const model of models) {
    assert.equal(model.object, "model");
    assert.equal(typeof model.owned_by, "string");
    assert.ok(Number.isInteger(model.created), `created is ${model.created}`);
  }
  const other = await as((await account()).apiKey).models.list();
  assert.deepEqual(other.data, page.data);
});

test("one model has the record of the list", async () => {
  const { data } = await client.models.list();
  for (const listed of data) {
    const { _request_id, ...record } = await client.models.retrieve(listed.id);
    assert.deepEqual(record, listed);
  }
});

test("a retired id means its replacement", async () => {
  assert.equal((await client.models.retrieve("scripted-old")).id, "scripted");
  const completion = await client.chat.completions.create({ model: "scripted-old", messages: [{ role: "user", content: "say hello" }] });
  assert.equal(completion.model, "scripted");
});

test("an unknown id is not found, and neither is a model that makes media", async () => {
  for (const id of ["gpt-4o", "no/such/model", "krea-2-turbo"]) {
    await assert.rejects(client.models.retrieve(id), (err) => {
      assert.ok(err instanceof OpenAI.NotFoundError, `${err}`);
      assert.equal(err.code, "model_not_found");
      return true;
    });
  }
});

test("models that make media are listed by kind, with what they can do", async () => {
  const list = await client.models.list({ query: { type: "image" } });
  assert.ok(list.data.length > 5);
  for (const model of list.data) {
    assert.equal(model.type, "image");
    assert.ok(model.created > 1700000000 && model.created < 4000000000, `${model.created}`);
    assert.ok(Array.isArray(model.capabilities.tools), model.id);
  }
  assert.ok(list.data.some((model) => model.capabilities.tools.includes("generate_image")));
});
