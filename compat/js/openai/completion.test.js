import assert from "node:assert/strict";
import test from "node:test";
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";
import { apiKey, baseURL, pixel, sessionToken } from "../stage.js";
import { as, client, scripted, tell } from "./client.js";

test("the built-in model answers when none is named", async () => {
  const completion = await client.chat.completions.create({ messages: [{ role: "user", content: "How long can a video be?" }] });
  assert.match(completion.id, /^chatcmpl-[0-9a-f-]{36}$/);
  assert.equal(completion.object, "chat.completion");
  assert.equal(completion.model, "atelier-builtin");
  assert.ok(Math.abs(completion.created - Date.now() / 1000) < 60, `created is ${completion.created}`);
  const [choice] = completion.choices;
  assert.equal(choice.index, 0);
  assert.equal(choice.finish_reason, "stop");
  assert.equal(choice.message.role, "assistant");
  assert.match(choice.message.content, /second/);
  assert.equal(completion.usage.total_tokens, completion.usage.prompt_tokens + completion.usage.completion_tokens);
});

test("an upstream model answers, and its count of tokens is kept", async () => {
  const completion = await client.chat.completions.create(scripted("say Good morning to you"));
  assert.equal(completion.model, "scripted");
  assert.equal(completion.choices[0].message.content, "Good morning to you");
  assert.deepEqual(completion.usage, {
    prompt_tokens: 11, completion_tokens: 4, total_tokens: 15, prompt_tokens_details: { cached_tokens: 3 },
  });
});

test("the SDK finds the request id", async () => {
  const { data, response, request_id } = await client.chat.completions.create(scripted("say hello")).withResponse();
  assert.equal(response.status, 200);
  assert.match(request_id, /^req_/);
  assert.equal(data._request_id, request_id);
});

test("parameters reach the model, and tokens under either name", async () => {
  const sent = {
    temperature: 0.25, top_p: 0.5, stop: ["END"], seed: 7, presence_penalty: 0.5, frequency_penalty: -0.5, logit_bias: { 50256: -100 },
    parallel_tool_calls: false, response_format: { type: "json_object" }, reasoning_effort: "low",
  };
  const ignored = { user: "someone", metadata: { purpose: "test" }, store: true, service_tier: "priority", logprobs: true, top_logprobs: 5, n_predict: 9000 };
  const echo = JSON.parse(await tell("echo", { ...sent, ...ignored, max_completion_tokens: 123, svc_tools: "none" }));
  assert.equal(echo.model, "scripted-upstream");
  assert.equal(echo.max_tokens ?? echo.max_completion_tokens, 123);
  for (const [name, value] of Object.entries(sent)) assert.deepEqual(echo[name], value, name);
  for (const name of Object.keys(ignored)) assert.ok(!(name in echo), `${name} does not reach the model`);
  assert.equal(echo.tools, undefined);
  for (const own of ["svc_tools", "svc_tool_execution", "token_type", "billing_mode"]) assert.ok(!(own in echo), `${own} is not for the model`);
  assert.equal(JSON.parse(await tell("echo", { max_tokens: 77 })).max_tokens, 77);
});

test("a developer is a system, and parts of text are text", async () => {
  const messages = [
    { role: "developer", content: "Be brief." },
    { role: "user", content: "say nothing" },
    { role: "assistant", content: "Nothing." },
    { role: "user", content: [{ type: "text", text: "hear " }, { type: "text", text: "me" }] },
  ];
  const completion = await client.chat.completions.create({ model: "scripted", messages, svc_tools: false });
  assert.deepEqual(JSON.parse(completion.choices[0].message.content), [
    { role: "system", content: "Be brief." },
    { role: "user", content: "say nothing" },
    { role: "assistant", content: "Nothing." },
    { role: "user", content: "hear me" },
  ]);
});

test("an inline image reaches a model that sees", async () => {
  const content = [{ type: "text", text: "hear" }, { type: "image_url", image_url: { url: pixel, detail: "low" } }];
  const completion = await client.chat.completions.create({ model: "scripted", messages: [{ role: "user", content }], svc_tools: "none" });
  const [heard] = JSON.parse(completion.choices[0].message.content);
  assert.deepEqual(heard.content, content);
});

test("thoughts are not part of the answer", async () => {
  assert.equal(await tell("think The sky is blue."), "The sky is blue.");
});

test("structured output is parsed by its schema", async () => {
  const Weather = z.object({ city: z.string(), degrees: z.number() });
  const format = zodResponseFormat(Weather, "weather");
  const completion = await client.chat.completions.parse(scripted('say {"city": "Oslo", "degrees": -3}', { response_format: format }));
  assert.deepEqual(completion.choices[0].message.parsed, { city: "Oslo", degrees: -3 });
  const echo = JSON.parse(await tell("echo", { response_format: format }));
  assert.equal(echo.response_format.json_schema.name, "weather");
  assert.deepEqual(echo.response_format, JSON.parse(JSON.stringify(format)));
});

test("an answer that was cut short has the finish reason length", async () => {
  const completion = await client.chat.completions.create(scripted("cut Once upon a"));
  assert.equal(completion.choices[0].finish_reason, "length");
  const format = zodResponseFormat(z.object({ city: z.string() }), "city");
  await assert.rejects(client.chat.completions.parse(scripted('cut {"city": "Os', { response_format: format })), OpenAI.LengthFinishReasonError);
});

test("a session token and the older header are credentials too", async () => {
  const signedIn = as(await sessionToken());
  assert.equal((await signedIn.chat.completions.create(scripted("say hello"))).choices[0].message.content, "hello");
  const older = new OpenAI({ apiKey: "unused", baseURL, maxRetries: 0, defaultHeaders: { Authorization: null, "api-key": apiKey } });
  assert.equal((await older.chat.completions.create(scripted("say hello"))).choices[0].message.content, "hello");
});
