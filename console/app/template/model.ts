// Questions about templates and tools.

import { isObject, listOf, numberOf, objectOf, textOf } from "../json";
import type { Argument as SchemaArgument } from "../parts/arguments";
import type { Template, ToolEntry } from "../types";

export type TemplateInput = Template["inputs"][number];

/** The inputs of a document. A part that is missing or wrong is found when it is checked. */
export const inputsOf = (document: Record<string, unknown>) =>
  listOf(document.inputs).map((input) => objectOf(input) as Partial<TemplateInput> as TemplateInput);

export const inputTypes: TemplateInput["type"][] = ["text", "image", "video", "audio", "number", "select", "boolean"];

export const categories = ["portrait", "video-social", "makeover", "cinematic", "music", "analysis", "custom", "other"];
/** Reports whether a category says what a template is for. */
export const says = (category: string) => category !== "other" && category !== "custom";
export const stabilities = ["experimental", "beta", "production"];

export function pictureOf(template: Template): string | undefined {
  const shown = listOf(template.previewArtifacts)
    .map(objectOf)
    .find((artifact) => artifact.posterUrl || artifact.mediaType === "image");
  return template.thumbnailUrl || textOf(shown?.posterUrl) || textOf(shown?.url) || undefined;
}

export const isMedia = (type: string) => type === "image" || type === "video" || type === "audio";

/** The bounds of a list of values, or undefined for an input with one value. */
export function boundsOf(input: TemplateInput): { min: number; max: number } | undefined {
  if (!input.multiple) return undefined;
  const { min, max } = objectOf(input.multiple);
  return { min: numberOf(min) ?? 0, max: numberOf(max) ?? 64 };
}

/** The options of an input: values alone, or with labels. */
export const optionsOf = (input: TemplateInput): { value: unknown; label: string }[] =>
  listOf(input.options).map((option) =>
    isObject(option)
      ? { value: option.value, label: textOf(option.label) || String(option.value) }
      : { value: option, label: String(option) },
  );

/** One argument of a tool. */
export type Argument = SchemaArgument & { name: string };

/** A tool as the builder uses it: its arguments have names. */
export type Tool = Omit<ToolEntry, "arguments"> & { arguments: Argument[] };
