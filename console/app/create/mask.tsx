// Paints a mask over a picture: white is changed, black is kept.

import { useEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { text } from "../texts/create";
import { useMarks } from "./marks";
import { PictureFrame, type Place } from "./picture-frame";

const words = text.mask;

/** A stroke of the brush: a line through places, as wide as a share of the picture's width. */
interface Stroke {
  places: Place[];
  width: number;
  isErasing: boolean;
}

function draw(canvas: HTMLCanvasElement, strokes: Stroke[], color: string) {
  const pen = canvas.getContext("2d")!;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.lineCap = pen.lineJoin = "round";
  pen.strokeStyle = color;
  for (const s of strokes) {
    pen.globalCompositeOperation = s.isErasing ? "destination-out" : "source-over";
    pen.lineWidth = s.width * canvas.width;
    pen.beginPath();
    s.places.forEach(({ x, y }, i) => pen[i ? "lineTo" : "moveTo"](x * canvas.width, y * canvas.height));
    if (s.places.length === 1) pen.lineTo(s.places[0].x * canvas.width + 0.01, s.places[0].y * canvas.height);
    pen.stroke();
  }
  pen.globalCompositeOperation = "source-over";
}

/** Stripes of three colours, which are seen on a picture of any colour. They are as wide as a part of the picture. */
function stripes(pen: CanvasRenderingContext2D): CanvasPattern {
  const side = Math.max(8, Math.round(pen.canvas.width / 40));
  const tile = document.createElement("canvas");
  tile.width = tile.height = side;
  const image = tile.getContext("2d")!;
  image.fillStyle = "rgb(230 60 60 / 62%)";
  image.fillRect(0, 0, side, side);
  image.lineWidth = side / 7;
  for (const [color, from] of [
    ["rgb(255 255 255 / 85%)", 0],
    ["rgb(20 16 10 / 85%)", side / 5],
  ] as const) {
    image.strokeStyle = color;
    image.beginPath();
    for (const x of [-side, 0, side]) {
      image.moveTo(from + x - side, 2 * side);
      image.lineTo(from + x + 2 * side, -side);
    }
    image.stroke();
  }
  return pen.createPattern(tile, "repeat")!;
}

/** The strokes as they are shown over the picture. */
function show(canvas: HTMLCanvasElement, strokes: Stroke[]) {
  draw(canvas, strokes, "#fff");
  const pen = canvas.getContext("2d")!;
  pen.globalCompositeOperation = "source-in";
  pen.fillStyle = stripes(pen);
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.globalCompositeOperation = "source-over";
}

/** The mask as a file: white strokes on black, in the size of the picture. */
function fileOf(strokes: Stroke[], width: number, height: number): Promise<File> {
  const strokesOnly = document.createElement("canvas");
  const canvas = document.createElement("canvas");
  for (const c of [strokesOnly, canvas]) [c.width, c.height] = [width, height];
  draw(strokesOnly, strokes, "#fff");
  const pen = canvas.getContext("2d")!;
  pen.fillRect(0, 0, width, height);
  pen.drawImage(strokesOnly, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (png) => (png ? resolve(new File([png], "mask.png", { type: "image/png" })) : reject(new Error(words.failed))),
      "image/png",
    ),
  );
}

interface MaskDialogProps {
  url: string;
  /** Which picture it is, wherever its file is: its strokes are kept until another one is chosen. */
  picture: string;
  onDone: (mask: File) => void;
  onClose: () => void;
}

export default function MaskDialog({ url, picture, onDone, onClose }: MaskDialogProps) {
  const [strokes, setStrokes] = useMarks<Stroke[]>("mask", picture, []);
  const [brush, setBrush] = useState(8);
  const [isErasing, setErasing] = useState(false);
  const [size, setSize] = useState<[number, number]>();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current && size) show(canvas.current, strokes);
  }, [strokes, size]);
  const add = (at: Place) =>
    setStrokes((all) => [...all.slice(0, -1), { ...all[all.length - 1], places: [...all[all.length - 1].places, at] }]);
  const done = async (event: Event) => {
    event.preventDefault();
    event.stopPropagation(); // the form of the page is around it
    onDone(await fileOf(strokes, ...size!));
  };
  return (
    <Dialog title={words.title} onClose={onClose} wide>
      <p class="small muted">
        {words.help} <span class="with-keys">{words.keys}</span>
      </p>
      <PictureFrame
        url={url}
        label={words.picture}
        onSize={(width, height) => setSize([width, height])}
        onPress={(at, isOther) =>
          setStrokes((all) => [...all, { places: [at], width: brush / 100, isErasing: isErasing || isOther }])
        }
        onDrag={add}>
        {size && <canvas ref={canvas} width={size[0]} height={size[1]} aria-hidden="true" />}
      </PictureFrame>
      <form class="row" onSubmit={done}>
        <label class="row">
          {words.brush}
          <input
            type="range"
            min={1}
            max={30}
            value={brush}
            onInput={(event) => setBrush(Number(event.currentTarget.value))}
          />
        </label>
        <button type="button" class="quiet" aria-pressed={isErasing} onClick={() => setErasing(!isErasing)}>
          {words.erase}
        </button>
        <button
          type="button"
          class="quiet"
          disabled={!strokes.length}
          onClick={() => setStrokes((all) => all.slice(0, -1))}>
          {words.undo}
        </button>
        <span class="grow" />
        <button class="primary" disabled={!size || !strokes.some((s) => !s.isErasing)}>
          {words.use}
        </button>
      </form>
    </Dialog>
  );
}
