import { choose } from "./choose";

export const text = choose({
  en: {
    total: "Sum of these days",
    latest: (step: string) => `Latest: ${step}`,
    oneDay: (day: string) => `Only on ${day}:`,
    noDay: "Nothing in this time:",
    table: "As a table",
    day: "Day (UTC)",
    canvas: (title: string) =>
      `${title}: plot. The arrow keys move through the values; the table below has all numbers.`,
  },
});
