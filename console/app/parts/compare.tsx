// Two pictures one over the other, with a slider between them.

import { useState } from "preact/hooks";
import { text } from "../texts/shell";
import { Dialog } from "./dialog";
import { SelectField } from "./field";
import type { MediaItem } from "./item";

/** Two pictures one over the other, in the shape of the first. */
export function Slider({ left: a, right: b }: { left: MediaItem; right: MediaItem }) {
  const [share, setShare] = useState(50);
  return (
    <div class="compare" style={{ "--ratio": a.width && a.height ? a.width / a.height : 1, "--share": `${share}%` }}>
      <img src={b.url} alt={text.compare.right(b.label ?? "")} />
      <img class="compare-left" src={a.url} alt={text.compare.left(a.label ?? "")} />
      {a.label && <span class="compare-name cut">{a.label}</span>}
      {b.label && <span class="compare-name of-right cut">{b.label}</span>}
      <input
        type="range"
        min={0}
        max={100}
        value={share}
        aria-label={text.compare.slider}
        onInput={(event) => setShare(Number(event.currentTarget.value))}
      />
    </div>
  );
}

/** Compares pictures of a list. Both are shown in the shape of the first. */
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
  const [left, setLeft] = useState(String(first));
  const [right, setRight] = useState(String(second));
  const options = items.map((item, i) => ({ value: String(i), label: `${i + 1}. ${item.label || item.kind}` }));
  return (
    <Dialog title={text.compare.title} onClose={onClose} wide>
      <Slider left={items[Number(left)]} right={items[Number(right)]} />
      {items.length > 2 && (
        <div class="compare-choices">
          <SelectField label={text.compare.leftSide} value={left} onInput={setLeft} options={options} />
          <SelectField label={text.compare.rightSide} value={right} onInput={setRight} options={options} />
        </div>
      )}
    </Dialog>
  );
}
