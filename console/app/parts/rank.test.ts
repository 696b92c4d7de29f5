import assert from "node:assert/strict";
import { test } from "node:test";
import { words } from "../format";
import { rank } from "./rank";

const tool = (name: string, description = "") => ({ name, description });
const all = [
  tool("generate_video", "Films a text. To animate a picture, use animate_photo."),
  tool("reanimate_scene"),
  tool("photo_animate"),
  tool("animate_photo", "Films a picture."),
];
const found = (term: string) =>
  rank(
    all,
    term,
    ({ name }) => words(name),
    ({ description }) => description,
  ).map(({ name }) => name);

test("a search finds names before descriptions, and the beginning of a name first", () => {
  assert.deepEqual(found("animate"), ["animate_photo", "photo_animate", "reanimate_scene", "generate_video"]);
  assert.deepEqual(found("Animate Photo"), ["animate_photo"]);
  assert.deepEqual(found("animate_photo"), ["animate_photo"]);
  assert.deepEqual(found("films"), ["generate_video", "animate_photo"]);
  assert.deepEqual(found("nothing"), []);
  assert.deepEqual(found(" "), found(""));
  assert.equal(found("").length, all.length);
});
