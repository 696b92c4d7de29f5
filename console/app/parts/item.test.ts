import assert from "node:assert/strict";
import { test } from "node:test";
import type { LibraryArtifact } from "../types";
import { libraryItem, nameOf } from "./item";

test("a result without a prompt is called by what made it", () => {
  assert.equal(nameOf({ prompt: "a red fox", toolName: "generate_image" }), "a red fox");
  assert.equal(nameOf({ prompt: "", toolName: "upscale_image" }), "Upscale image");
  assert.equal(libraryItem({ prompt: "", toolName: "upscale_image" } as LibraryArtifact).label, "Upscale image");
});
