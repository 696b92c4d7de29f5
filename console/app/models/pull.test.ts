import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelFolder, Pull } from "../types";
import { isWatched, show } from "./pull";

const pull: Pull = {
  pullId: "p",
  modelId: "z",
  connectionId: "c",
  modelsDir: "/opt/ComfyUI",
  state: "running",
  bytesTotal: 20e9,
  bytesDone: 5e9,
  bytesPerSecond: 100e6,
  file: "z.safetensors",
  files: [],
  problem: null,
  createdAt: "",
  startedAt: "",
  endedAt: null,
};
const folder = (part: Partial<Pull> | null): ModelFolder => ({
  connectionId: "c",
  name: "rig",
  modelsDir: "/opt/ComfyUI",
  pull: part && { ...pull, ...part },
});

test("a pull that runs says its file, how much has come, how quickly, and how long it takes", () => {
  const shown = show(folder({}));
  assert.equal(
    shown.sentence.replaceAll("\u00a0", " "),
    "z.safetensors: 5.0 GB of 20.0 GB · 100.0 MB/s · 2 min 30 sec left",
  );
  assert.equal(shown.share, 0.25);
  assert.equal(shown.action, "cancel");
  assert.equal(show(folder({ bytesPerSecond: 0 })).sentence, "z.safetensors: 5.0\u00a0GB of 20.0\u00a0GB");
  assert.deepEqual(show(folder({ file: null, bytesTotal: 0 })).share, undefined);
});

test("the button does what the state of the pull allows", () => {
  assert.equal(show(folder(null)).action, "start");
  assert.equal(show(folder({ state: "queued" })).action, "cancel");
  assert.equal(show(folder({ state: "completed" })).action, "again");
  assert.equal(show(folder({ state: "cancelled" })).action, "onward");
  const failed = show(folder({ state: "failed", problem: "There is not enough space." }));
  assert.deepEqual([failed.action, failed.tone, failed.sentence], ["onward", "bad", "There is not enough space."]);
});

test("a pull is read again until it has ended", () => {
  assert.ok(isWatched([folder(null), folder({})]));
  assert.ok(isWatched([folder({ state: "queued" })]));
  assert.ok(!isWatched([folder(null), folder({ state: "completed" }), folder({ state: "failed" })]));
  assert.ok(!isWatched());
});
