import assert from "node:assert/strict";
import test from "node:test";
import OpenAI from "openai";
import { gone, next, unused } from "../stage.js";
import { client, scripted } from "./client.js";

async function chunksOf(body, options) {
  const chunks = [];
  for await (const chunk of await client.chat.completions.create({ ...body, stream: true }, options)) chunks.push(chunk);
  return chunks;
}

const text = (chunks) => chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");

test("an answer comes bit by bit, all of one completion", async () => {
  const key = unused();
  const stream = await client.chat.completions.create({ ...scripted(`steps ${key} The| quick| brown| fox| jumps`), stream: true });
  const chunks = [];
  const pieces = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    const piece = chunk.choices[0]?.delta.content;
    if (piece && pieces.push(piece) < 5) await next(key); // which the model says no sooner
  }
  assert.deepEqual(pieces, ["The", " quick", " brown", " fox", " jumps"]);
  for (const chunk of chunks) {
    assert.equal(chunk.id, chunks[0].id);
    assert.equal(chunk.object, "chat.completion.chunk");
    assert.equal(chunk.model, "scripted");
    assert.equal(chunk.created, chunks[0].created);
  }
  assert.equal(chunks[0].choices[0].delta.role, "assistant");
  const reasons = chunks.map((chunk) => chunk.choices[0]?.finish_reason).filter(Boolean);
  assert.deepEqual(reasons, ["stop"]);
});

test("usage is told once, at the end", async () => {
  const chunks = await chunksOf(scripted("say one two three", { stream_options: { include_usage: true } }));
  const told = chunks.filter((chunk) => chunk.usage);
  assert.equal(told.length, 1);
  assert.equal(told[0], chunks.at(-1));
  assert.deepEqual(told[0].usage, { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14, prompt_tokens_details: { cached_tokens: 3 } });
});

test("the SDK puts a stream together again", async () => {
  const stream = client.chat.completions.stream(scripted("say To be or not", { stream_options: { include_usage: true } }));
  let seen = "";
  stream.on("content", (delta, snapshot) => {
    seen += delta;
    assert.equal(snapshot, seen);
  });
  const completion = await stream.finalChatCompletion();
  assert.equal(seen, "To be or not");
  assert.equal(completion.choices[0].message.content, seen);
  assert.equal(completion.choices[0].finish_reason, "stop");
  assert.equal((await stream.totalUsage()).total_tokens, 15);
});

test("the built-in model streams too", async () => {
  const stream = client.chat.completions.stream({ model: "atelier-builtin", messages: [{ role: "user", content: "How long can a video be?" }] });
  assert.match(await stream.finalContent(), /second/);
});

test("thoughts are not streamed", async () => {
  assert.equal(text(await chunksOf(scripted("think Deep water is still."))), "Deep water is still.");
});

test("who aborts in mid-stream stops the model", async () => {
  const key = unused();
  const controller = new AbortController();
  const stream = await client.chat.completions.create(scripted(`endless ${key}`, { stream: true }), { signal: controller.signal });
  let seen = "";
  for await (const chunk of stream) {
    seen += chunk.choices[0].delta.content ?? "";
    if (seen.length > 20) controller.abort();
  }
  assert.ok(seen.startsWith("and and "), seen);
  await gone(key);
});

test("who stops reading stops the model", async () => {
  const key = unused();
  for await (const chunk of await client.chat.completions.create(scripted(`endless ${key}`, { stream: true }))) {
    if (chunk.choices[0].delta.content) break;
  }
  await gone(key);
});

test("the helper's abort is told as one", async () => {
  const key = unused();
  const stream = client.chat.completions.stream(scripted(`endless ${key}`));
  stream.on("content", () => stream.abort());
  await assert.rejects(stream.done(), OpenAI.APIUserAbortError);
  await gone(key);
});

for (const script of ["break Half of", "hang up Half of"]) {
  test(`an error after the stream has opened is an error of the SDK: ${script}`, async () => {
    let seen = "";
    const reading = (async () => {
      for await (const chunk of await client.chat.completions.create(scripted(script, { stream: true }))) seen += chunk.choices[0].delta.content ?? "";
    })();
    await assert.rejects(reading, (err) => {
      assert.ok(err instanceof OpenAI.APIError, `${err}`);
      assert.equal(err.code, "upstream_error");
      assert.match(err.message, /model server (failed|stopped)/);
      return true;
    });
    assert.equal(seen, "Half of");
  });
}
