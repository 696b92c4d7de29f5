// What is marked on the picture that a tool works on: a mask, or points and boxes.

import lazy, { ErrorBoundary } from "preact-iso/lazy";
import { useState } from "preact/hooks";
import { listOf } from "../json";
import { toastError } from "../parts/toast";
import { text } from "../texts/create";
import { takesMarks } from "./arguments";
import type { Tool } from "./catalog";
import type { Form } from "./form";
import { isPointer } from "./pointer";
import { references, uploadReference } from "./reference";
import type { Box, Point, Spots } from "./spots";

// They are loaded when they are opened: the first page does without them.
const MaskDialog = lazy(() => import("./mask"));
const SpotsDialog = lazy(() => import("./spots-dialog"));

const takes = (tool: Tool, name: string) => tool.arguments.some((a) => a.name === name);

/** The first picture that the form has, but for masks, and its address. */
function pictureOf(tool: Tool, form: Form): { picture: string; url: string } | undefined {
  for (const a of tool.arguments) {
    if (a.media !== "image" || a.aside) continue;
    const held = [form.values[a.name!]].flat().find(isPointer);
    const picture = held && references.value[held.ref];
    const url = picture?.kind === "image" && (picture.url ?? picture.thumbnailUrl);
    if (url) return { picture: picture.id, url };
  }
}

interface PictureToolsProps {
  tool: Tool;
  form: Form;
  onForm: (form: Form) => void;
}

export function PictureTools({ tool, form, onForm }: PictureToolsProps) {
  const [open, setOpen] = useState<"" | "mask" | "spots">("");
  const shown = pictureOf(tool, form);
  const mask = ["mask_image_url", "maskImageIndex"].find((name) => takes(tool, name));
  const painted = mask && [form.values[mask]].flat().find(isPointer);
  const maskPicture = painted && references.value[painted.ref];
  const hasSpots = takesMarks(tool);
  if (!shown || (!mask && !hasSpots)) return null;
  const set = (values: Form["values"]) => {
    onForm({ ...form, values });
    setOpen("");
  };
  const setSpots = ({ points, boxes }: Spots) => {
    // Points and words exclude each other.
    const { points: _p, boxes: _b, text: words, ...others } = form.values;
    set({
      ...others,
      ...(points.length ? { points } : words ? { text: words } : {}),
      ...(boxes.length ? { boxes } : {}),
    });
  };
  return (
    <div class="row">
      {mask && (
        <button type="button" class="quiet" onClick={() => setOpen("mask")}>
          {maskPicture && (
            <img class="mask-thumb" src={maskPicture.url ?? maskPicture.thumbnailUrl ?? undefined} alt="" />
          )}
          {maskPicture ? text.mask.change : text.mask.paint}
        </button>
      )}
      {hasSpots && (
        <button type="button" class="quiet" onClick={() => setOpen("spots")}>
          {text.spots.place}
        </button>
      )}
      <ErrorBoundary
        onError={(error) => {
          toastError(error);
          setOpen("");
        }}>
        {open === "mask" && (
          <MaskDialog
            {...shown}
            onDone={(file: File) => set({ ...form.values, [mask!]: uploadReference(file, "image") })}
            onClose={() => setOpen("")}
          />
        )}
        {open === "spots" && (
          <SpotsDialog
            {...shown}
            spots={{ points: listOf(form.values.points) as Point[], boxes: listOf(form.values.boxes) as Box[] }}
            onDone={setSpots}
            onClose={() => setOpen("")}
          />
        )}
      </ErrorBoundary>
    </div>
  );
}
