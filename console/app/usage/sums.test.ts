import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsagePart } from "../types";
import { sumBy } from "./sums";

const days = ["2026-01-01", "2026-01-02"];
const row = (date: string, modelId: string, jobs: number) => ({ date, modelId, jobs }) as UsagePart;
const jobsOf = (...rows: UsagePart[]) =>
  sumBy(
    rows,
    days,
    (r) => r.modelId,
    (r) => r.jobs,
  );

test("what is alike is added up by day, the most first, and other days are left out", () => {
  assert.deepEqual(
    jobsOf(row(days[0], "a", 1), row(days[1], "b", 2), row(days[1], "b", 3), row("2025-12-31", "a", 9)),
    [
      { label: "b", values: [0, 5] },
      { label: "a", values: [1, 0] },
    ],
  );
});

test("of more than six, the smallest are one", () => {
  const sums = jobsOf(...[7, 6, 5, 4, 3, 2, 1].map((jobs) => row(days[0], `m${jobs}`, jobs)));
  assert.equal(sums.length, 6);
  assert.deepEqual(sums[5].values, [3, 0]);
});
