// The shape of a picture or a clip, as buttons.

import { numberOf, textOf } from "../json";
import { Choices } from "../parts/field";
import { text } from "../texts/create";
import { fieldsOf } from "./arguments";
import type { FieldsProps } from "./fields";
import { shapeOf, shapesOf } from "./shapes";

/** The shapes that the model makes. A choice replaces a size that was entered; the exact size is among the settings. */
export function Shape({ tool, model, form, onForm }: FieldsProps) {
  const shapes = shapesOf(fieldsOf(tool, model));
  if (!shapes.length) return null;
  const { width: _w, height: _h, aspectRatio: _a, ...others } = form.values;
  const chosen = textOf(form.values.aspectRatio) || shapeOf(numberOf(form.values.width), numberOf(form.values.height));
  const choose = (shape: string) => onForm({ ...form, values: shape ? { ...others, aspectRatio: shape } : others });
  const offered = ["", ...shapes, ...(chosen && !shapes.includes(chosen) ? [chosen] : [])];
  return (
    <div class="shapes">
      <span class="slot-label" aria-hidden="true">
        {text.shape}
      </span>
      <Choices
        label={text.shape}
        value={chosen}
        onInput={choose}
        options={offered.map((value) => ({ value, label: value ? <Outline shape={value} /> : text.anyShape }))}
      />
    </div>
  );
}

/** A shape with its outline. */
function Outline({ shape }: { shape: string }) {
  const [w, h] = shape.split(":").map(Number);
  const scale = w > 0 && h > 0 ? 13 / Math.max(w, h) : 0;
  return (
    <>
      {scale > 0 && (
        <svg class="shape" width="15" height="15" aria-hidden="true">
          <rect
            x={7.5 - (w * scale) / 2}
            y={7.5 - (h * scale) / 2}
            width={w * scale}
            height={h * scale}
            rx="1.5"
            fill="none"
            stroke="currentColor"
          />
        </svg>
      )}
      {shape}
    </>
  );
}
