import assert from "node:assert/strict";
import { test } from "node:test";
import { sumOf } from "./waiting";

test("what waits is added up", () => {
  assert.equal(sumOf({}), "");
  assert.equal(sumOf({ filter: "3" }), "3");
  assert.equal(sumOf({ filter: "3", claims: "2" }), "5");
  assert.equal(sumOf({ filter: "50+", claims: "2" }), "52+");
});
