import assert from "node:assert/strict";
import { test } from "node:test";
import type { Connection } from "../types";
import { addressTyped, draftOf, emptyDraft, modelsOf, readModels, settings, toggle } from "./connection-draft";

const base: Connection = {
  connectionId: "c1",
  kind: "llm",
  name: "gpu",
  from: "database",
  hasKey: true,
  problem: null,
  health: null,
  createdAt: null,
  updatedAt: null,
};

test("models are read a line each, with the server's name after an equals sign", () => {
  assert.deepEqual(readModels(" a \n\nb = c,d"), [
    { id: "a", upstreamId: undefined },
    { id: "b", upstreamId: "c" },
    { id: "d", upstreamId: undefined },
  ]);
});

test("a change keeps what the form does not show", () => {
  const price = { id: "m", vision: true, reasoning: false, pricePerMillionInput: "0.5" };
  const llm = { ...base, llm: { baseUrl: "http://a/v1", extraParams: ["x"], models: [price] } };
  assert.deepEqual(settings(draftOf(llm), llm), {
    llm: { baseUrl: "http://a/v1", protocol: "openai", extraParams: ["x"], models: [price] },
  });
  const other: Connection = { ...base, llm: { baseUrl: "http://a/v1", protocol: "anthropic", models: [price] } };
  assert.deepEqual(settings(draftOf(other), other), { llm: other.llm });
  const vendor: Connection = {
    ...base,
    kind: "vendor",
    vendor: {
      baseUrl: "http://v",
      protocol: "queue",
      adapter: "ark",
      headers: { "X-Team": "art" },
      models: [{ id: "m", upstreamId: "n" }],
    },
  };
  assert.deepEqual(settings(draftOf(vendor), vendor), {
    vendor: {
      baseUrl: "http://v",
      protocol: "queue",
      adapter: "ark",
      headers: { "X-Team": "art" },
      models: [{ id: "m", upstreamId: "n" }],
    },
  });
});

test("without chosen models the server's own are taken", () => {
  assert.deepEqual(settings({ ...emptyDraft(), baseUrl: " http://a " }), {
    llm: { baseUrl: "http://a", protocol: "openai", models: undefined },
  });
});

test("a found model is added with what the server says about it, and removed", () => {
  const found = { id: "m", contextLength: 4096, vision: true, reasoning: false };
  const added = toggle([], found);
  assert.deepEqual(added, [{ id: "m", vision: true, reasoning: false }]);
  assert.deepEqual(toggle(added, found), []);
});

test("the folder of a ComfyUI is kept, and left out when it is empty", () => {
  const comfy: Connection = { ...base, kind: "comfyui", comfyui: { baseUrl: "http://c", modelsDir: "/opt/ComfyUI" } };
  const draft = draftOf(comfy);
  assert.deepEqual(settings(draft, comfy), { comfyui: { baseUrl: "http://c", models: [], modelsDir: "/opt/ComfyUI" } });
  assert.equal(settings({ ...draft, modelsDir: " " }, comfy).comfyui?.modelsDir, undefined);
});

test("the models of a ComfyUI are those that were found", () => {
  const comfy: Connection = { ...base, kind: "comfyui", comfyui: { baseUrl: "http://c" } };
  assert.deepEqual(modelsOf(comfy), []);
  const models = [{ id: "z", contextLength: null, vision: false, reasoning: false }];
  const health = { state: "healthy" as const, message: "", checkedAt: "", baseUrl: "", models };
  assert.deepEqual(modelsOf({ ...comfy, health }), ["z"]);
});

test("an address without a scheme gets the one that its host is likely to speak", () => {
  const cases: [string, string][] = [
    [" http://gpu:8000 ", "http://gpu:8000"],
    ["127.0.0.1:11434", "http://127.0.0.1:11434"],
    ["localhost/v1", "http://localhost/v1"],
    ["192.168.1.7", "http://192.168.1.7"],
    ["[::1]:8188", "http://[::1]:8188"],
    ["gpu:8188/v1", "http://gpu:8188/v1"],
    ["api.openai.com/v1", "https://api.openai.com/v1"],
    ["", ""],
  ];
  for (const [typed, want] of cases) assert.equal(addressTyped(typed), want);
});
