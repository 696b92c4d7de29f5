import assert from "node:assert/strict";
import { test } from "node:test";
import {
  about,
  ago,
  amount,
  bytes,
  duration,
  lasting,
  percent,
  plain,
  price,
  shortWallet,
  sizeLimit,
  span,
  toDate,
  unit,
  words,
} from "./format";

test("an amount is cut, never rounded up", () => {
  const cases: [string | number | null, number, string][] = [
    ["1234567.899", 2, "1,234,567.89"],
    ["0.999999", 2, "0.99"],
    ["-12.50", 2, "-12.5"],
    ["3.000", 2, "3"],
    [7, 2, "7"],
    ["0.123456789", 6, "0.123456"],
    [null, 2, ""],
    ["unknown", 2, "unknown"],
  ];
  for (const [value, places, want] of cases) assert.equal(amount(value, places), want);
});

test("how long something took is in its two largest units", () => {
  const cases: [number, string][] = [
    [0, "0 sec"],
    [0.0004, "1 ms"],
    [0.04, "40 ms"],
    [0.84, "0.8 sec"],
    [9.97, "10 sec"],
    [43, "43 sec"],
    [60, "1 min"],
    [125, "2 min 5 sec"],
    [3 * 3600 + 125, "3 hr 2 min"],
    [86400 * 2 + 60, "2 days"],
  ];
  for (const [seconds, want] of cases) assert.equal(span(seconds), want);
});

test("a price is rounded, and never to nothing", () => {
  const cases: [string | number, string][] = [
    ["20.6668", "20.67"],
    ["1234.5", "1,234.5"],
    [15, "15"],
    ["0.004249", "0.0042"],
    ["0.1", "0.1"],
    [0, "0"],
  ];
  for (const [value, want] of cases) assert.equal(price(value), want);
});

test("times are RFC 3339 text or milliseconds", () => {
  assert.equal(toDate("2026-01-31T12:00:00Z")?.getTime(), 1769860800000);
  assert.equal(toDate("1769860800000")?.getTime(), 1769860800000);
  assert.equal(toDate(""), null);
  assert.equal(toDate("soon"), null);
});

test("an age is in the largest unit that fits, and a clock that is ahead is now", () => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  assert.equal(ago("2026-01-31T11:57:00Z", now), "3 minutes ago");
  assert.equal(ago("2026-01-29T12:00:00Z", now), "2 days ago");
  assert.equal(ago("2026-01-31T12:00:30Z", now), "now");
  assert.equal(lasting("2026-01-31T11:53:00Z", now), "7 minutes");
});

test("a number and its unit stay on one line", () => {
  assert.equal(unit("1.6", "Spark"), "1.6\u00a0Spark");
  assert.equal(percent(0.424), "42\u00a0%");
});

test("durations, sizes and names", () => {
  assert.equal(duration(65), "1:05");
  assert.equal(duration(7384), "2:03:04");
  assert.equal(bytes(999), "999\u00a0B");
  assert.equal(bytes(1_500_000), "1.5\u00a0MB");
  assert.equal(sizeLimit(100 * 2 ** 20), "100\u00a0MiB");
  assert.equal(sizeLimit(100_000_000), "100.0\u00a0MB");
  assert.equal(words("unlimited_pro"), "Unlimited pro");
  assert.equal(words("imageUrl"), "Image URL");
  assert.equal(words("hold LoRA back"), "Hold LoRA back");
  assert.equal(words("generate_3d"), "Generate 3D");
  assert.equal(shortWallet("0x1234567890abcdef"), "0x123456…cdef");
  assert.equal(plain("a\u202eb"), "ab");
});

test("an estimated time has one unit, and is not said to the second", () => {
  assert.deepEqual([0, 3, 12, 61, 150, 4000].map(about), ["5 sec", "5 sec", "15 sec", "2 min", "3 min", "2 hr"]);
});
