import assert from "node:assert/strict";
import test from "node:test";
import { toFile } from "openai";
import { client } from "./client.js";

test("a file is saved, shown to a model, downloaded and deleted", async () => {
  const { data } = await client.images.generate({ prompt: "a red fox", size: "256x256", response_format: "b64_json" });
  const picture = Buffer.from(data[0].b64_json, "base64");
  const file = await client.files.create({ file: await toFile(picture, "fox.png", { type: "image/png" }), purpose: "vision" });
  assert.equal(file.object, "file");
  assert.equal(file.filename, "fox.png");
  assert.equal(file.bytes, picture.length);
  const ids = [];
  for await (const { id } of client.files.list()) ids.push(id);
  assert.ok(ids.includes(file.id));
  const response = await client.responses.create({
    model: "scripted",
    input: [{ role: "user", content: [{ type: "input_text", text: "say I see" }, { type: "input_image", file_id: file.id, detail: "auto" }] }],
  });
  assert.equal(response.status, "completed");
  const content = await client.files.content(file.id);
  assert.deepEqual(Buffer.from(await content.arrayBuffer()), picture);
  assert.equal((await client.files.delete(file.id)).deleted, true);
  await assert.rejects(client.files.retrieve(file.id), { status: 404 });
});
