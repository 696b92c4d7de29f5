import assert from "node:assert/strict";
import test from "node:test";
import { client } from "./client.js";

test("a text is spoken", async () => {
  const answer = await client.audio.speech.create({ model: "tts-1", voice: "nova", input: "The fox is in the snow.", response_format: "wav" });
  assert.equal(answer.headers.get("content-type"), "audio/wav");
  const file = Buffer.from(await answer.arrayBuffer());
  assert.equal(file.subarray(0, 4).toString(), "RIFF");
});

test("samples come without a header", async () => {
  const ask = (response_format) =>
    client.audio.speech.create({ model: "gpt-4o-mini-tts", voice: "ryan", input: "Good morning.", response_format }).then((answer) => answer.arrayBuffer());
  const seconds = (await ask("pcm")).byteLength / 2 / 24000;
  const wav = Buffer.from(await ask("wav"));
  const expected = (wav.length - 44) / wav.readUInt32LE(28);
  assert.ok(Math.abs(seconds - expected) < 0.5, `${seconds} s, not ${expected} s`);
});

test("what cannot be spoken is refused", async () => {
  const ask = (more) => client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "Hello.", ...more });
  await assert.rejects(ask({ voice: "nobody" }), { status: 400, param: "voice" });
  await assert.rejects(ask({ response_format: "opus" }), { status: 400, param: "response_format" });
  await assert.rejects(ask({ model: "nothing" }), { status: 404, code: "model_not_found" });
});
