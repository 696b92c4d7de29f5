import assert from "node:assert/strict";
import { test } from "node:test";
import type { GraphInspection } from "../types";
import {
  canTry,
  change,
  empty,
  nameOf,
  readWorkflow,
  request,
  rows,
  saving,
  trial,
  type Change,
  type Draft,
} from "./graph-draft";

const seen: GraphInspection = {
  title: "Harbour",
  tool: "generate_image",
  tools: ["generate_image", "edit_image"],
  format: "api",
  type: "image/png",
  size: "1024x768",
  inputs: [
    { argument: "prompt", targets: ["6.text", "9.text"], node: "Text", value: "a pier", why: "the text" },
    { argument: "steps", targets: ["3.steps"], node: "Sampler", value: "20", why: "stays" },
    { argument: "size", targets: ["5.width", "5.height"], node: "Latent", value: "1024", why: "size" },
  ],
  places: [
    { argument: "prompt", kind: "text" },
    { argument: "seed", kind: "number" },
    { argument: "size", kind: "size" },
    { argument: "sourceImageIndex", kind: "image" },
  ],
  settable: [
    { target: "6.text", node: "Text", kind: "text", value: "a pier" },
    { target: "3.seed", node: "Sampler", kind: "number", value: "1" },
    { target: "5.width", node: "Latent", kind: "number", value: "1024" },
    { target: "5.height", node: "Latent", kind: "number", value: "768" },
    { target: "8.width", node: "Crop", kind: "number", value: "64" },
  ],
  needs: [],
  files: [],
  missingNodes: [],
  findings: [],
  check: { connectionId: null, connection: null, ready: null, lacks: [], message: "" },
};

const after = (...changes: Change[]): Draft => changes.reduce(change, empty);
const chosen: Change = { type: "chosen", file: "My Harbour.json", workflow: { "1": {} } };

test("a file gives the model its name, and another file begins again", () => {
  const d = after(chosen, { type: "titled", title: "Old" }, { type: "placed", argument: "seed", target: "-" });
  assert.equal(d.name, "my_harbour");
  const next = change(d, { type: "chosen", file: "b.json", workflow: {} });
  assert.deepEqual([next.name, next.title, next.set, next.inspection], ["b", "", {}, undefined]);
});

test("names have the form that the service takes", () => {
  for (const [file, name] of [
    ["Été 2.JSON", "t_2"],
    ["../a..b.json", "a.b"],
    ["日本.json", "my_model"],
    ["x".repeat(80), "x".repeat(64)],
  ])
    assert.equal(nameOf(file), name);
});

test("only the answer to the last question is shown", () => {
  const d = after(chosen, { type: "placed", argument: "prompt", target: "6.text" });
  const late = change(d, { type: "inspected", asked: d.asked - 1, inspection: seen });
  assert.equal(late.inspection, undefined);
  assert.equal(change(d, { type: "inspected", asked: d.asked, inspection: seen }).inspection, seen);
  assert.equal(change(d, { type: "failed", asked: d.asked - 1, error: new Error("late") }).error, undefined);
});

test("another tool forgets where arguments went", () => {
  const d = after(chosen, { type: "placed", argument: "seed", target: "3.seed" }, { type: "tool", tool: "edit_image" });
  assert.deepEqual(request(d), { workflow: { "1": {} }, tool: "edit_image", connectionId: undefined, set: undefined });
});

test("what is saved has the name, and no empty title", () => {
  const d = after(chosen, { type: "named", name: " pier " }, { type: "placed", argument: "seed", target: "-" });
  const body = saving(d);
  assert.deepEqual([body.name, body.title, body.set], ["pier", undefined, { seed: "-" }]);
});

test("the table has what was found, and what can be given a place", () => {
  const table = rows(seen, { seed: "3.seed" });
  assert.deepEqual(
    table.map((r) => [r.argument, r.at, r.options.map((o) => o.target)]),
    [
      ["prompt", "6.text,9.text", ["6.text,9.text", "6.text"]],
      ["seed", "3.seed", ["3.seed", "5.width", "5.height", "8.width"]],
      ["size", "5.width,5.height", ["5.width,5.height"]],
      ["sourceImageIndex", "-", []],
      ["steps", "3.steps", []],
    ],
  );
  assert.equal(table[2].value, "1024x768");
});

test("a file that is no workflow is refused with words", () => {
  const words = { notJSON: "no workflow", tooLarge: "too large" };
  assert.deepEqual(readWorkflow('{"a": 1}', words), { a: 1 });
  for (const text of ["", "[]", "null", "{", "3"]) assert.throws(() => readWorkflow(text, words), /no workflow/);
  assert.throws(() => readWorkflow(`{"a": "${"é".repeat(600_000)}"}`, words), /too large/);
});

test("a trial names the model by the argument of its tool, and brings the files that it needs", () => {
  const g = {
    title: "Harbour",
    tool: "animate_photo",
    argument: "videoModel",
    selector: "my-harbour",
    needs: ["sourceImageIndex", "endImageIndex", "videoSourceIndex"],
  } as Parameters<typeof trial>[0];
  const files = { sourceImageIndex: "a", endImageIndex: "b", videoSourceIndex: "c" };
  const body = trial(g, "a pier", files);
  assert.deepEqual(body.input?.steps[0].arguments, {
    prompt: "a pier",
    videoModel: "my-harbour",
    sourceImageIndex: -1,
    endImageIndex: -2,
    videoSourceIndex: -1,
  });
  assert.deepEqual(body.media_references, [
    { kind: "image", url: "a" },
    { kind: "image", url: "b" },
    { kind: "video", url: "c" },
  ]);
  const plain = trial({ ...g, argument: "", needs: [] }, "");
  assert.deepEqual([plain.input?.steps[0].arguments, plain.media_references], [{}, undefined]);
  assert.equal(canTry(g), true);
  assert.equal(canTry({ ...g, needs: ["sourceImageIndex#1"] }), false);
});
