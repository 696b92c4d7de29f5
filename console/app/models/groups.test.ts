import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model, Tool } from "../create/catalog";
import { firstTools, grouped, lineOf, search } from "./groups";

const model = (id: string, mediaType: string, tags: string[], parameters: Record<string, unknown>) =>
  ({ id, name: id.replaceAll("_", " "), mediaType, tags, parameters }) as unknown as Model;
const tool = (name: string, ...ids: string[]) =>
  ({ name, models: ids.map((modelId) => ({ modelId, selectors: [] })) }) as unknown as Tool;

const turbo = model("Z-Image_Turbo", "image", ["standard", "fast", "free-tier"], {
  width: { max: 2048 },
  steps: { default: 8 },
});
const pony = model("Pony", "image", ["community"], {});
const film = model("H3_Image", "video", ["new"], {
  requiresStartingImage: true,
  duration: { max: 15.083 },
  outputResolutions: [480, 768],
});
const cut = model("Cutter", "image", [], {});
const all = [film, pony, cut, turbo];
const tools = firstTools([
  tool("generate_image", turbo.id, pony.id),
  tool("remove_background", cut.id),
  tool("generate_video", film.id),
]);

test("models are grouped by what they make", () => {
  assert.deepEqual(
    grouped(all, tools).map(({ key, models }) => [key, models.map((m) => m.id)]),
    [
      ["pictures", [turbo.id]],
      ["community", [pony.id]],
      ["pictureTools", [cut.id]],
      ["fromPictures", [film.id]],
    ],
  );
});

test("a line says what a model makes, and its bounds", () => {
  assert.equal(lineOf(turbo, tools.get(turbo.id)), "Pictures from words, up to 2048\u00a0px, 8\u00a0steps");
  assert.equal(lineOf(film, tools.get(film.id)), "Clips from a picture and words, up to 768p, up to 15\u00a0sec");
  assert.equal(lineOf(cut, tools.get(cut.id)), "Removes the background of pictures");
});

test("models are found by name, tag, and what they make", () => {
  const found = (term: string) => [...search(all, tools, term)].map((m) => m.id);
  assert.deepEqual(found("zimage"), [turbo.id]);
  assert.deepEqual(found("free tier"), [turbo.id]);
  assert.deepEqual(found("background"), [cut.id]);
  assert.deepEqual(found("fast z-image"), [turbo.id]);
  assert.deepEqual(found("fast zimage"), [turbo.id]);
  assert.equal(found("").length, all.length);
});
