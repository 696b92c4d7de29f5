// How the steps of the history are named.

import type { History } from "../types";

export type Window = History["window"];

export const windows: Window[] = ["hour", "day", "week"];

/** The names of the steps of a window, which are times, and of those that the axis names. Tests give a time zone. */
export function stepsOf(window: Window, locale: string, timeZone?: string) {
  const show = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone });
    return (step: string) => format.format(new Date(step));
  };
  const time = show({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const weekday = show({ weekday: "short" });
  const name = window === "week" ? show({ weekday: "short", day: "numeric", month: "short" }) : undefined;
  const onAxis = (step: string) => {
    const [hours, minutes] = time(step).split(":").map(Number);
    switch (window) {
      case "hour":
        return minutes % 15 === 0 ? time(step) : undefined;
      case "day":
        return hours % 6 === 0 && minutes === 0 ? time(step) : undefined;
    }
    return hours === 0 ? weekday(step) : undefined;
  };
  return { nameOf: (step: string) => (name ? `${name(step)}, ${time(step)}` : time(step)), onAxis };
}
