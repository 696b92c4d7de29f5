// The dates of the library: months with jumps, beside the grid; a list on narrow windows.

import { text } from "../texts/library";
import { dayName } from "./grid";
import type { Section } from "./sections";

const monthName = new Intl.DateTimeFormat(document.documentElement.lang || "en", {
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

export function Rail({
  sections,
  date,
  onJump,
}: {
  sections: Section[];
  date: string;
  onJump: (date: string) => void;
}) {
  const months = new Map<string, { first: string; count: number; days: Section[] }>();
  for (const s of sections) {
    const month = months.get(s.date.slice(0, 7)) ?? { first: s.date, count: 0, days: [] };
    month.count += s.count;
    month.days.push(s);
    months.set(s.date.slice(0, 7), month);
  }
  if (sections.length < 2) return null;
  return (
    <nav class="rail" aria-label={text.dates}>
      <label class="rail-select">
        <span class="small">{text.jump}</span>
        <select value={date} onInput={(e) => onJump(e.currentTarget.value)}>
          {sections.slice(0, 400).map((s) => (
            <option key={s.date} value={s.date}>
              {dayName(s.date)}
            </option>
          ))}
        </select>
      </label>
      <ul>
        {[...months].map(([month, m]) => {
          const isHere = date.slice(0, 7) === month;
          return (
            <li key={month}>
              <button aria-current={isHere ? "true" : undefined} onClick={() => onJump(m.first)}>
                {monthName.format(new Date(month + "-15T00:00:00Z"))} <span class="muted small">{m.count}</span>
              </button>
              {isHere && m.days.length > 1 && (
                <span class="rail-days">
                  {m.days.map((s) => (
                    <button
                      key={s.date}
                      aria-label={dayName(s.date)}
                      aria-current={s.date === date ? "true" : undefined}
                      onClick={() => onJump(s.date)}>
                      {Number(s.date.slice(8))}
                    </button>
                  ))}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
