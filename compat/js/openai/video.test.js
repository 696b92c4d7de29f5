import assert from "node:assert/strict";
import test from "node:test";
import { toFile } from "openai";
import { sizeOf } from "../stage.js";
import { client } from "./client.js";

const small = { seconds: "2", size: "256x256" };

// finished reads a video until it is over.
async function finished(video) {
  while (video.status === "queued" || video.status === "in_progress") {
    await new Promise((wake) => setTimeout(wake, 50));
    video = await client.videos.retrieve(video.id);
  }
  assert.equal(video.status, "completed", JSON.stringify(video.error));
  return video;
}

const bytes = async (answer) => Buffer.from(await answer.arrayBuffer());

test("a video is created, read, downloaded, remixed, listed and deleted", async () => {
  const created = await client.videos.create({ model: "sora-2", prompt: "a red fox runs", ...small });
  assert.equal(created.object, "video");
  assert.equal(created.prompt, "a red fox runs");
  const video = await finished(created);
  assert.deepEqual([video.progress, video.seconds, video.size], [100, "2", "256x256"]);
  assert.ok(video.completed_at >= video.created_at);

  const clip = await client.videos.downloadContent(video.id);
  assert.equal(clip.headers.get("content-type"), "video/mp4");
  assert.equal((await bytes(clip)).toString("latin1", 4, 8), "ftyp");
  const frame = await client.videos.downloadContent(video.id, { variant: "thumbnail" });
  assert.equal(frame.headers.get("content-type"), "image/jpeg");

  const remix = await finished(await client.videos.remix(video.id, { prompt: "in the rain" }));
  assert.equal(remix.remixed_from_video_id, video.id);

  const ids = [];
  for await (const one of client.videos.list({ limit: 1 })) ids.push(one.id);
  assert.deepEqual(ids.slice(0, 2), [remix.id, video.id]);

  assert.deepEqual(await client.videos.delete(remix.id), { id: remix.id, object: "video.deleted", deleted: true });
  await assert.rejects(client.videos.retrieve(remix.id), { status: 404 });
});

test("a video begins with a picture", async () => {
  const made = await client.images.generate({ prompt: "a red fox", size: "256x256", response_format: "b64_json" });
  const picture = Buffer.from(made.data[0].b64_json, "base64");
  assert.deepEqual(sizeOf(picture), { width: 256, height: 256 });
  const input_reference = await toFile(picture, "fox.png", { type: "image/png" });
  await finished(await client.videos.create({ prompt: "it turns its head", input_reference, ...small }));
  await finished(await client.videos.create({ prompt: "it runs", input_reference: { image_url: await address(), file_id: undefined }, ...small }));
});

// address is that of a picture.
const address = async () => (await client.images.generate({ prompt: "a hen", size: "256x256", response_format: "url" })).data[0].url;

test("what is wrong with a video is named", async () => {
  await assert.rejects(client.videos.create({ prompt: "a fox", size: "huge" }), { status: 400, param: "size" });
  await assert.rejects(client.videos.create({ prompt: "a fox", model: "nothing" }), { status: 404, code: "model_not_found" });
  await assert.rejects(client.videos.downloadContent("nothing"), { status: 404 });
});
