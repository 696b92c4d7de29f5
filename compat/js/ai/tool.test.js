import assert from "node:assert/strict";
import test from "node:test";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";
import { providers } from "./provider.js";

const two = 'call weather {"city": "Oslo"}\ncall weather {"city": "Łódź"}';

function tools() {
  const seen = [];
  const weather = tool({
    description: "Tells the weather of a city",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      seen.push(city);
      return { city, sky: "sunny" };
    },
  });
  return { seen, tools: { weather } };
}

const said = 'The tools said: {"city":"Oslo","sky":"sunny"}; {"city":"Łódź","sky":"sunny"}';

for (const { name, model } of providers) {
  test(`${name}: tools are run and the model continues`, async () => {
    const { seen, tools: own } = tools();
    const result = await generateText({ model: model("scripted"), prompt: two, tools: own, stopWhen: stepCountIs(3) });
    assert.equal(result.text, said);
    assert.deepEqual(seen, ["Oslo", "Łódź"]);
    assert.deepEqual(result.steps.map((step) => step.finishReason), ["tool-calls", "stop"]);
    assert.deepEqual(result.steps[0].toolCalls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input })), [
      { toolCallId: "call_1", toolName: "weather", input: { city: "Oslo" } },
      { toolCallId: "call_2", toolName: "weather", input: { city: "Łódź" } },
    ]);
    assert.equal(result.totalUsage.inputTokens, 22);
  });

  test(`${name}: tools are run in mid-stream and the model continues`, async () => {
    const { seen, tools: own } = tools();
    const result = streamText({ model: model("scripted"), prompt: two, tools: own, stopWhen: stepCountIs(3) });
    const count = {};
    for await (const part of result.fullStream) {
      assert.notEqual(part.type, "error", `${part.error}`);
      count[part.type] = (count[part.type] ?? 0) + 1;
    }
    assert.equal(await result.text, said);
    assert.deepEqual(seen.sort(), ["Oslo", "Łódź"]);
    assert.equal(count["tool-input-start"], 2);
    assert.equal(count["tool-call"], 2);
    assert.equal(count["tool-result"], 2);
    assert.equal(count["finish-step"], 2);
  });

  test(`${name}: a tool that is not run is left to the caller`, async () => {
    const ask = tool({ description: "Asks the user", inputSchema: z.object({ question: z.string() }) });
    const options = { model: model("scripted"), prompt: 'call ask {"question": "Which city?"}', tools: { ask }, toolChoice: "required" };
    const { toolCalls, finishReason } = await generateText(options);
    assert.equal(finishReason, "tool-calls");
    assert.deepEqual(toolCalls.map(({ toolName, input }) => ({ toolName, input })), [{ toolName: "ask", input: { question: "Which city?" } }]);
    assert.deepEqual((await streamText(options).toolCalls).map(({ input }) => input), [{ question: "Which city?" }]);
  });

  test(`${name}: the choice of a tool reaches the model`, async () => {
    const { tools: own } = tools();
    const asking = generateText({ model: model("scripted"), prompt: "echo", tools: own, toolChoice: { type: "tool", toolName: "weather" } });
    // The SDK minds that the model says something instead; its error has what.
    const text = await asking.then((result) => result.text, (err) => err.content[0].text);
    const echo = JSON.parse(text);
    assert.deepEqual(echo.tool_choice, { type: "function", function: { name: "weather" } });
    assert.equal(echo.tools[0].function.name, "weather");
    assert.deepEqual(echo.tools[0].function.parameters.required, ["city"]);
  });

  test(`${name}: arguments that the schema refuses are told to the model`, async () => {
    const { seen, tools: own } = tools();
    const result = await generateText({ model: model("scripted"), prompt: 'call weather {"town": "Oslo"}', tools: own, stopWhen: stepCountIs(3) });
    assert.deepEqual(seen, []);
    assert.match(result.text, /^The tools said: .*[Ii]nvalid input/s);
  });

  // Some servers give calls no id, and the AI SDK takes no stream of such.
  test(`${name}: a call that a model left without an id gets one`, async () => {
    for (const svc_tools of ["none", "creative-tools"]) {
      const { tools: own } = tools();
      const options = { model: model("scripted"), prompt: two.replaceAll("call ", "call! "), tools: own, stopWhen: stepCountIs(3), providerOptions: { atelier: { svc_tools } } };
      assert.equal((await generateText(options)).text, said);
      assert.equal(await streamText({ ...options, onError: () => {} }).text, said);
    }
  });
}

test("fields of this service pass through @ai-sdk/openai-compatible", async () => {
  const { model } = providers.find(({ name }) => name === "@ai-sdk/openai-compatible");
  const options = { model: model("scripted"), prompt: "echo" };
  assert.ok(JSON.parse((await generateText(options)).text).tools.length > 5, "hosted tools are offered unless they are not wanted");
  const bare = await generateText({ ...options, providerOptions: { atelier: { svc_tools: "none" } } });
  assert.equal(JSON.parse(bare.text).tools, undefined);
});
