import assert from "node:assert/strict";
import test from "node:test";
import { sessionToken } from "../stage.js";
import { as, client, scripted, tell } from "./client.js";

const weather = {
  type: "function",
  function: {
    name: "weather",
    description: "Tells the weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false },
    strict: true,
  },
};

const two = 'call weather {"city": "Oslo"}\ncall weather {"city": "Łódź"}';
const wanted = [
  { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city": "Oslo"}' } },
  { id: "call_2", type: "function", function: { name: "weather", arguments: '{"city": "Łódź"}' } },
];

// Hosted tools are offered beside the caller's own unless it says otherwise,
// which changes the way that calls take through the service.
for (const svc_tools of [undefined, "none", "creative-agent"]) {
  test(`calls of the caller's tools come back, svc_tools ${svc_tools}`, async () => {
    const completion = await client.chat.completions.create(scripted(two, { tools: [weather], svc_tools }));
    const [choice] = completion.choices;
    assert.equal(choice.finish_reason, "tool_calls");
    assert.equal(choice.message.content, null);
    assert.deepEqual(choice.message.tool_calls, wanted);
  });

  test(`calls in fragments are put together, svc_tools ${svc_tools}`, async () => {
    const stream = client.chat.completions.stream(scripted(two, { tools: [weather], svc_tools }));
    const completion = await stream.finalChatCompletion();
    assert.equal(completion.choices[0].finish_reason, "tool_calls");
    const calls = completion.choices[0].message.tool_calls.map(({ id, type, function: { name, arguments: text } }) => ({ id, type, function: { name, arguments: text } }));
    assert.deepEqual(calls, wanted);
  });

  for (const stream of [false, true]) {
    test(`the SDK runs tools and continues, svc_tools ${svc_tools}, stream ${stream}`, async () => {
      const seen = [];
      const look = ({ city }) => {
        seen.push(city);
        return `${city} is sunny`;
      };
      const runner = client.chat.completions.runTools(scripted(two, {
        svc_tools, stream, tools: [{ type: "function", function: { ...weather.function, function: look, parse: JSON.parse } }],
      }));
      assert.equal(await runner.finalContent(), "The tools said: Oslo is sunny; Łódź is sunny");
      assert.deepEqual(seen, ["Oslo", "Łódź"]);
      assert.deepEqual(runner.messages.map((message) => message.role), ["user", "assistant", "tool", "tool", "assistant"]);
    });
  }
}

test("tools and the choice among them reach the model as they are", async () => {
  const choice = { type: "function", function: { name: "weather" } };
  const echo = JSON.parse(await tell("echo", { tools: [weather], tool_choice: choice, parallel_tool_calls: false, svc_tools: "none" }));
  assert.deepEqual(echo.tools, [weather]);
  assert.deepEqual(echo.tool_choice, choice);
  assert.equal(echo.parallel_tool_calls, false);
});

test("hosted tools are offered beside the caller's own", async () => {
  const { tools, tool_choice } = JSON.parse(await tell("echo", { tools: [weather] }));
  const names = tools.map((tool) => tool.function.name);
  for (const name of ["weather", "generate_image", "generate_video", "enhance_prompt"]) assert.ok(names.includes(name), `${name} is not among ${names}`);
  assert.equal(tool_choice ?? "auto", "auto");
});

// Some servers give calls no id, without which results cannot be matched.
const nameless = scripted('call! weather {"city": "Oslo"}\ncall! weather {"city": "Rome"}', { tools: [weather], svc_tools: "none" });

function distinct(ids) {
  assert.ok(ids.length === 2 && ids.every(Boolean) && ids[0] !== ids[1], `ids are ${JSON.stringify(ids)}`);
}

test("a call that a model left without an id gets one", async () => {
  const completion = await client.chat.completions.create(nameless);
  distinct(completion.choices[0].message.tool_calls.map((call) => call.id));
});

test("a call that a model left without an id gets one in the stream", async () => {
  const ids = []; // the SDK's own helper would make some up
  for await (const chunk of await client.chat.completions.create({ ...nameless, stream: true })) {
    for (const call of chunk.choices[0]?.delta.tool_calls ?? []) ids[call.index] ??= call.id ?? "";
  }
  distinct(ids);
});

for (const stream of [false, true]) {
  test(`hosted tools are left to the caller who wants that, stream ${stream}`, async () => {
    const body = { messages: [{ role: "user", content: "make an image of a red fox" }], svc_tool_execution: false };
    const completion = stream ? await client.chat.completions.stream(body).finalChatCompletion() : await client.chat.completions.create(body);
    const [call] = completion.choices[0].message.tool_calls;
    assert.equal(completion.choices[0].finish_reason, "tool_calls");
    assert.equal(call.function.name, "generate_image");
    assert.match(JSON.parse(call.function.arguments).prompt, /red fox/);
  });

  test(`media tools are left to the holder of a session token, stream ${stream}`, async () => {
    const signedIn = as(await sessionToken("--spark", "100"));
    const body = scripted('call generate_image {"prompt": "a red fox"}');
    const completion = stream ? await signedIn.chat.completions.stream(body).finalChatCompletion() : await signedIn.chat.completions.create(body);
    assert.equal(completion.choices[0].finish_reason, "tool_calls");
    assert.equal(completion.choices[0].message.tool_calls[0].function.name, "generate_image");
  });
}
