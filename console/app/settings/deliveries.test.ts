import assert from "node:assert/strict";
import { test } from "node:test";
import { isHeld, nextTry, readAgainIn } from "./deliveries";

const now = Date.UTC(2026, 2, 1, 9);
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
const ended = { status: "delivered" as const, attempts: 1, nextAttemptAt: null, endedAt: at(-1) };
const waiting = { ...ended, status: "waiting" as const, endedAt: null };

test("a delivery that is being sent, or is about to be, is read again in a second", () => {
  assert.equal(readAgainIn([ended, { ...waiting, attempts: 0 }], now), 1000);
  assert.equal(readAgainIn([{ ...waiting, status: "sending" }], now), 1000);
  assert.equal(readAgainIn([{ ...waiting, nextAttemptAt: at(-1) }], now), 1000);
});

test("one that is tried again later is read now and then, and one that has ended is not", () => {
  assert.equal(readAgainIn([{ ...waiting, nextAttemptAt: at(60) }], now), 5000);
  assert.equal(readAgainIn([ended], now), undefined);
});

test("a delivery is tried with its webhook, or after it", () => {
  const failing = { failingSince: at(-60), nextAttemptAt: at(120) };
  assert.equal(nextTry({ ...waiting, nextAttemptAt: at(-1) }, failing), Date.parse(at(120)));
  assert.equal(nextTry({ ...waiting, nextAttemptAt: at(300) }, failing), Date.parse(at(300)));
  assert.equal(nextTry({ ...waiting, nextAttemptAt: at(300) }, undefined), Date.parse(at(300)));
});

test("a delivery that was never tried waits for a webhook that fails", () => {
  const untried = { ...waiting, attempts: 0, nextAttemptAt: at(-1) };
  assert.equal(isHeld(untried, { failingSince: at(-60) }), true);
  assert.equal(isHeld(untried, {}), false);
  assert.equal(isHeld({ ...waiting, nextAttemptAt: at(-1) }, { failingSince: at(-60) }), false);
});
