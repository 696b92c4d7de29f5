// Plots over time: stacked bars or lines on a canvas, with the same numbers as a table for screen
// readers and for those who want to read them. Arrow keys move through the steps.

import uPlot from "uplot";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { text } from "../texts/plot";
import { isDark } from "../theme";

export interface Series {
  label: string;
  /** One for each step; null where a step has no value. */
  values: (number | null)[];
  /** What is shown in place of the label. */
  name?: string;
  /** The name of a colour, where one means something. */
  color?: string;
}

/** How the steps of a plot are named. */
export interface Steps {
  /** What a step is, at the head of the table. */
  kind: string;
  /** What the legend says of the sum of all. */
  total: string;
  nameOf: (step: string) => string;
  /** The steps that the axis names, and how; those that fit when absent. */
  onAxis?: (step: string) => string | undefined;
}

interface PlotProps {
  title: string;
  /** The steps, the earliest first: UTC days as YYYY-MM-DD, or what `steps` names. */
  days: string[];
  steps?: Steps;
  series: Series[];
  format: (value: number) => string;
  /** Values are numbers of things: the axis has whole numbers only. */
  isCount?: boolean;
  /** Each value is the state of a step: the legend has the latest, as a sum would mean nothing. */
  isLevel?: boolean;
  /** Each series is a separate line, with gaps where it has no values. */
  isLine?: boolean;
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

const utcDays: Steps = { kind: text.day, total: text.total, nameOf: dayName };

/** The steps between the numbers of an axis of things. */
const wholeSteps = Array.from({ length: 10 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

/** A single day is said in words: one bar in a wide plot looks like a fault. */
export default function Plot(props: PlotProps) {
  const { days, series, steps, isLine } = props;
  const drawn = days.filter((_, i) => series.some((s) => s.values[i]));
  return steps || isLine || drawn.length > 1 ? <Drawn {...props} /> : <Figures {...props} day={drawn[0]} />;
}

function Figures({ day, ...props }: PlotProps & { day?: string }) {
  const { title, series } = props;
  const heading = useId();
  const at = props.isLevel ? lastValue(series) : null;
  return (
    <section class="plot" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <p class="muted">{day ? text.oneDay(dayName(day)) : text.noDay}</p>
      <Legend {...props} at={at} />
      <StepTable {...props} steps={utcDays} />
    </section>
  );
}

function Drawn(props: PlotProps) {
  const { title, days, series, format, isLevel, onPick, steps = utcDays } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const [at, setAt] = useState<number | null>(null);
  const dark = isDark.value;
  const heading = useId();

  useEffect(() => {
    const element = place.current!;
    const size = () => ({ width: element.clientWidth, height: element.clientHeight });
    plot.current = new uPlot(options(element, size(), { ...props, steps }, setAt), data(props), element);
    const observer = new ResizeObserver(() => plot.current!.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current!.destroy();
    };
  }, [days, series, dark]);

  const show = (next: number | null) => {
    setAt(next);
    plot.current!.setCursor({ left: next === null ? -10 : plot.current!.valToPos(next, "x"), top: 0 });
  };
  const onKey = (event: KeyboardEvent) => {
    const last = days.length - 1;
    const to = {
      ArrowRight: (at ?? last) + (at === null ? 0 : 1),
      ArrowLeft: (at ?? last + 1) - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (event.key === "Escape" && at !== null) show(null);
    else if (to !== undefined) show(Math.min(last, Math.max(0, to)));
    else return;
    event.preventDefault();
  };
  const latest = isLevel ? lastValue(series) : null;
  return (
    <section class="plot" aria-labelledby={heading}>
      <header class="row">
        <h2 id={heading} class="grow">
          {title}
        </h2>
        <span class="small muted" aria-live="polite">
          {at !== null
            ? steps.nameOf(days[at])
            : latest !== null
              ? text.latest(steps.nameOf(days[latest]))
              : !isLevel && steps.total}
        </span>
      </header>
      <div
        ref={place}
        class="plot-canvas"
        tabIndex={0}
        role="group"
        aria-label={text.canvas(title)}
        onKeyDown={onKey}
        onBlur={() => show(null)}>
        {at !== null && (
          <Tip plot={plot.current!} at={at}>
            <strong>{steps.nameOf(days[at])}</strong>
            {series.map((s) => (
              <span key={s.label}>
                {s.name ?? s.label} <b class="tabular">{shown(s.values[at], format)}</b>
              </span>
            ))}
          </Tip>
        )}
      </div>
      <Legend series={series} at={at ?? latest} isLevel={isLevel} format={format} onPick={onPick} />
      <StepTable days={days} steps={steps} series={series} format={format} />
    </section>
  );
}

/** The last step that has a value. */
function lastValue(series: Series[]): number | null {
  const last = Math.max(-1, ...series.map((s) => s.values.findLastIndex((value) => value !== null)));
  return last < 0 ? null : last;
}

const shown = (value: number | null, format: (value: number) => string) => (value === null ? "–" : format(value));

/** What a step has, beside the step. The heading and the legend say the same to screen readers. */
function Tip({ plot, at, children }: { plot: uPlot; at: number; children: ComponentChildren }) {
  const left = plot.valToPos(at, "x") + plot.over.offsetLeft;
  const isRight = left > plot.width / 2;
  return (
    <div
      class="plot-tip small"
      aria-hidden="true"
      style={isRight ? { right: `${plot.width - left + 8}px` } : { left: `${left + 8}px` }}>
      {children}
    </div>
  );
}

/** The names of the series, with the value of a step or the sum of all. */
function Legend({
  series,
  at,
  format,
  isLevel,
  onPick,
}: Pick<PlotProps, "series" | "format" | "isLevel" | "onPick"> & { at: number | null }) {
  const total = (s: Series) => s.values.reduce<number>((a, b) => a + (b ?? 0), 0);
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
          <span class="tabular muted">{shown(at !== null ? s.values[at] : isLevel ? null : total(s), format)}</span>
        </li>
      ))}
    </ul>
  );
}

function StepTable({ days, steps, series, format }: Pick<PlotProps, "days" | "series" | "format"> & { steps: Steps }) {
  return (
    <details>
      <summary class="small">{text.table}</summary>
      <div class="table-scroll" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>{steps.kind}</th>
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
                <th scope="row">{steps.nameOf(day)}</th>
                {series.map((s) => (
                  <td key={s.label} class="number-cell">
                    {shown(s.values[i], format)}
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

// Bars are stacked by drawing sums, the highest first.
function data({ days, series, isLine }: PlotProps): uPlot.AlignedData {
  const steps = days.map((_, i) => i);
  if (isLine) return [steps, ...series.map((s) => s.values)];
  const sums: number[][] = [];
  series.forEach((s, i) => sums.push(s.values.map((value, day) => (value ?? 0) + (i ? sums[i - 1][day] : 0))));
  return [steps, ...sums.reverse()];
}

function options(
  element: HTMLElement,
  size: { width: number; height: number },
  { days, series, format, isCount, isLine, steps }: PlotProps & { steps: Steps },
  onMove: (day: number | null) => void,
): uPlot.Options {
  const valueOf = (name: string) => resolved(element, name);
  const axis = {
    stroke: valueOf("--soft"),
    grid: { stroke: valueOf("--line"), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(element).fontFamily}`,
  };
  const named = steps.onAxis && days.flatMap((step, i) => (steps.onAxis!(step) === undefined ? [] : [i]));
  const nameTick = (tick: number) => (Number.isInteger(tick) ? (steps.onAxis ?? steps.nameOf)(days[tick]) : "");
  return {
    ...size,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [(u) => onMove(u.cursor.idx ?? null)] },
    scales: {
      x: { time: false, range: [-0.6, days.length - 0.4] }, // half a step on either side
      y: { range: (_u, _min, max) => [0, isCount ? Math.max(max * 1.08, 1) : max * 1.08 || 1] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        incrs: wholeSteps,
        ...(named && { splits: () => named }),
        values: (_u, ticks) => ticks.map((tick) => nameTick(tick) ?? ""),
      },
      { ...axis, size: 56, incrs: isCount ? wholeSteps : undefined, values: (_u, ticks) => ticks.map(format) },
    ],
    series: [
      {},
      ...series.map((s, i) =>
        isLine
          ? {
              label: s.label,
              stroke: valueOf(colorOf(series, i)),
              width: 2,
              // A value between two gaps has no line.
              points: { size: 5, fill: valueOf(colorOf(series, i)), filter: () => lone(s.values) },
            }
          : {
              label: s.label,
              fill: valueOf(colorOf(series, series.length - 1 - i)),
              width: 0,
              points: { show: false },
              paths: uPlot.paths.bars!({ size: [0.7, 40], radius: 0.1 }),
            },
      ),
    ],
  };
}

/** The steps whose values stand between two gaps. */
const lone = (values: (number | null)[]) =>
  values.flatMap((value, i) => (value !== null && values[i - 1] == null && values[i + 1] == null ? [i] : []));
