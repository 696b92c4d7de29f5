import { choose } from "./choose";

export const text = choose({
  en: {
    total: "Sum of these days",
    latest: (day: string) => `Latest: ${day}`,
    table: "As a table",
    day: "Day (UTC)",
    canvas: (title: string) => `${title}: plot. The arrow keys move through the days; the table below has all numbers.`,
  },
});
