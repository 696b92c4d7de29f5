import assert from "node:assert/strict";
import { test } from "node:test";
import { unknownSince } from "./known";

const read = Date.UTC(2026, 2, 1, 9);

test("the state is known while the service answers", () => {
  assert.equal(unknownSince(read, read + 45_000, null, false), null);
});

test("the state is unknown since the service could not be reached", () => {
  assert.equal(unknownSince(read, read + 45_000, read + 10_000, true), read + 10_000);
});

test("the state is unknown since it was read, when it cannot be read again", () => {
  assert.equal(unknownSince(read, read + 45_000, null, true), read);
  assert.equal(unknownSince(read, read + 5 * 60_000, null, false), read);
});
