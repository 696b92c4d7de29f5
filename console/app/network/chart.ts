// Charts of the analytics.

import type { EventChartReply } from "../types";

/** Turns a chart into days and one list of values for each field. */
export function readChart(chart: EventChartReply, fields: number) {
  const at = (key: string, i: number) => Number([chart.analytics[key]].flat()[i] ?? 0);
  const keys = Object.keys(chart.analytics).sort((a, b) => Number(a) - Number(b));
  return {
    days: keys.map((key) => new Date(Number(key) * 1000).toISOString().slice(0, 10)),
    values: Array.from({ length: fields }, (_, i) => keys.map((key) => at(key, i))),
  };
}
