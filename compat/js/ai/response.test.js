// The provider that the AI SDK makes by default for OpenAI: it speaks the Responses API.

import assert from "node:assert/strict";
import test from "node:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { apiKey, baseURL, gone, unused } from "../stage.js";

const openai = createOpenAI({ apiKey, baseURL });
const model = openai("scripted");
const schema = z.object({ city: z.string(), degrees: z.number() });
const weather = () => tool({ description: "Tells the weather of a city", inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `${city} is sunny` });
const two = 'call weather {"city": "Oslo"}\ncall weather {"city": "Łódź"}';
const said = "The tools said: Oslo is sunny; Łódź is sunny";

for (const store of [true, false]) {
  const providerOptions = { openai: { store } };

  test(`a text is generated, store ${store}`, async () => {
    const result = await generateText({ model, prompt: "say Hello", providerOptions });
    assert.equal(result.text, "Hello");
    assert.equal(result.finishReason, "stop");
    assert.match(result.response.id, /^resp_/);
    assert.equal(result.usage.inputTokens, 11);
  });

  test(`a text is streamed, store ${store}`, async () => {
    const result = streamText({ model, prompt: "say The quick brown fox jumps", providerOptions });
    let text = "";
    for await (const piece of result.textStream) text += piece;
    assert.equal(text, "The quick brown fox jumps");
    assert.equal(await result.finishReason, "stop");
  });

  test(`tools are run and the model continues, store ${store}`, async () => {
    const options = { model, prompt: two, tools: { weather: weather() }, stopWhen: stepCountIs(3), providerOptions };
    const result = await generateText(options);
    assert.equal(result.text, said);
    assert.deepEqual(result.steps.map((step) => step.finishReason), ["tool-calls", "stop"]);
    assert.equal(await streamText(options).text, said);
  });

  test(`an object is generated, store ${store}`, async () => {
    const { output } = await generateText({ model, prompt: 'say {"city": "Oslo", "degrees": -3}', output: Output.object({ schema }), providerOptions });
    assert.deepEqual(output, { city: "Oslo", degrees: -3 });
  });
}

test("a conversation is sent as references to what was answered", async () => {
  const first = await generateText({ model, prompt: "say Hello" });
  const messages = [{ role: "user", content: "say Hello" }, ...first.response.messages, { role: "user", content: "hear" }];
  const heard = JSON.parse((await generateText({ model, messages })).text);
  assert.deepEqual(heard.map(({ role, content }) => [role, content]), [["user", "say Hello"], ["assistant", "Hello"], ["user", "hear"]]);
});

test("who aborts a stream that is not stored stops the model", async () => {
  const key = unused();
  const abort = new AbortController();
  const result = streamText({ model, prompt: `endless ${key}`, abortSignal: abort.signal, providerOptions: { openai: { store: false } }, onError: () => {} });
  for await (const _ of result.textStream) break;
  abort.abort();
  await gone(key);
});

test("a picture is a file of the answer", async () => {
  const { staticToolResults, toolResults } = await generateText({
    model: openai("atelier-builtin"), prompt: "Make a picture of a red fox.", tools: { image_generation: openai.tools.imageGeneration() },
  });
  const [{ output }] = [...(toolResults ?? []), ...(staticToolResults ?? [])];
  assert.match(output.result, /^iVBOR/);
});
