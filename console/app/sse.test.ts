import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, type StreamEvent } from "./sse";

/** The events of a stream whose bytes come in these parts. */
async function read(...parts: string[]): Promise<StreamEvent[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(encoder.encode(part));
      controller.close();
    },
  });
  const events: StreamEvent[] = [];
  await parse(new Response(body), (event) => events.push(event));
  return events;
}

test("an event has its id, its name and its data", async () => {
  assert.deepEqual(await read('id: 7\nevent: balance\ndata: {"a":1}\n\n'), [
    { id: "7", event: "balance", data: { a: 1 } },
  ]);
});

test("an event may come in parts, also within a line", async () => {
  assert.deepEqual(await read("event: wor", "kflow\nda", "ta: [1,\ndata: 2]\n", "\n"), [
    { id: "", event: "workflow", data: [1, 2] },
  ]);
});

test("heartbeats and events without data are left out", async () => {
  assert.deepEqual(await read(": heartbeat\n\n", "event: empty\n\n", "data: 1\n\n"), [
    { id: "", event: "message", data: 1 },
  ]);
});

test("lines may end in every way, and data that is not JSON is text", async () => {
  assert.deepEqual(await read("data: [DONE]\r\n\r\n", "data:x\r\r"), [
    { id: "", event: "message", data: "[DONE]" },
    { id: "", event: "message", data: "x" },
  ]);
});

test("an incomplete event at the end of the stream is not delivered", async () => {
  assert.deepEqual(await read("data: 1\n"), []);
});
