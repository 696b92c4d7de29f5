import assert from "node:assert/strict";
import test from "node:test";
import OpenAI from "openai";
import { account, apiKey, asked, exhausted, refusal, unused } from "../stage.js";
import { as, client, scripted } from "./client.js";

// refused makes sure that a request fails with a class of the SDK's own.
async function refused(request, kind, want) {
  await assert.rejects(request, (err) => {
    assert.equal(err?.constructor, kind, `${err}`);
    assert.match(err.requestID, /^req_/);
    assert.ok(err.error?.message, `the SDK found no message in ${JSON.stringify(err.error)}`);
    for (const [name, value] of Object.entries(want)) {
      if (value instanceof RegExp) assert.match(err[name], value);
      else assert.deepEqual(err[name], value, name);
    }
    return true;
  });
}

const ask = (body, options) => client.chat.completions.create(body, options);
const complete = { messages: [{ role: "user", content: "hello" }] };

// bad are requests that cannot be, by the field that is wrong with them.
const bad = [
  ["messages", {}],
  ["messages", { messages: [] }],
  ["messages[0].role", { messages: [{ role: "king", content: "hello" }] }],
  ["messages[0].tool_call_id", { messages: [{ role: "tool", content: "hello" }] }],
  ["messages[0].content[0].image_url.url", { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }] }],
  ["max_tokens", { ...complete, max_tokens: "many" }],
  ["billing_mode", { ...complete, billing_mode: "barter" }],
  ["tools[0].function.name", { ...complete, tools: [{ type: "function", function: {} }] }],
  // The fields of the specification are snake_case only.
  ...Object.entries({
    maxTokens: 5, maxCompletionTokens: 5, topP: 1, toolChoice: "auto", svcTools: "none", svcToolExecution: false, taskProfile: "general", tokenType: "auto",
    billingMode: "auto", safeContentFilter: true, mediaReferences: [], chatTemplateKwargs: {}, reasoningEffort: "low", responseFormat: { type: "text" }, appSource: "test",
  }).map(([name, value]) => [name, { ...complete, [name]: value }]),
];

for (const stream of [false, true]) {
  test(`who is not known is refused, stream ${stream}`, async () => {
    const body = { ...complete, stream };
    const want = { status: 401, type: "authentication_error", param: null };
    await refused(as("00000000-0000-4000-8000-000000000000").chat.completions.create(body), OpenAI.AuthenticationError, want);
    await refused(as("no key at all").chat.completions.create(body), OpenAI.AuthenticationError, want);
    await refused(as("unused", { defaultHeaders: { Authorization: null } }).models.list(), OpenAI.AuthenticationError, want);
  });

  for (const [param, body] of bad) {
    test(`what cannot be is a bad request that names the field: ${param}, stream ${stream}`, async () => {
      await refused(ask({ ...body, stream }), OpenAI.BadRequestError, { status: 400, type: "invalid_request_error", param });
    });
  }

  test(`a model that is not there is not found, stream ${stream}`, async () => {
    await refused(ask({ ...complete, model: "gpt-4o", stream }), OpenAI.NotFoundError, {
      status: 404, code: "model_not_found", param: "model", type: "invalid_request_error", message: /gpt-4o/,
    });
  });

  test(`too long a conversation is told with its numbers, stream ${stream}`, async () => {
    const body = { model: "vendor/scripted-small", messages: [{ role: "user", content: "say " + "word ".repeat(4000) }], svc_tools: "none", stream };
    await refused(ask(body), OpenAI.BadRequestError, { code: "context_length_exceeded" });
    const err = await ask(body).then(assert.fail, (err) => err);
    for (const value of Object.values(err.error.details)) assert.equal(typeof value, "number");
    assert.ok(Object.keys(err.error.details).length > 0);
  });

  test(`who cannot pay is told so, stream ${stream}`, async () => {
    const poor = as((await account()).apiKey);
    const body = { ...scripted("say hello", { stream }), model: "scripted-dear" };
    await refused(poor.chat.completions.create(body), OpenAI.APIError, { status: 402, type: "insufficient_quota" });
    await refused(poor.chat.completions.create({ ...body, billing_mode: "subscription" }), OpenAI.APIError, { status: 402, code: "subscription_limit" });
  });

  test(`what the model server refuses is the caller's own to mend, stream ${stream}`, async () => {
    await refused(ask(scripted(`fail 400 99 ${unused()}`, { stream })), OpenAI.BadRequestError, { message: /The script says 400/ });
  });

  for (const status of [401, 404, 429, 500, 503]) {
    test(`a model server that answers ${status} is our trouble, stream ${stream}`, async () => {
      const body = scripted(`fail ${status} 99 ${unused()}`, { stream });
      await refused(ask(body), OpenAI.InternalServerError, { status: 502, type: "upstream_error" });
    });
  }

  test(`the SDK tries again after our trouble, stream ${stream}`, async () => {
    const key = unused();
    const answer = await ask(scripted(`fail 500 3 ${key}`, { stream }), { maxRetries: 2 });
    let text = stream ? "" : answer.choices[0].message.content;
    if (stream) for await (const chunk of answer) text += chunk.choices[0].delta.content ?? "";
    assert.equal(text, "At last.");
    assert.equal(await asked(key), 4, "the service asks twice for each request");
  });
}

test("a model server that fails before it answers is our trouble", async () => {
  await refused(ask(scripted("break Half of")), OpenAI.InternalServerError, { status: 502, type: "upstream_error" });
  await refused(ask(scripted("hang up Half of")), OpenAI.InternalServerError, { status: 502, type: "upstream_error" });
});

test("the SDK does not repeat what cannot help", async () => {
  const key = unused();
  await refused(ask(scripted(`fail 400 99 ${key}`), { maxRetries: 2 }), OpenAI.BadRequestError, { status: 400 });
  assert.equal(await asked(key), 1);
});

test("who asks too much is told when to come back, and the SDK does", async () => {
  const busy = await exhausted();
  const err = await refusal(() => as(busy).models.list());
  assert.equal(err.constructor, OpenAI.RateLimitError, `${err}`);
  assert.equal(err.type, "rate_limit_error");
  assert.ok(Number(err.headers.get("retry-after")) > 0, `retry-after is ${err.headers.get("retry-after")}`);
  const page = await as(busy, { maxRetries: 3 }).models.list();
  assert.ok(page.data.length > 0);
  await client.models.list(); // others are not held up
});

test("an endpoint that is not there is not found, and a body of another type is refused", async () => {
  await assert.rejects(client.batches.list(), OpenAI.NotFoundError);
  const body = client.post("/chat/completions", { body: "hello", headers: { "Content-Type": "text/plain", Authorization: `Bearer ${apiKey}` } });
  await refused(body, OpenAI.APIError, { status: 415 });
});

test("texts are moderated", async () => {
  const { results } = await client.moderations.create({ model: "omni-moderation-latest", input: ["a fox", "a naked woman"] });
  assert.deepEqual(results.map((r) => r.flagged), [false, true]);
  assert.equal(results[1].categories.sexual, true);
});
