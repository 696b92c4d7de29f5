// Small plots of a history, one for each thing, with a choice of how far back they go.

import { Choices } from "../parts/field";
import { Empty, Failure } from "../parts/notice";
import Plot, { type Series } from "../parts/plot";
import { text } from "../texts/operator";
import { stepsOf, windows, type Window } from "./windows";

const t = text.history;

export interface Shown {
  title: string;
  series: Series[];
  format: (value: number) => string;
  isCount?: boolean;
  /** It is counted by step, and drawn as bars. */
  isSum?: boolean;
}

/** The plots over the steps of a window; none yet while they are loaded. */
export function Multiples({
  window,
  onWindow,
  error,
  reload,
  drawn,
  none,
  help,
}: {
  window: Window;
  onWindow: (window: Window) => void;
  error?: Error;
  reload: () => void;
  /** To be kept between renders: a plot is drawn again when it changes. */
  drawn?: { times: string[]; steps: ReturnType<typeof namesOf>; isEmpty: boolean; plots: Shown[] };
  none: string;
  /** What the plots count. */
  help?: string;
}) {
  return (
    <section class="stack history">
      <header class="row">
        <h2 class="grow">{t.title}</h2>
        <Choices
          label={t.window}
          value={window}
          onInput={(value) => onWindow(value as Window)}
          options={windows.map((value) => ({ value, label: t.windows[value] }))}
        />
      </header>
      {help && <p class="small muted">{help}</p>}
      {error && <Failure error={error} retry={reload} />}
      {!drawn && !error && <div class="waiting tall" />}
      {drawn?.isEmpty && <Empty title={t.none}>{none}</Empty>}
      {drawn && !drawn.isEmpty && (
        <div class="multiples">
          {drawn.plots.map((plot) => (
            <div class="panel" key={plot.title}>
              <Plot
                title={plot.title}
                days={drawn.times}
                steps={drawn.steps}
                series={plot.series}
                format={plot.format}
                isCount={plot.isCount}
                isLevel={!plot.isSum}
                isLine={!plot.isSum}
              />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

/** The names of the steps of a window, in the language of the page. */
export const namesOf = (window: Window) => ({
  kind: t.time,
  total: t.sum,
  ...stepsOf(window, document.documentElement.lang || "en"),
});
