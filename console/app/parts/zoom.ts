// How much of a picture is seen, and where: enlarged about a point, moved within its place,
// and what a swipe over it means.

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

/** A picture, enlarged from what fits its place and moved from the middle of it. */
export interface View extends Point {
  scale: number;
}

export const fitted: View = { scale: 1, x: 0, y: 0 };

const most = 16;

const within = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value)) || 0;

/** A view whose picture, of some size where it fits, fills as much of its place as it can. */
export const held = ({ scale, x, y }: View, picture: Size, place: Size): View => ({
  scale,
  x: within(x, Math.max(0, (picture.width * scale - place.width) / 2)),
  y: within(y, Math.max(0, (picture.height * scale - place.height) / 2)),
});

/** The view at another scale. What is at a point, measured from the middle of the place, stays there. */
export function zoomed(view: View, scale: number, at: Point, picture: Size, place: Size): View {
  const to = Math.max(1, Math.min(most, scale));
  if (to === 1) return fitted;
  const factor = to / view.scale;
  return held({ scale: to, x: at.x - (at.x - view.x) * factor, y: at.y - (at.y - view.y) * factor }, picture, place);
}

/** Where a swipe by some distance leads: 1 to the next, -1 to the one before, 0 nowhere. */
export const swiped = ({ x, y }: Point): number =>
  Math.abs(x) > 48 && Math.abs(x) > 1.5 * Math.abs(y) ? -Math.sign(x) : 0;
