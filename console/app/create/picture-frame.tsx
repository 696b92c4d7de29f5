// A picture to work on: pointer and keys give places on it, as shares of its sides.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Unseen } from "../parts/media";
import { text } from "../texts/create";

export interface Place {
  x: number;
  y: number;
}

interface PictureFrameProps {
  url: string;
  label: string;
  /** A pointer is pressed, or the key that acts: where, and whether the other meaning is wanted. */
  onPress: (at: Place, isOther: boolean) => void;
  /** The pointer moves while it is pressed. */
  onDrag?: (at: Place) => void;
  onRelease?: (at: Place) => void;
  onSize?: (width: number, height: number) => void;
  children?: ComponentChildren;
}

const step = 0.02;
const within = (n: number) => Math.min(1, Math.max(0, n));

export function PictureFrame({ url, label, onPress, onDrag, onRelease, onSize, children }: PictureFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  const isPressed = useRef(false);
  const [cursor, setCursor] = useState<Place | null>(null); // of the keys
  const [failed, setFailed] = useState("");
  const placeOf = (event: PointerEvent): Place => {
    const box = frame.current!.getBoundingClientRect();
    return { x: within((event.clientX - box.left) / box.width), y: within((event.clientY - box.top) / box.height) };
  };
  const onKey = (event: KeyboardEvent) => {
    const at = cursor ?? { x: 0.5, y: 0.5 };
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (move) setCursor({ x: within(at.x + move[0] * step), y: within(at.y + move[1] * step) });
    else if (event.key === " " || event.key === "Enter") onPress(at, event.shiftKey);
    else return;
    event.preventDefault();
  };
  if (failed === url) return <Unseen item={{ kind: "image", url }} />;
  return (
    <div
      ref={frame}
      class="picture-frame"
      role="application"
      aria-label={label}
      aria-roledescription={text.frame}
      tabIndex={0}
      onKeyDown={onKey}
      onBlur={() => setCursor(null)}
      onPointerDown={(event) => {
        isPressed.current = true;
        frame.current!.setPointerCapture(event.pointerId);
        onPress(placeOf(event), event.shiftKey);
      }}
      onPointerMove={(event) => isPressed.current && onDrag?.(placeOf(event))}
      onPointerUp={(event) => {
        if (isPressed.current) onRelease?.(placeOf(event));
        isPressed.current = false;
      }}
      onPointerCancel={() => (isPressed.current = false)}>
      <img
        src={url}
        alt=""
        draggable={false}
        onError={() => setFailed(url)}
        onLoad={(event) => onSize?.(event.currentTarget.naturalWidth, event.currentTarget.naturalHeight)}
      />
      {children}
      {cursor && <span class="frame-cursor" style={{ left: `${cursor.x * 100}%`, top: `${cursor.y * 100}%` }} />}
    </div>
  );
}
