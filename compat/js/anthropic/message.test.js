import assert from "node:assert/strict";
import test from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { account, apiKey, url } from "../stage.js";

const client = new Anthropic({ apiKey, baseURL: url, maxRetries: 0 });

// scripted is a request to the scripted model, which does what it is told.
const scripted = (script, more) => ({ model: "scripted", max_tokens: 200, messages: [{ role: "user", content: script }], ...more });

const weather = { name: "weather", description: "The weather.", input_schema: { type: "object", properties: { city: { type: "string" } } } };

test("a message has a text, a reason and its usage", async () => {
  const answer = await client.messages.create(scripted("say Good morning"));
  assert.equal(answer.type, "message");
  assert.equal(answer.role, "assistant");
  assert.equal(answer.model, "scripted");
  assert.deepEqual(answer.content, [{ type: "text", text: "Good morning" }]);
  assert.equal(answer.stop_reason, "end_turn");
  assert.ok(answer.usage.input_tokens > 0 && answer.usage.output_tokens > 0);
  assert.equal((await client.messages.create(scripted("cut It is"))).stop_reason, "max_tokens");
});

test("the model gets instructions and parameters", async () => {
  const parameters = JSON.parse((await client.messages.create(scripted("echo", { temperature: 0.25, top_p: 0.5, stop_sequences: ["END"] }))).content[0].text);
  assert.deepEqual([parameters.temperature, parameters.top_p, parameters.stop], [0.25, 0.5, ["END"]]);
  const heard = JSON.parse((await client.messages.create(scripted("hear", { system: [{ type: "text", text: "Be brief." }] }))).content[0].text);
  assert.deepEqual(heard[0], { role: "system", content: "Be brief." });
});

test("a stream has the events of the SDK and the same message", async () => {
  const stream = client.messages.stream(scripted("say One two three"));
  const seen = [];
  let text = "";
  stream.on("streamEvent", (event) => seen.push(event.type));
  stream.on("text", (piece) => (text += piece));
  const message = await stream.finalMessage();
  assert.equal(text, "One two three");
  assert.deepEqual(message.content, [{ type: "text", text: "One two three" }]);
  assert.equal(message.stop_reason, "end_turn");
  assert.ok(message.usage.input_tokens > 0 && message.usage.output_tokens > 0);
  const order = seen.filter((type, i) => type !== "ping" && type !== seen[i - 1]);
  assert.deepEqual(order, ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"]);
});

test("tools are called, and their results are read", async () => {
  for (const ask of [(body) => client.messages.create(body), (body) => client.messages.stream(body).finalMessage()]) {
    const question = { role: "user", content: 'call weather {"city": "Oslo"}' };
    const called = await ask(scripted("", { messages: [question], tools: [weather] }));
    assert.equal(called.stop_reason, "tool_use");
    const [use] = called.content;
    assert.deepEqual([use.type, use.name, use.input], ["tool_use", "weather", { city: "Oslo" }]);
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "sunny" }] };
    const answer = await ask(scripted("", { messages: [question, { role: "assistant", content: called.content }, result], tools: [weather] }));
    assert.match(answer.content[0].text, /sunny/);
  }
});

test("tokens are counted", async () => {
  const { input_tokens } = await client.messages.countTokens({ model: "scripted", messages: [{ role: "user", content: "Four words of text" }], tools: [weather] });
  assert.ok(input_tokens > 4);
});

test("errors are those of the SDK", async () => {
  const { AuthenticationError, BadRequestError, NotFoundError } = Anthropic;
  await assert.rejects(new Anthropic({ apiKey: "wrong", baseURL: url, maxRetries: 0 }).messages.create(scripted("say no")), AuthenticationError);
  await assert.rejects(client.messages.create(scripted("say no", { model: "nothing" })), NotFoundError);
  await assert.rejects(client.messages.create(scripted("say no", { temperature: 7 })), BadRequestError);
  await assert.rejects(client.messages.stream(scripted("break It")).finalMessage(), (failed) => failed.error.error.type === "api_error");
  await assert.rejects(client.messages.batches.list(), NotFoundError);
});

test("a bearer token is taken too, and usage has the name of the protocol", async () => {
  const { apiKey: authToken } = await account("--spark", "5");
  const other = new Anthropic({ apiKey: null, authToken, baseURL: url, maxRetries: 0 });
  assert.equal((await other.messages.create(scripted("say Yes"))).content[0].text, "Yes");
});
