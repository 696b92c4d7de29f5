// Sums of what was used, and the same as a file for spreadsheets.

import { text } from "../texts/usage";
import type { UsageKey, UsagePart } from "../types";

/** The UTC days of a range, the earliest first. */
export function lastDays(n: number, today = Date.now()): string[] {
  return Array.from({ length: n }, (_, i) => new Date(today - (n - 1 - i) * 86_400_000).toISOString().slice(0, 10));
}

/** The days of a range from the first with a row on; a week at least, as one bar alone says little. */
export function daysOfUse(rows: UsagePart[], n: number, today = Date.now()): string[] {
  const [week] = lastDays(7, today);
  const first = rows.reduce((earliest, { date }) => (date < earliest ? date : earliest), week);
  return lastDays(n, today).filter((day) => day >= first);
}

export function sumBy(
  rows: UsagePart[],
  days: string[],
  key: (row: UsagePart) => string,
  value: (row: UsagePart) => number,
): { label: string; values: number[] }[] {
  const index = new Map(days.map((d, i) => [d, i]));
  const found = new Map<string, number[]>();
  for (const row of rows) {
    const at = index.get(row.date);
    if (at === undefined) continue;
    const name = key(row);
    const values =
      found.get(name) ??
      found
        .set(
          name,
          days.map(() => 0),
        )
        .get(name)!;
    values[at] += value(row);
  }
  const total = (values: number[]) => values.reduce((a, b) => a + b, 0);
  const all = [...found]
    .map(([label, values]) => ({ label, values }))
    .sort((a, b) => total(b.values) - total(a.values));
  if (all.length <= 6) return all;
  const rest = all.slice(5);
  return [
    ...all.slice(0, 5),
    { label: text.other, values: days.map((_, i) => rest.reduce((sum, s) => sum + s.values[i], 0)) },
  ];
}

/** What a plan paid for, by day and model, the latest first: of one model, or of all. */
export function coveredByPlan(rows: UsagePart[], model = "") {
  const found = new Map<string, { date: string; modelId: string; jobs: number; spark: number }>();
  for (const { date, modelId, planJobs, planSpark } of rows) {
    if (planJobs === 0 || (model && modelId !== model)) continue;
    const key = `${date} ${modelId}`;
    const sum = found.get(key) ?? { date, modelId, jobs: 0, spark: 0 };
    found.set(key, { ...sum, jobs: sum.jobs + planJobs, spark: sum.spark + Number(planSpark) });
  }
  return [...found.values()].sort((a, b) => b.date.localeCompare(a.date) || b.spark - a.spark);
}

/** What was used with each key, the largest first. */
export function sumKeys(rows: UsageKey[]) {
  const found = new Map<string, { keyId: string; name: string; jobs: number; spark: number }>();
  for (const { keyId, keyName, jobs, spark } of rows) {
    const sum = found.get(keyId) ?? { keyId, name: keyName, jobs: 0, spark: 0 };
    found.set(keyId, { ...sum, jobs: sum.jobs + jobs, spark: sum.spark + Number(spark) });
  }
  return [...found.values()].sort((a, b) => b.spark - a.spark || b.jobs - a.jobs);
}

/** What a row of the file has. */
export const columns = [
  "date",
  "modelId",
  "network",
  "appSource",
  "jobs",
  "planJobs",
  "spark",
  "planSpark",
  "sparkSpent",
  "paidSparkSpent",
  "svcSpent",
] as const;
