import assert from "node:assert/strict";
import { test } from "node:test";
import { answering } from "./answering";

test("a model that is offered no more is named, and the default answers", () => {
  const models = ["builtin", "other"];
  assert.deepEqual(answering(models, "stub", "stub"), { model: "", gone: "stub" });
  assert.deepEqual(answering(models, "", "stub"), { model: "", gone: "stub" });
});

test("nothing is said where the person has chosen another one, or nothing has changed", () => {
  const models = ["builtin", "other"];
  for (const [chosen, last] of [
    ["other", "stub"],
    ["other", "other"],
    ["", "builtin"],
    ["", undefined],
  ] as const)
    assert.deepEqual(answering(models, chosen, last), { model: chosen, gone: undefined });
});

test("nothing is known before the models are read", () => {
  assert.deepEqual(answering([], "stub", "stub"), { model: "stub" });
});
