import assert from "node:assert/strict";
import { test } from "node:test";
import { sortFiles } from "./files";

const file = (name: string, type = "") => ({ name, type }) as File;
const [lora, picture, essay] = [file("fox.Safetensors"), file("fox.png", "image/png"), file("essay.txt", "text/plain")];

test("files go to the tab that keeps them, and what belongs to none is told", () => {
  assert.deepEqual(sortFiles([lora]), { tab: "loras", taken: [lora], others: [] });
  assert.deepEqual(sortFiles([picture, essay]), { tab: "uploads", taken: [picture], others: [essay] });
  assert.deepEqual(sortFiles([picture, lora]), { tab: "loras", taken: [lora], others: [picture] });
  assert.deepEqual(sortFiles([essay]), { tab: undefined, taken: [], others: [essay] });
});
