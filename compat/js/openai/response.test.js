import assert from "node:assert/strict";
import test from "node:test";
import OpenAI from "openai";
import { unused } from "../stage.js";
import { client } from "./client.js";

const ask = (input, more) => ({ model: "scripted", input, ...more });
const weather = { type: "function", name: "weather", parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false }, strict: true };

for (const store of [true, false]) {
  test(`a text is answered, store ${store}`, async () => {
    const response = await client.responses.create(ask("say The quick brown fox", { store, instructions: "Be brief.", metadata: { order: "7" } }));
    assert.equal(response.output_text, "The quick brown fox");
    assert.equal(response.status, "completed");
    assert.equal(response.object, "response");
    assert.equal(response.model, "scripted");
    assert.deepEqual(response.metadata, { order: "7" });
    assert.equal(response.usage.total_tokens, response.usage.input_tokens + response.usage.output_tokens);
  });

  test(`the SDK puts a stream together, store ${store}`, async () => {
    const stream = client.responses.stream(ask("say To be or not to be", { store }));
    const types = [];
    let text = "";
    let last = -1;
    for await (const event of stream) {
      if (event.type !== "response.output_text.delta" || types.at(-1) !== event.type) types.push(event.type);
      assert.ok(event.sequence_number > last, `${event.type} has the number ${event.sequence_number} after ${last}`);
      last = event.sequence_number;
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    assert.deepEqual(types, [
      "response.created", "response.in_progress", "response.output_item.added", "response.content_part.added", "response.output_text.delta",
      "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed",
    ]);
    assert.equal(text, "To be or not to be");
    const final = await stream.finalResponse();
    assert.equal(final.output_text, text);
    assert.equal(final.status, "completed");
  });

  test(`functions are called, and their outputs answered, store ${store}`, async () => {
    const first = await client.responses.create(ask('call weather {"city": "Oslo"}\ncall weather {"city": "Łódź"}', { store, tools: [weather] }));
    assert.deepEqual(first.output.map(({ type, name, arguments: text }) => ({ type, name, text })), [
      { type: "function_call", name: "weather", text: '{"city": "Oslo"}' },
      { type: "function_call", name: "weather", text: '{"city": "Łódź"}' },
    ]);
    const outputs = first.output.map((call) => ({ type: "function_call_output", call_id: call.call_id, output: `${JSON.parse(call.arguments).city} is sunny` }));
    const next = store
      ? await client.responses.create(ask(outputs, { store, tools: [weather], previous_response_id: first.id }))
      : await client.responses.create(ask([{ role: "user", content: "How is it?" }, ...first.output, ...outputs], { store, tools: [weather] }));
    assert.equal(next.output_text, "The tools said: Oslo is sunny; Łódź is sunny");
  });

  test(`streamed calls are put together, store ${store}`, async () => {
    const stream = client.responses.stream(ask('call weather {"city": "Oslo"}', { store, tools: [weather] }));
    const names = [];
    stream.on("response.function_call_arguments.delta", (event) => names.push(event.snapshot));
    const final = await stream.finalResponse();
    assert.deepEqual(names, ['{"city": "Oslo"}']);
    assert.equal(final.output[0].type, "function_call");
    assert.deepEqual(final.output[0].parsed_arguments, { city: "Oslo" });
  });
}

test("a stored response is read, listed, followed again, and deleted", async () => {
  const made = await client.responses.create(ask("say One two three"));
  const again = await client.responses.retrieve(made.id);
  assert.equal(again.output_text, "One two three");
  const items = [];
  for await (const item of client.responses.inputItems.list(made.id, { limit: 1 })) items.push(item);
  assert.deepEqual(items.map((item) => item.content[0].text), ["say One two three"]);
  const events = [];
  for await (const event of await client.responses.retrieve(made.id, { stream: true, starting_after: 6 })) events.push(event);
  assert.equal(events[0].type, "response.output_text.delta");
  assert.equal(events[0].delta, " two three");
  assert.equal(events.at(-1).type, "response.completed");
  await client.responses.delete(made.id);
  await assert.rejects(client.responses.retrieve(made.id), OpenAI.NotFoundError);
});

test("a conversation continues after a response", async () => {
  const first = await client.responses.create(ask("say Hello"));
  const next = await client.responses.create(ask("hear", { previous_response_id: first.id, instructions: "Be kind." }));
  const messages = JSON.parse(next.output_text);
  assert.deepEqual(messages.map((message) => message.role), ["system", "user", "assistant", "user"]);
  assert.equal(messages[2].content, "Hello");
});

test("a response in the background is polled, and cancelled", async () => {
  let made = await client.responses.create(ask("say Later", { background: true }));
  while (made.status === "queued" || made.status === "in_progress") made = await client.responses.retrieve(made.id);
  assert.equal(made.output_text, "Later");
  const slow = await client.responses.create(ask(`endless ${unused()}`, { background: true }));
  const cancelled = await client.responses.cancel(slow.id);
  assert.equal(cancelled.status, "cancelled");
});

test("a picture comes as a file", async () => {
  const made = await client.responses.create({ model: "atelier-builtin", input: "Make a picture of a red fox.", tools: [{ type: "image_generation" }] });
  const [picture] = made.output.filter((item) => item.type === "image_generation_call");
  assert.equal(picture.status, "completed");
  assert.deepEqual([...Buffer.from(picture.result, "base64").subarray(1, 4)], [..."PNG"].map((c) => c.charCodeAt(0)));
});

test("wrong fields are named", async () => {
  await assert.rejects(client.responses.create(ask("say x", { temperature: 9 })), (error) => error instanceof OpenAI.BadRequestError && error.param === "temperature");
  await assert.rejects(client.responses.create(ask("say x", { tools: [{ type: "web_search" }] })), (error) => error.param === "tools[0].type");
  await assert.rejects(client.responses.create(ask("say x", { previous_response_id: "resp_none" })), OpenAI.NotFoundError);
});
