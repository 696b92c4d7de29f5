// Plots of days: stacked bars on a canvas, with the same numbers as a table for screen
// readers and for those who want to read them. Arrow keys move through the days.

import uPlot from "uplot";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { text } from "../texts/plot";
import { isDark } from "../theme";

export interface Series {
  label: string;
  values: number[];
  /** What is shown in place of the label. */
  name?: string;
  /** The name of a colour, where one means something. */
  color?: string;
}

interface PlotProps {
  title: string;
  /** UTC days as YYYY-MM-DD, the earliest first. */
  days: string[];
  series: Series[];
  format: (value: number) => string;
  /** Values are numbers of things: the axis has whole numbers only. */
  isCount?: boolean;
  /** Each value is the state of a day: the legend has the latest, as a sum would mean nothing. */
  isLevel?: boolean;
  /** Called with a series when its name in the legend is pressed. */
  onPick?: (label: string) => void;
}

const colors = ["--accent", "--blue", "--good", "--violet", "--warn", "--soft"];

const colorOf = (series: Series[], index: number) => series[index].color ?? colors[index % colors.length];

/** A colour as a canvas understands it: that of the theme, which the property itself does not say. */
function resolved(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}

const dayFormat = new Intl.DateTimeFormat(document.documentElement.lang || "en", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/** A day of the axis as "18 Oct". */
const dayName = (day: string | undefined) => (day ? dayFormat.format(new Date(day + "T00:00Z")) : "");

/** The steps between the numbers of an axis of things. */
const wholeSteps = Array.from({ length: 10 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

export default function Plot({ title, days, series, format, isCount, isLevel, onPick }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const [at, setAt] = useState<number | null>(null);
  const dark = isDark.value;
  const heading = useId();

  useEffect(() => {
    const element = place.current!;
    const size = () => ({ width: element.clientWidth, height: 190 });
    plot.current = new uPlot(
      options(element, size(), { days, series, format, isCount }, setAt),
      data(days, series),
      element,
    );
    const observer = new ResizeObserver(() => plot.current!.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current!.destroy();
    };
  }, [days, series, dark]);

  const onKey = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    const next = Math.min(days.length - 1, Math.max(0, at === null ? days.length - 1 : at + step));
    setAt(next);
    plot.current!.setCursor({ left: plot.current!.valToPos(next, "x"), top: 0 });
  };

  return (
    <section class="plot" aria-labelledby={heading}>
      <header class="row">
        <h2 id={heading} class="grow">
          {title}
        </h2>
        <span class="small muted" aria-live="polite">
          {at !== null ? dayName(days[at]) : isLevel ? text.latest(dayName(days.at(-1))) : text.total}
        </span>
      </header>
      <div
        ref={place}
        class="plot-canvas"
        tabIndex={0}
        role="group"
        aria-label={text.canvas(title)}
        onKeyDown={onKey}
        onBlur={() => setAt(null)}
      />
      <Legend series={series} at={at ?? (isLevel ? days.length - 1 : null)} format={format} onPick={onPick} />
      <DayTable days={days} series={series} format={format} />
    </section>
  );
}

/** The names of the series, with the value of a day or the sum of all days. */
function Legend({ series, at, format, onPick }: Omit<PlotProps, "title" | "days"> & { at: number | null }) {
  const total = (s: Series) => s.values.reduce((a, b) => a + b, 0);
  return (
    <ul class="legend">
      {series.map((s, i) => (
        <li key={s.label}>
          <i class="swatch" style={{ background: `var(${colorOf(series, i)})` }} />
          {onPick ? (
            <button class="link" onClick={() => onPick(s.label)}>
              {s.name ?? s.label}
            </button>
          ) : (
            (s.name ?? s.label)
          )}
          <span class="tabular muted">{format(at === null ? total(s) : s.values[at])}</span>
        </li>
      ))}
    </ul>
  );
}

function DayTable({ days, series, format }: Pick<PlotProps, "days" | "series" | "format">) {
  return (
    <details>
      <summary class="small">{text.table}</summary>
      <div class="table-scroll" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>{text.day}</th>
              {series.map((s) => (
                <th key={s.label} class="number-cell">
                  {s.name ?? s.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, i) => (
              <tr key={day}>
                <th scope="row">{dayName(day)}</th>
                {series.map((s) => (
                  <td key={s.label} class="number-cell">
                    {format(s.values[i])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

// Series are stacked by drawing sums, the highest first.
function data(days: string[], series: Series[]): uPlot.AlignedData {
  const sums: number[][] = [];
  series.forEach((s, i) => sums.push(s.values.map((value, day) => value + (i ? sums[i - 1][day] : 0))));
  return [days.map((_, i) => i), ...sums.reverse()] as uPlot.AlignedData;
}

function options(
  element: HTMLElement,
  size: { width: number; height: number },
  { days, series, format, isCount }: Pick<PlotProps, "days" | "series" | "format" | "isCount">,
  onMove: (day: number | null) => void,
): uPlot.Options {
  const valueOf = (name: string) => resolved(element, name);
  const axis = {
    stroke: valueOf("--soft"),
    grid: { stroke: valueOf("--line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui",
  };
  return {
    ...size,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [(u) => onMove(u.cursor.idx ?? null)] },
    scales: {
      x: { time: false, range: (_u, min, max) => [min - 0.6, max + 0.6] },
      y: { range: (_u, _min, max) => [0, Math.max(max * 1.08, isCount ? 1 : 1e-9)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_u, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? dayName(days[tick]) : "")),
      },
      { ...axis, size: 56, incrs: isCount ? wholeSteps : undefined, values: (_u, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...series.map((s, i) => ({
        label: s.label,
        fill: valueOf(colorOf(series, series.length - 1 - i)),
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars!({ size: [0.7, 40], radius: 0.1 }),
      })),
    ],
  };
}
