import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsOf, type Window } from "./windows";

const steps = (minutes: number, count: number) =>
  Array.from({ length: count }, (_, i) => new Date(Date.UTC(2026, 2, 1, 9) + i * minutes * 60_000).toISOString());

test("the axis names few steps, at even times", () => {
  const named = (window: Window, list: string[], zone = "UTC") =>
    list.map(stepsOf(window, "en", zone).onAxis).filter((name) => name !== undefined);
  assert.deepEqual(named("hour", steps(1, 60)), ["09:00", "09:15", "09:30", "09:45"]);
  assert.deepEqual(named("day", steps(15, 96)), ["12:00", "18:00", "00:00", "06:00"]);
  assert.equal(named("week", steps(60, 168)).length, 7);
  assert.equal(named("week", steps(60, 168), "Asia/Kolkata").length, 7);
});

test("steps are named by their time, and in a week by their day", () => {
  assert.equal(stepsOf("hour", "en", "UTC").nameOf("2026-03-01T00:05:00Z"), "00:05");
  assert.equal(stepsOf("week", "en-GB", "UTC").nameOf("2026-03-01T14:00:00Z"), "Sun 1 Mar, 14:00");
});
