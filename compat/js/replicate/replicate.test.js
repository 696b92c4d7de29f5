import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import test from "node:test";
import Replicate, { validateWebhook } from "replicate";
import { apiKey, sizeOf, url } from "../stage.js";

const replicate = new Replicate({ auth: apiKey, baseUrl: `${url}/replicate/v1` });
const painter = "atelier/z_image_turbo_bf16";
const small = { width: 256, height: 256 };

const read = async (address) => Buffer.from(await (await fetch(address)).arrayBuffer());

test("a model paints, by its name and by its version", async () => {
  const seen = [];
  const [picture] = await replicate.run(painter, { input: { prompt: "a red fox", ...small } }, (p) => seen.push(p.status));
  assert.deepEqual(sizeOf(await read(picture)), { width: 256, height: 256 });
  assert.equal(seen.at(-1), "succeeded");

  const model = await replicate.models.get("atelier", "z_image_turbo_bf16");
  const { id, openapi_schema } = model.latest_version;
  assert.match(id, /^[0-9a-f]{64}$/);
  assert.deepEqual(openapi_schema.components.schemas.Input.required, ["prompt"]);
  const pictures = await replicate.run(`${painter}:${id}`, { input: { prompt: "hens", num_outputs: 2, ...small }, wait: { mode: "poll", interval: 50 } });
  assert.equal(pictures.length, 2);
});

test("a model changes a picture that is uploaded", async () => {
  const [picture] = await replicate.run(painter, { input: { prompt: "a red fox", ...small } });
  const bytes = await read(picture);
  const [changed] = await replicate.run("atelier/qwen_image_edit_2511_fp8_lightning", { input: { prompt: "make it night", image: bytes } });
  assert.ok(sizeOf(await read(changed)).width > 0);

  const file = await replicate.files.create(new File([bytes], "fox.png", { type: "image/png" }), { seen: true });
  assert.equal(file.content_type, "image/png");
  assert.deepEqual(file.metadata, { seen: true });
  assert.equal((await replicate.files.get(file.id)).size, bytes.length);
  assert.ok((await replicate.files.list()).results.some(({ id }) => id === file.id));
  const larger = await replicate.run("atelier/upscale-image", { input: { image: file.urls.get } });
  assert.deepEqual(sizeOf(await read(larger)), { width: 512, height: 512 });
  assert.equal(await replicate.files.delete(file.id), true);
  await assert.rejects(replicate.files.get(file.id), { message: /404/ });
});

test("predictions are created, awaited, listed and cancelled", async () => {
  const created = await replicate.predictions.create({ model: painter, input: { prompt: "a hen", ...small } });
  assert.equal(created.status, "starting");
  const done = await replicate.wait(created, { interval: 50 });
  assert.equal(done.status, "succeeded");
  assert.deepEqual((await replicate.predictions.get(created.id)).output, done.output);

  const other = await replicate.predictions.create({ version: painter, input: { prompt: "a cow" } });
  const ended = await replicate.predictions.cancel(other.id);
  assert.ok(["canceled", "succeeded"].includes(ended.status), ended.status);

  const ids = [];
  for await (const page of replicate.paginate(replicate.predictions.list)) ids.push(...page.map(({ id }) => id));
  assert.ok(ids.indexOf(other.id) >= 0 && ids.indexOf(other.id) < ids.indexOf(created.id));
  const models = [];
  for await (const page of replicate.paginate(replicate.models.list)) models.push(...page.map(({ name }) => name));
  assert.equal(new Set(models).size, models.length);
  assert.ok(models.includes("atelier-builtin"));
});

test("a language model answers, whole and as a stream", async () => {
  const input = { prompt: "What can you make?" };
  const answer = await replicate.run("atelier/atelier-builtin", { input });
  assert.equal(typeof answer, "string");
  let text = "";
  const events = [];
  for await (const event of replicate.stream("atelier/atelier-builtin", { input })) {
    text += event;
    events.push(event.event);
  }
  assert.equal(text, answer);
  assert.equal(events.at(-1), "done");
});

test("a webhook gets the prediction, and its signature is verified", async (t) => {
  const came = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    response.writeHead(204).end();
    came.push({ headers: request.headers, body });
    server.emit("came");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const webhook = `http://127.0.0.1:${server.address().port}/`;
  const created = await replicate.predictions.create({ model: painter, input: { prompt: "an owl", ...small }, webhook, webhook_events_filter: ["completed"] });
  if (!came.length) await once(server, "came");
  const { key } = await replicate.webhooks.default.secret.get();
  assert.equal(await validateWebhook(came[0], key), true);
  assert.equal(await validateWebhook({ ...came[0], body: came[0].body + " " }, key), false);
  const prediction = JSON.parse(came[0].body);
  assert.deepEqual([prediction.id, prediction.status, prediction.output.length], [created.id, "succeeded", 1]);
});

test("the account, collections and hardware are shown, and what is wrong is named", async () => {
  assert.equal((await replicate.accounts.current()).type, "user");
  assert.ok((await replicate.collections.list()).results.length > 0);
  assert.ok((await replicate.collections.get("generate-image")).models.length > 0);
  assert.ok((await replicate.hardware.list()).length > 0);
  await assert.rejects(replicate.run(painter, { input: {} }), { message: /422.*input\.prompt is required/ });
  await assert.rejects(replicate.run("atelier/nothing", { input: {} }), { message: /404/ });
});
