// Shapes of pictures, as the ratio of their sides.

import type { Argument, Values } from "../parts/arguments";

const divisor = (a: number, b: number): number => (b ? divisor(b, a % b) : a);

/** The shape of a size, such as 16:9; empty when the size is not known. */
export function shapeOf(width?: number, height?: number): string {
  if (!width || !height || width % 1 || height % 1) return "";
  const by = divisor(width, height);
  return `${width / by}:${height / by}`;
}

/** The shapes to choose from, among the arguments of a tool. */
export const shapesOf = (fields: Argument[]) => fields.find((a) => a.name === "aspectRatio")?.suggestions ?? [];

const ratioOf = (shape: string) => {
  const [width, height] = shape.split(":").map(Number);
  return width / height;
};

/** The values with the shape, of those that are offered, that is nearest to another one; the same ones without a shape. */
export function withShape(values: Values, shape: string, offered: string[]): Values {
  if (!shape || !offered.length) return values;
  const { width: _w, height: _h, ...others } = values;
  const farness = (other: string) => Math.abs(Math.log(ratioOf(other) / ratioOf(shape)));
  return { ...others, aspectRatio: offered.reduce((best, other) => (farness(other) < farness(best) ? other : best)) };
}
