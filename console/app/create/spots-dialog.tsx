// Places points and boxes on a picture, to select what they mark.

import { useRef, useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { text } from "../texts/create";
import { useMarks } from "./marks";
import { PictureFrame, type Place } from "./picture-frame";
import { drawn, withSpot, type Spots } from "./spots";

const words = text.spots;
const share = (n: number) => `${n * 100}%`;

interface SpotsDialogProps {
  url: string;
  /** Which picture it is, wherever its file is. */
  picture: string;
  spots: Spots;
  onDone: (spots: Spots) => void;
  onClose: () => void;
}

export default function SpotsDialog({ url, picture, spots, onDone, onClose }: SpotsDialogProps) {
  // What was marked, with each state before it.
  const [states, setStates] = useMarks("spots", picture, [spots]);
  const all = states[states.length - 1];
  const mark = (next: (old: Spots) => Spots) => setStates((old) => [...old, next(old[old.length - 1])]);
  const isEmpty = !all.points.length && !all.boxes.length;
  const [isNegative, setNegative] = useState(false);
  const [dragged, setDragged] = useState<Place | null>(null);
  const from = useRef<{ at: Place; isOther: boolean } | null>(null);
  const add = (to: Place) => {
    const pressed = from.current;
    from.current = null;
    setDragged(null);
    if (pressed) mark((old) => withSpot(old, drawn(pressed.at, to, isNegative || pressed.isOther)));
  };
  const shown = dragged && from.current ? drawn(from.current.at, dragged, false) : null;
  const boxes = shown && "box" in shown ? [...all.boxes, shown.box] : all.boxes;
  return (
    <Dialog title={words.title} onClose={onClose} wide>
      <p class="small muted">
        {words.help} <span class="with-keys">{words.keys}</span>
      </p>
      <div
        onKeyUp={(event) => {
          const pressed = from.current; // by a key: it is released where it was pressed
          if ((event.key === " " || event.key === "Enter") && pressed) add(pressed.at);
        }}>
        <PictureFrame
          url={url}
          label={words.picture}
          onPress={(at, isOther) => (from.current = { at, isOther })}
          onDrag={setDragged}
          onRelease={add}>
          {boxes.map((b, i) => (
            <span
              key={`b${i}`}
              class="spot-box"
              style={{ left: share(b.x0), top: share(b.y0), width: share(b.x1 - b.x0), height: share(b.y1 - b.y0) }}
            />
          ))}
          {all.points.map((p, i) => (
            <span
              key={`p${i}`}
              class={p.label === "negative" ? "spot negative" : "spot"}
              style={{ left: share(p.x), top: share(p.y) }}
            />
          ))}
        </PictureFrame>
      </div>
      <div class="row">
        <span class="small" role="status">
          {words.count(all.points.length, all.boxes.length)}
        </span>
        <button type="button" class="quiet" aria-pressed={isNegative} onClick={() => setNegative(!isNegative)}>
          {words.exclude}
        </button>
        <button
          type="button"
          class="quiet"
          disabled={states.length < 2}
          onClick={() => setStates((old) => old.slice(0, -1))}>
          {words.undo}
        </button>
        <button type="button" class="quiet" disabled={isEmpty} onClick={() => mark(() => ({ points: [], boxes: [] }))}>
          {words.clear}
        </button>
        <span class="grow" />
        <button type="button" class="primary" disabled={isEmpty} onClick={() => onDone(all)}>
          {words.use}
        </button>
      </div>
    </Dialog>
  );
}
