// What is commonly made next from a result.

import type { IconName } from "../parts/icon";
import { text } from "../texts/create";

interface Next {
  tool: string;
  label: string;
  icon: IconName;
}

const words = text.next;
const byKind: Record<string, Next[] | undefined> = {
  image: [
    { tool: "edit_image", label: words.edit, icon: "edit" },
    { tool: "upscale_image", label: words.upscale, icon: "up" },
    { tool: "animate_photo", label: words.animate, icon: "video" },
  ],
  video: [
    { tool: "extend_video", label: words.extend, icon: "right" },
    { tool: "upscale_video", label: words.upscale, icon: "up" },
  ],
};

/** The tools that take a result of a kind further, each with the address of the form that works on it. */
export const nextSteps = (kind: string, artifactId: string, shown: Record<string, string> = {}) =>
  (byKind[kind] ?? []).map(({ tool, label, icon }) => ({
    label,
    icon,
    link: "/?" + new URLSearchParams({ tool, reference: artifactId, ...shown }),
  }));
