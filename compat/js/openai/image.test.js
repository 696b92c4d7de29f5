import assert from "node:assert/strict";
import test from "node:test";
import { toFile } from "openai";
import { account, sizeOf } from "../stage.js";
import { as, client } from "./client.js";

const small = { size: "256x256" };

// file is the picture of an answer with its bytes.
const file = ({ b64_json }) => Buffer.from(b64_json, "base64");

test("an image has an address", async () => {
  const made = await client.images.generate({ model: "dall-e-3", prompt: "a red fox in the snow", ...small });
  assert.ok(Math.abs(made.created - Date.now() / 1000) < 600);
  assert.equal(made.data.length, 1);
  const answer = await fetch(made.data[0].url);
  assert.equal(answer.headers.get("content-type"), "image/png");
  assert.deepEqual(sizeOf(Buffer.from(await answer.arrayBuffer())), { width: 256, height: 256 });
});

test("the GPT image models answer with files", async () => {
  const made = await client.images.generate({ model: "gpt-image-1", prompt: "a hen", n: 2, output_format: "png", quality: "low", ...small });
  assert.equal(made.output_format, "png");
  assert.equal(made.size, "256x256");
  for (const one of made.data) assert.deepEqual(sizeOf(file(one)), { width: 256, height: 256 });
});

test("a stream ends with the image", async () => {
  const stream = await client.images.generate({ model: "gpt-image-1", prompt: "an owl", stream: true, partial_images: 1, ...small });
  const events = [];
  for await (const event of stream) events.push(event);
  const last = events.at(-1);
  assert.equal(last.type, "image_generation.completed");
  assert.deepEqual(sizeOf(file(last)), { width: 256, height: 256 });
  assert.equal(last.usage.total_tokens, 0);
  for (const partial of events.slice(0, -1)) {
    assert.equal(partial.type, "image_generation.partial_image");
    assert.equal(partial.partial_image_index, 0);
  }
});

test("an image is changed, and varied", async () => {
  const made = await client.images.generate({ prompt: "a red fox", response_format: "b64_json", ...small });
  const image = await toFile(file(made.data[0]), "fox.png", { type: "image/png" });
  const edited = await client.images.edit({ image, prompt: "make it black and white", response_format: "b64_json", ...small });
  assert.deepEqual(sizeOf(file(edited.data[0])), { width: 256, height: 256 });
  const varied = await client.images.createVariation({ image, n: 2, response_format: "b64_json", ...small });
  assert.equal(varied.data.length, 2);
});

test("errors are those of the SDK", async () => {
  await assert.rejects(client.images.generate({ model: "nothing", prompt: "a fox" }), { status: 404, code: "model_not_found", param: "model" });
  await assert.rejects(client.images.generate({ prompt: "a fox", size: "huge" }), { status: 400, param: "size" });
  await assert.rejects(client.images.generate({ prompt: "a naked woman" }), { status: 400, code: "content_policy_violation" });
  const { apiKey } = await account();
  await assert.rejects(as(apiKey).images.generate({ prompt: "a fox" }), { status: 402, code: "insufficient_balance" });
});
