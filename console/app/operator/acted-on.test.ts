import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionOf } from "./acted-on";

test("an action on a connection has its name", () => {
  const detail = "comfyui Studio at home at http://127.0.0.1:8188";
  assert.equal(connectionOf({ action: "create connection", detail }), "Studio at home");
  assert.equal(connectionOf({ action: "change connection", detail: "comfyui" }), undefined);
  assert.equal(connectionOf({ action: "create graph", detail }), undefined);
});
