import assert from "node:assert/strict";
import test from "node:test";
import { Atelier, AtelierError } from "@atelier-project/client";
import { apiKey, atelier, fox, proxy } from "./stage.js";

test("a workflow is started, followed and listed", async () => {
  const started = await atelier.workflows.start(fox());
  const types = [];
  let last = -1;
  for await (const event of atelier.workflows.events(started.workflowId)) {
    types.push(event.type);
    if (event.type === "workflow_status") continue;
    assert.equal(event.sequence, ++last);
    if (event.type === "artifact_created") assert.equal(event.payload.mimeType, "image/png");
  }
  assert.equal(types[0], "workflow_started");
  assert.deepEqual(types.slice(-2), ["workflow_completed", "workflow_status"]);
  const workflow = await atelier.workflows.get(started.workflowId);
  assert.equal(workflow.status, "completed");
  assert.equal((await fetch(workflow.artifacts[0].url)).status, 200);
  const page = await atelier.workflows.list({ limit: 100 });
  assert.ok(page.workflows.some(({ workflowId }) => workflowId === started.workflowId));
});

test("events continue where a connection was cut, each once", async (t) => {
  const resumed = [];
  const address = await proxy(t, (incoming, answer, outgoing) => {
    if (!incoming.url.endsWith("/events/stream")) return false;
    resumed.push(incoming.headers["last-event-id"]);
    outgoing.writeHead(answer.statusCode, answer.headers);
    const cuts = resumed.length <= 3;
    let text = "";
    answer.on("data", (part) => {
      if (!cuts) return outgoing.write(part);
      const sent = text.length;
      text += part;
      const frames = text.split("\n\n");
      if (frames.length < 3) return outgoing.write(text.slice(sent));
      const end = frames[0].length + frames[1].length + 10; // in the middle of the third frame
      outgoing.write(text.slice(sent, end), () => outgoing.destroy());
      answer.destroy();
    });
    answer.on("end", () => outgoing.end());
    return true;
  });
  const client = new Atelier({ baseURL: address, apiKey });
  const { workflowId } = await client.workflows.start(fox());
  const sequences = [];
  for await (const event of client.workflows.events(workflowId)) if (event.type !== "workflow_status") sequences.push(event.sequence);
  assert.deepEqual(
    sequences,
    sequences.map((_, i) => i),
  );
  assert.equal((await client.workflows.get(workflowId)).events.length, sequences.length);
  assert.ok(resumed.length >= 2, "the connection was not cut");
  assert.equal(resumed[0], undefined);
  assert.ok(Number(resumed[1]) >= 0, `the second connection began after ${resumed[1]}`);
});

test("a start whose answer is lost starts one workflow", async (t) => {
  const keys = [];
  const address = await proxy(t, (incoming, answer, outgoing) => {
    keys.push(incoming.headers["idempotency-key"]);
    if (keys.length > 1) return false;
    answer.on("end", () => outgoing.destroy()).resume();
    return true;
  });
  const title = "Started once";
  const body = fox();
  body.input.title = title;
  const workflow = await new Atelier({ baseURL: address, apiKey }).workflows.start(body);
  assert.equal(keys.length, 2);
  assert.ok(keys[0] && keys[0] === keys[1]);
  const { workflows } = await atelier.workflows.list({ limit: 100 });
  assert.deepEqual(
    workflows.filter((w) => w.title === title).map((w) => w.workflowId),
    [workflow.workflowId],
  );
  assert.equal((await atelier.workflows.cancel(workflow.workflowId)).workflowId, workflow.workflowId);
});

test("a reader leaves by its signal", async () => {
  const { workflowId } = await atelier.workflows.start(fox());
  const leave = new AbortController();
  await assert.rejects(
    async () => {
      for await (const _ of atelier.workflows.events(workflowId, { signal: leave.signal })) leave.abort();
    },
    { name: "AbortError" },
  );
});

test("errors have the status, the code and the field", async () => {
  await assert.rejects(atelier.workflows.start(fox({ prompt: 7 })), (error) => {
    assert.ok(error instanceof AtelierError);
    assert.deepEqual([error.status, error.code, error.field], [400, 102, "input.steps[0].arguments.prompt"]);
    assert.match(error.message, /must be a string/);
    return true;
  });
  await assert.rejects(atelier.workflows.get("nothing"), { status: 404, field: "id" });
  await assert.rejects(new Atelier({ baseURL: process.env.ATELIER_URL, apiKey: "wrong" }).workflows.list(), { status: 401 });
  const { workflowId } = await atelier.workflows.run(fox());
  await assert.rejects(atelier.workflows.resume(workflowId), { status: 409 });
});

test("an upload is the input of a step", async () => {
  const picture = (await atelier.workflows.run(fox())).artifacts[0];
  const file = await (await fetch(picture.url)).blob();
  const media = await atelier.uploads.create(file);
  assert.equal(media.kind, "image");
  const edited = await atelier.workflows.run({
    media_references: [media],
    input: { steps: [{ id: "big", toolName: "upscale_image", arguments: { sourceImageIndex: -1, scale: 2 } }] },
  });
  assert.equal(edited.status, "completed", edited.error?.message);
  assert.deepEqual([edited.artifacts[0].width, edited.artifacts[0].height], [512, 512]);
  await assert.rejects(atelier.uploads.create(new Blob(["not a picture"]), { contentType: "image/png" }), { status: 400 });
  await assert.rejects(atelier.uploads.create(new Blob(["text"], { type: "text/plain" })), TypeError);
});

test("a template is listed, and runs when its cost is approved", async () => {
  const { templates } = await atelier.templates.list({ limit: 100 });
  assert.ok(templates.some(({ id }) => id === "wf_style_gallery"));
  assert.equal((await atelier.templates.get("wf_style_gallery")).inputs[0].name, "picture");

  const body = { title: "Night train", clip: false, seconds: 20 };
  const waits = await atelier.templates.run("wf_song_with_cover_art", body);
  assert.equal(waits.status, "waiting_for_user");
  assert.equal((await atelier.workflows.confirm(waits, "cancel")).status, "cancelled");

  const costs = [];
  const done = await atelier.templates.run("wf_song_with_cover_art", body, {
    approve(workflow) {
      costs.push(workflow.billingPreview.totalEstimatedCapacityUnits);
      return true;
    },
  });
  assert.equal(done.status, "completed", done.error?.message);
  assert.equal(costs.length, 1);
  assert.ok(done.artifacts.some(({ kind }) => kind === "audio"));
  await assert.rejects(atelier.templates.run("wf_song_with_cover_art", { seconds: "long" }), { status: 422 });
});
