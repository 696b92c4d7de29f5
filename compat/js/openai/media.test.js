import assert from "node:assert/strict";
import test from "node:test";
import { picture } from "../stage.js";
import { client, scripted } from "./client.js";

const fox = { messages: [{ role: "user", content: "make an image of a red fox" }] };

function completed(workflows) {
  assert.equal(workflows?.length, 1);
  assert.equal(workflows[0].status, "completed");
  assert.equal(workflows[0].url, `/v1/creative-agent/workflows/${workflows[0].workflowId}`);
}

test("a picture that is asked for is in the answer", async () => {
  const completion = await client.chat.completions.create(fox);
  const [{ finish_reason, message }] = completion.choices;
  assert.equal(finish_reason, "stop");
  assert.equal(message.tool_calls, undefined);
  const { width, height } = await picture(message.content);
  assert.ok(width > 0 && height > 0, `${width} by ${height}`);
  completed(completion.creative_workflows);
});

test("while a picture is made, the stream tells how far it is", async () => {
  const progress = [];
  let workflows;
  const stream = client.chat.completions.stream(fox);
  stream.on("chunk", (chunk) => {
    const told = chunk.choices[0]?.delta.svc_tool_progress;
    if (told) progress.push(told);
    workflows = chunk.creative_workflows ?? workflows;
  });
  const completion = await stream.finalChatCompletion();
  await picture(completion.choices[0].message.content);
  assert.equal(completion.choices[0].finish_reason, "stop");
  assert.ok(progress.length >= 2, JSON.stringify(progress));
  assert.deepEqual(new Set(progress.map(({ tool }) => tool)), new Set(["generate_image"]));
  assert.equal(progress.at(-1).status, "completed");
  completed(workflows);
});

for (const stream of [false, true]) {
  test(`a picture that an upstream model calls for is made, and the model hears of it, stream ${stream}`, async () => {
    const body = scripted('call generate_image {"prompt": "a green boat"}');
    const completion = stream ? await client.chat.completions.stream(body).finalChatCompletion() : await client.chat.completions.create(body);
    const { content } = completion.choices[0].message;
    const { link } = await picture(content);
    const said = content.indexOf("The tools said: ");
    assert.ok(content.indexOf(link) < said, "the picture comes before what the model says of it");
    assert.equal(JSON.parse(content.slice(said + "The tools said: ".length)).ok, true);
    assert.equal(completion.choices[0].finish_reason, "stop");
    assert.equal(completion.usage?.prompt_tokens ?? 22, 22, "both rounds count");
  });
}

test("a conversation continues with the picture it made", async () => {
  const first = await client.chat.completions.create(fox);
  const messages = [...fox.messages, first.choices[0].message, { role: "user", content: "remove its background" }];
  const second = await client.chat.completions.create({ messages });
  const made = await picture(second.choices[0].message.content);
  assert.notEqual(made.link, (await picture(first.choices[0].message.content)).link);
  assert.equal(second.svc_tool_results[0].tool, "remove_background");
});
