import assert from "node:assert/strict";
import { test } from "node:test";
import type { LibraryArtifact } from "../types";
import { elsewhere, libraryItem, nameOf } from "./item";

test("a result without a prompt is called by what made it", () => {
  assert.equal(nameOf({ prompt: "a red fox", toolName: "generate_image" }), "a red fox");
  assert.equal(nameOf({ prompt: "", toolName: "upscale_image" }), "Upscale image");
  assert.equal(libraryItem({ prompt: "", toolName: "upscale_image" } as LibraryArtifact).label, "Upscale image");
});

test("a file of another site is named by its host and its name", () => {
  const page = "https://studio.example/library";
  assert.equal(elsewhere("/storage/a.png", page), undefined);
  assert.equal(elsewhere("https://studio.example/storage/a.png", page), undefined);
  assert.equal(elsewhere("blob:https://studio.example/1", page), undefined);
  assert.equal(elsewhere("https://other.example/fox.png?width=3", page), "other.example/fox.png");
  assert.equal(elsewhere("https://other.example/pictures/old/fox.png", page), "other.example/…/fox.png");
  assert.equal(elsewhere("https://other.example/", page), "other.example");
  const own = ["https://store.example:9000"];
  assert.equal(elsewhere("https://store.example:9000/a.png?signed", page, own), undefined);
  assert.equal(elsewhere("https://store.example/a.png", page, own), "store.example/a.png");
});
