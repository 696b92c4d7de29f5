import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventChartReply } from "../types";
import { readChart } from "./chart";

const chart = (analytics: Record<string, unknown>) => ({ analytics }) as EventChartReply;
const day = 86_400;

test("a chart has the days that were asked for, those without use too", () => {
  const read = readChart(
    chart({ [3 * day]: ["0", "2"], [0]: ["0", "0"], [day]: ["4", "0"], [2 * day]: ["0", "0"] }),
    2,
  );
  assert.deepEqual(read, { days: ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04"], values: [[0, 4, 0, 0], [0, 0, 0, 2]] }); // prettier-ignore
});
