// Shapes of pictures, as the ratio of their sides.

const divisor = (a: number, b: number): number => (b ? divisor(b, a % b) : a);

/** The shape of a size, such as 16:9; empty when the size is not known. */
export function shapeOf(width?: number, height?: number): string {
  if (!width || !height || width % 1 || height % 1) return "";
  const by = divisor(width, height);
  return `${width / by}:${height / by}`;
}
