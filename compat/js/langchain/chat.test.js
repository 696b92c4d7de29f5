import assert from "node:assert/strict";
import test from "node:test";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, DallEAPIWrapper } from "@langchain/openai";
import { z } from "zod";
import { apiKey, baseURL, sizeOf, url } from "../stage.js";

// The models of LangChain.js that speak a protocol of the service.
const models = {
  "completions of OpenAI": (more) => new ChatOpenAI({ model: "scripted", apiKey, configuration: { baseURL }, maxRetries: 0, ...more }),
  "responses of OpenAI": (more) => new ChatOpenAI({ model: "scripted", apiKey, configuration: { baseURL }, maxRetries: 0, useResponsesApi: true, ...more }),
  "messages of Anthropic": (more) => new ChatAnthropic({ model: "scripted", apiKey, anthropicApiUrl: url, maxRetries: 0, maxTokens: 200, ...more }),
};

const weather = tool(async ({ city }) => `sunny in ${city}`, { name: "weather", description: "The weather.", schema: z.object({ city: z.string() }) });

for (const [name, make] of Object.entries(models)) {
  test(`${name}: a message, whole and streamed`, async () => {
    const model = make();
    const answer = await model.invoke([new SystemMessage("Be brief."), new HumanMessage("say Good morning")]);
    assert.equal(answer.text, "Good morning");
    assert.ok(answer.usage_metadata.input_tokens > 0 && answer.usage_metadata.output_tokens > 0);
    let text = "";
    for await (const chunk of await model.stream("say One two three")) text += chunk.text;
    assert.equal(text, "One two three");
  });

  test(`${name}: a tool is called, and its result is read`, async () => {
    const model = make().bindTools([weather]);
    const question = new HumanMessage('call weather {"city": "Oslo"}');
    const called = await model.invoke([question]);
    assert.deepEqual([called.tool_calls[0].name, called.tool_calls[0].args], ["weather", { city: "Oslo" }]);
    const result = await weather.invoke(called.tool_calls[0]);
    assert.ok(result instanceof ToolMessage);
    assert.match((await model.invoke([question, called, result])).text, /sunny in Oslo/);
  });

  test(`${name}: an unknown key is refused`, async () => {
    await assert.rejects(make({ apiKey: "wrong" }).invoke("say no"), /401|invalid|key/i);
  });
}

test("a picture is made", async () => {
  const pictures = new DallEAPIWrapper({ model: "dall-e-3", apiKey, baseUrl: baseURL, size: "1024x1024", dallEResponseFormat: "url", maxRetries: 0 });
  const answer = await fetch(await pictures.invoke("a red fox in the snow"));
  assert.deepEqual(sizeOf(Buffer.from(await answer.arrayBuffer())), { width: 1024, height: 1024 });
});
