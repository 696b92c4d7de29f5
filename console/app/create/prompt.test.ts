import assert from "node:assert/strict";
import { test } from "node:test";
import type { Workflow } from "../types";
import { inStyle, promptsOf } from "./prompt";

const workflow = (...prompts: unknown[]) =>
  ({ steps: prompts.map((prompt) => ({ toolName: "generate_image", arguments: { prompt } })) }) as unknown as Workflow;

test("prompts of workflows are listed once, the newest first", () => {
  const made = [workflow("a fox ", 3, undefined), workflow("an owl", "a fox"), workflow("")];
  assert.deepEqual(promptsOf(made, ["generate_image"]), ["a fox", "an owl"]);
  assert.deepEqual(promptsOf(made, ["generate_speech"]), []);
});

test("a style is added to a prompt", () => {
  assert.equal(inStyle("a fox. ", "oil on canvas"), "a fox, oil on canvas");
  assert.equal(inStyle("", "oil on canvas"), "oil on canvas");
});
