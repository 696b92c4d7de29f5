import { choose } from "./choose";

export const text = choose({
  en: {
    total: "Sum of these days",
    latest: (step: string) => `Latest: ${step}`,
    table: "As a table",
    day: "Day (UTC)",
    canvas: (title: string) =>
      `${title}: plot. The arrow keys move through the values; the table below has all numbers.`,
  },
});
