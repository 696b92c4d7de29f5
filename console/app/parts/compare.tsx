// Media beside each other, and two pictures one over the other with a divider between them.

import type { RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { useListener } from "../hooks";
import { useModelNames } from "../models/names";
import { text } from "../texts/shell";
import { captionsOf } from "./differences";
import { Dialog } from "./dialog";
import { Choices, SelectField } from "./field";
import type { MediaItem } from "./item";
import { Media } from "./media";
import { modals } from "./modal";
import { useZoom } from "./use-zoom";

const said = text.compare;

interface Two {
  left: MediaItem;
  right: MediaItem;
  /** What tells each from the other. */
  captions: string[];
  /** The frame of the picture whose zoom both have. */
  frame?: RefObject<HTMLDivElement>;
}

/** Two pictures one over the other, in the shape of the first; beside each other if one cannot be shown. */
export function Slider({ left: a, right: b, captions, frame }: Two) {
  const [share, setShare] = useState(50);
  const [failed, setFailed] = useState("");
  const both = `${a.url} ${b.url}`;
  if (failed === both) return <Beside left={a} right={b} captions={captions} frame={frame} />;
  return (
    <figure class="compare-figure" style={{ "--ratio": a.width && a.height ? a.width / a.height : 1 }}>
      <figcaption class="compare-names small">
        <span>{captions[0]}</span>
        <span>{captions[1]}</span>
      </figcaption>
      <div
        class="compare"
        style={{ "--share": `${share}%` }}
        ref={frame}
        data-zoom={frame && true}
        onErrorCapture={() => setFailed(both)}>
        <img src={b.url} alt={said.right(captions[1])} />
        <div class="compare-left">
          <img src={a.url} alt={said.left(captions[0])} />
        </div>
        <input
          type="range"
          min={0}
          max={100}
          value={share}
          aria-label={said.slider}
          onInput={(event) => setShare(Number(event.currentTarget.value))}
        />
      </div>
    </figure>
  );
}

function Beside({ left, right, captions, frame }: Two) {
  return (
    <div class="compare-beside">
      {[left, right].map((item, i) => (
        <figure key={item.id}>
          <figcaption class="small">{captions[i]}</figcaption>
          <div class="compare-frame" ref={i ? undefined : frame} data-zoom={item.kind === "image" && frame && true}>
            <Media item={item} />
          </div>
        </figure>
      ))}
    </div>
  );
}

const nowhere = { current: null };

/** Compares media of a list. Two pictures are enlarged together, as one is that is shown large. */
export function CompareDialog({
  items,
  first = 0,
  second = 1,
  onClose,
}: {
  items: MediaItem[];
  first?: number;
  second?: number;
  onClose: () => void;
}) {
  const names = useModelNames();
  const [places, setPlaces] = useState([first, second]);
  const [isBeside, setBeside] = useState(false);
  const [left, right] = places.map((place) => items[place]);
  const captions = captionsOf(items, names, [left, right]);
  const canSlide = left.kind === "image" && right.kind === "image";
  const frame = useRef<HTMLDivElement>(null);
  const { view, percent, measure, toggle, onKey, handlers } = useZoom(
    `${left.url} ${right.url} ${isBeside}`,
    nowhere,
    frame,
    () => {},
  );
  useListener("resize", measure);
  useListener("keydown", (event) => {
    const isOther = event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement;
    if (!isOther && modals.peek().at(-1) === frame.current?.closest("dialog") && onKey(event.key))
      event.preventDefault();
  });
  const options = captionsOf(items, names).map((label, i) => ({ value: String(i), label }));
  return (
    <Dialog title={said.title} onClose={onClose} full>
      {canSlide && (
        <div class="row">
          <Choices
            label={said.view}
            value={isBeside ? "beside" : "slider"}
            onInput={(view) => setBeside(view === "beside")}
            options={[
              { value: "slider", label: said.over },
              { value: "beside", label: said.beside },
            ]}
          />
          {percent !== undefined && (
            <button
              class="quiet tabular with-keys"
              title={text.zoomHelp}
              aria-pressed={view.scale > 1}
              onClick={toggle}>
              {text.zoom(percent)}
            </button>
          )}
        </div>
      )}
      <div
        class={view.scale > 1 ? "compare-zoom enlarged" : "compare-zoom"}
        style={{ "--zoom": `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
        onLoadCapture={measure}
        {...handlers}>
        {canSlide && !isBeside ? (
          <Slider left={left} right={right} captions={captions} frame={frame} />
        ) : (
          <Beside left={left} right={right} captions={captions} frame={frame} />
        )}
      </div>
      {items.length > 2 && (
        <div class="compare-choices">
          <SelectField
            label={said.leftSide}
            value={String(places[0])}
            onInput={(place) => setPlaces([Number(place), places[1]])}
            options={options}
          />
          <SelectField
            label={said.rightSide}
            value={String(places[1])}
            onInput={(place) => setPlaces([places[0], Number(place)])}
            options={options}
          />
        </div>
      )}
    </Dialog>
  );
}
