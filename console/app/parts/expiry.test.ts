import assert from "node:assert/strict";
import { test } from "node:test";
import { expiryOf } from "./expiry";

test("an expiry that was not changed stays, and a day that is chosen lasts to its end", () => {
  assert.equal(expiryOf("2026-12-20", "2026-12-20T01:54:00Z"), "2026-12-20T01:54:00Z");
  assert.equal(expiryOf("2026-12-21", "2026-12-20T01:54:00Z"), "2026-12-21T23:59:59Z");
  assert.equal(expiryOf("2026-12-20"), "2026-12-20T23:59:59Z");
  assert.equal(expiryOf("", "2026-12-20T01:54:00Z"), undefined);
});
