import assert from "node:assert/strict";
import { test } from "node:test";
import type { Sample } from "../types";
import type { Tool } from "./catalog";
import { samplesFor } from "./samples";

const sample = (positivePrompt: string, imageURL = "x") => ({ positivePrompt, imageURL }) as Sample;
const tool = { models: [{ modelId: "a" }, { modelId: "b" }, { modelId: "c" }] } as Tool;

test("the chosen model's samples come first, then one of each other model, none twice", () => {
  const gallery = {
    a: [sample("fox"), sample("owl")],
    b: [sample("hen"), sample("cat")],
    c: [sample("fox"), sample("dog")],
    d: [sample("cow")],
  };
  const prompts = (model?: string) => samplesFor(tool, model, gallery).map((s) => s.positivePrompt);
  assert.deepEqual(prompts("b"), ["hen", "cat", "fox"]);
  assert.deepEqual(prompts(), ["fox", "hen"]);
  assert.deepEqual(samplesFor(tool, "a", { a: [sample("", "x"), sample("fox", "")] }), []);
});
