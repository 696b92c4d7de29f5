import assert from "node:assert/strict";
import { test } from "node:test";
import { alignSteps, differencesOf, mediaIn } from "./compare";
import type { Step, Workflow } from "./model";

const step = (id: string, toolName: string, args: Record<string, unknown> = {}, seed?: number, model?: string) =>
  ({
    id,
    toolName,
    arguments: args,
    artifacts: [],
    seed,
    generation: model && { selectedModel: model },
  }) as unknown as Step;
const steps = (...ids: string[]) => ids.map((id) => step(id, id[0]));
const ids = (left: Step[], right: Step[]) =>
  alignSteps(left, right).map((p) => `${p.left?.id ?? ""}|${p.right?.id ?? ""}`);

test("steps of one tool stand beside each other, in order", () => {
  assert.deepEqual(ids(steps("a1", "b1", "c1"), steps("a1", "c1")), ["a1|a1", "b1|", "c1|c1"]);
  assert.deepEqual(ids(steps("b1"), steps("a1", "b2", "c1")), ["|a1", "b1|b2", "|c1"]);
  assert.deepEqual(ids(steps("a1"), steps("b1")), ["a1|", "|b1"]);
  assert.deepEqual(ids([], []), []);
});

test("those of one name belong together before those of one tool", () => {
  assert.deepEqual(ids(steps("a2"), steps("a1", "a2")), ["|a1", "a2|a2"]);
});

test("what differs comes first", () => {
  const left = step("a", "t", { prompt: "fox", width: 512, model: "z-turbo", seed: -1 }, 7, "z");
  const right = step("a", "t", { prompt: "hen", width: 512, guidance: 3 }, 7, "z");
  assert.deepEqual(differencesOf({ left, right }), [
    { name: "prompt", left: "fox", right: "hen", differs: true },
    { name: "guidance", left: "", right: "3", differs: true },
    { name: "model", left: "z", right: "z", differs: false },
    { name: "width", left: "512", right: "512", differs: false },
    { name: "seed", left: "7", right: "7", differs: false },
  ]);
  assert.ok(differencesOf({ left }).every((d) => !d.differs)); // there is nothing to compare with
});

test("a size that was not asked for is the one that was used", () => {
  const left = step("a", "t", { width: 512 }, 7, "z");
  const right = { ...step("a", "t", {}, 7, "z"), artifacts: [{ width: 1024, height: 1024 }] } as unknown as Step;
  const width = differencesOf({ left, right }).find((d) => d.name === "width");
  assert.deepEqual(width, { name: "width", left: "512", right: "1024", differs: true });
});

test("media that an argument names by their places are found", () => {
  const picture = (url: string) => ({ kind: "image", url });
  const made = { ...step("draw", "generate_image"), artifacts: [picture("/made")] } as unknown as Step;
  const edit = step("edit", "edit_image", {
    sourceImageIndex: -1,
    referenceImageIndices: [0, -1],
    maskImageIndex: 7,
    prompt: "x",
  });
  const both = { steps: [made, edit], mediaReferences: [picture("/given")] } as unknown as Workflow;
  const urls = (name: string) => mediaIn(both, edit, name)?.map((m) => m.url);
  assert.deepEqual(urls("sourceImageIndex"), ["/given"]);
  assert.deepEqual(urls("referenceImageIndices"), ["/made", "/given"]);
  assert.equal(urls("maskImageIndex"), undefined);
  assert.equal(urls("prompt"), undefined);
});
