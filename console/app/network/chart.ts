// Charts of the analytics.

import type { EventChartReply } from "../types";

/**
 * Turns a chart into days and one list of values for each field. It begins with the first day that has a value:
 * what came before the service was used says nothing.
 */
export function readChart(chart: EventChartReply, fields: number) {
  const at = (key: string, i: number) => Number([chart.analytics[key]].flat()[i] ?? 0);
  const isUsed = (key: string) => Array.from({ length: fields }, (_, i) => at(key, i)).some((value) => value > 0);
  const all = Object.keys(chart.analytics).sort((a, b) => Number(a) - Number(b));
  const first = all.findIndex(isUsed);
  const keys = first < 0 ? all : all.slice(first);
  return {
    days: keys.map((key) => new Date(Number(key) * 1000).toISOString().slice(0, 10)),
    values: Array.from({ length: fields }, (_, i) => keys.map((key) => at(key, i))),
  };
}
