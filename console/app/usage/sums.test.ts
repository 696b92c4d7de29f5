import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsagePart } from "../types";
import { coveredByPlan, daysOfUse, sumBy } from "./sums";

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

test("the days of a range begin with the first use, or a week ago", () => {
  const today = Date.parse("2026-01-31T12:00:00Z");
  const used = [row("2026-01-30", "a", 1), row("2026-01-22", "b", 1)];
  assert.equal(daysOfUse(used, 30, today)[0], "2026-01-22");
  assert.equal(daysOfUse(used.slice(0, 1), 30, today)[0], "2026-01-25");
  assert.deepEqual(daysOfUse(used, 2, today), ["2026-01-30", "2026-01-31"]);
});

test("of more than six, the smallest are one", () => {
  const sums = jobsOf(...[7, 6, 5, 4, 3, 2, 1].map((jobs) => row(days[0], `m${jobs}`, jobs)));
  assert.equal(sums.length, 6);
  assert.deepEqual(sums[5].values, [3, 0]);
});

test("what a plan covers is added up by day and model, the latest first", () => {
  const covered = (date: string, modelId: string, planJobs: number, planSpark: string) =>
    ({ date, modelId, planJobs, planSpark }) as UsagePart;
  const rows = [
    covered(days[0], "a", 1, "1.500000"),
    covered(days[1], "b", 2, "2.000000"),
    covered(days[1], "b", 1, "0.250000"),
    covered(days[1], "c", 0, "0.000000"),
  ];
  assert.deepEqual(coveredByPlan(rows), [
    { date: days[1], modelId: "b", jobs: 3, spark: 2.25 },
    { date: days[0], modelId: "a", jobs: 1, spark: 1.5 },
  ]);
  assert.deepEqual(coveredByPlan(rows, "a"), [{ date: days[0], modelId: "a", jobs: 1, spark: 1.5 }]);
});
