import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "../template/model";
import { findTools, offered } from "./find-tools";

const tool = (name: string, produces: string, description = ""): Tool => ({
  name,
  produces,
  description,
  runs: "worker",
  models: [],
  needs: [],
  arguments: [],
});
const tools = offered(
  new Map(
    [
      tool("edit_image", "image"),
      tool("generate_image", "image"),
      tool("image_to_3d", "model"),
      tool("generate_video", "video", "Makes a clip, from an image too."),
      tool("sound_to_video", "video"),
      tool("generate_music", "audio"),
    ].map((t) => [t.name, t]),
  ),
);
const first = (term: string) => findTools(tools, term)[0]?.name;

test("what makes something of the kind that is typed comes first", () => {
  assert.equal(first("image"), "generate_image");
  assert.equal(first("Imag"), "generate_image");
  assert.equal(first("picture"), "generate_image");
  assert.equal(first("video"), "generate_video");
  assert.equal(first("music"), "generate_music");
});

test("other names are found as they are", () => {
  assert.equal(first("image to"), "image_to_3d");
  assert.equal(first("edit"), "edit_image");
  assert.equal(first("generate_image"), "generate_image");
  assert.equal(first("fold"), undefined);
  assert.equal(tools[0].name, "generate_image");
});
