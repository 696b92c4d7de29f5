import assert from "node:assert/strict";
import { test } from "node:test";
import { captionsOf } from "./differences";
import type { MediaItem } from "./item";

const item = (change: Partial<MediaItem>): MediaItem => ({
  id: String(change.seed),
  kind: "image",
  url: "/x",
  label: "a red fox",
  modelId: "z",
  width: 512,
  height: 512,
  ...change,
});
const plain = (captions: string[]) => captions.map((caption) => caption.replaceAll("\u00a0", " "));
const name = (id: string) => id.toUpperCase();

test("items with one prompt are told apart by their number and what differs", () => {
  const items = [item({ seed: 1 }), item({ seed: 2 }), item({ seed: 2, modelId: "k", width: 768 })];
  assert.deepEqual(plain(captionsOf(items, name)), [
    "No. 1 · Z · Seed 1 · 512 × 512",
    "No. 2 · Z · Seed 2 · 512 × 512",
    "No. 3 · K · Seed 2 · 768 × 512",
  ]);
  const two = plain(captionsOf(items, name, [items[2], items[1]]));
  assert.deepEqual(two, ["No. 3 · K · 768 × 512", "No. 2 · Z · 512 × 512"]);
  const whale = item({ seed: 1, label: "a blue whale" });
  const other = plain(captionsOf([items[0], whale, items[1]], name, [items[0], whale]));
  assert.deepEqual(other, ["No. 1 · a red fox", "No. 2 · a blue whale"]);
});

test("items that are called differently need no number", () => {
  const items = [item({ seed: 1, label: "Before" }), item({ seed: 1, label: "After" })];
  assert.deepEqual(captionsOf(items, name), ["Before", "After"]);
});
