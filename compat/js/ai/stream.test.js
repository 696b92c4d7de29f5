import assert from "node:assert/strict";
import test from "node:test";
import { APICallError, Output, streamText } from "ai";
import { z } from "zod";
import { gone, next, picture, unused } from "../stage.js";
import { providers } from "./provider.js";

async function all(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const onError = () => {}; // what goes wrong is asserted, not printed

for (const { name, model } of providers) {
  test(`${name}: a text is streamed`, async () => {
    const key = unused();
    const result = streamText({ model: model("scripted"), prompt: `steps ${key} The| quick| brown| fox| jumps` });
    const pieces = [];
    for await (const piece of result.textStream) {
      pieces.push(piece);
      if (pieces.length < 5) await next(key); // which the model says no sooner
    }
    assert.deepEqual(pieces, ["The", " quick", " brown", " fox", " jumps"]);
    assert.equal(await result.finishReason, "stop");
    const usage = await result.usage;
    assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.totalTokens], [11, 5, 16]);
    assert.match((await result.response).id, /^chatcmpl-/);
    assert.equal((await result.response).modelId, "scripted");
  });

  test(`${name}: the parts of a stream come in their order`, async () => {
    const parts = await all(streamText({ model: model("scripted"), prompt: "think Still water." }).fullStream);
    const kinds = parts.map((part) => part.type).filter((type, i, types) => type !== types[i - 1]);
    assert.deepEqual(kinds, ["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "finish"]);
    assert.equal(parts.filter((part) => part.type === "text-delta").map((part) => part.text).join(""), "Still water.");
  });

  test(`${name}: an object is streamed`, async () => {
    const schema = z.object({ city: z.string(), degrees: z.number() });
    const key = unused();
    const prompt = `steps ${key} {"city": "Oslo"|, "degrees": -3}`;
    const result = streamText({ model: model("scripted"), prompt, output: Output.object({ schema }) });
    const partial = [];
    for await (const object of result.partialOutputStream) {
      partial.push(object);
      if (partial.length === 1) await next(key);
    }
    assert.deepEqual(partial, [{ city: "Oslo" }, { city: "Oslo", degrees: -3 }]);
    assert.deepEqual(await result.output, { city: "Oslo", degrees: -3 });
  });

  test(`${name}: while a picture is made, the stream continues`, async () => {
    const result = streamText({ model: model("atelier-builtin"), prompt: "make an image of a red fox", includeRawChunks: true });
    const parts = await all(result.fullStream);
    await picture(await result.text);
    const raw = parts.filter((part) => part.type === "raw").map((part) => part.rawValue);
    assert.ok(raw.some((chunk) => chunk.choices?.[0]?.delta.svc_tool_progress?.tool === "generate_image"), "no progress was told");
    assert.ok(raw.some((chunk) => chunk.creative_workflows?.[0]?.status === "completed"), "no workflow was told");
    assert.deepEqual(parts.filter((part) => part.type === "error"), []);
  });

  test(`${name}: who aborts in mid-stream stops the model`, async () => {
    const key = unused();
    const controller = new AbortController();
    let aborted = false;
    const result = streamText({
      model: model("scripted"), prompt: `endless ${key}`, abortSignal: controller.signal, onError, onAbort: () => { aborted = true; },
    });
    for await (const piece of result.textStream) if (piece.startsWith("and")) controller.abort();
    assert.ok(aborted, "onAbort was not called");
    await gone(key);
  });

  for (const script of ["break Half of", "hang up Half of"]) {
    test(`${name}: an error after the stream has opened is a part of it: ${script}`, async () => {
      const parts = await all(streamText({ model: model("scripted"), prompt: script, onError }).fullStream);
      assert.equal(parts.filter((part) => part.type === "text-delta").map((part) => part.text).join(""), "Half of");
      const [failed] = parts.filter((part) => part.type === "error");
      assert.match(JSON.stringify(failed.error?.message ?? failed.error), /model server (failed|stopped)/);
      assert.equal(parts.at(-1).finishReason, "error");
    });
  }

  test(`${name}: an error before the stream has opened has its status`, async () => {
    const parts = await all(streamText({ model: model("gpt-4o"), prompt: "hello", onError, maxRetries: 0 }).fullStream);
    const [failed] = parts.filter((part) => part.type === "error");
    assert.ok(APICallError.isInstance(failed.error), `${failed.error}`);
    assert.equal(failed.error.statusCode, 404);
  });
}
