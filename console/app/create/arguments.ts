// The arguments of a tool as the form shows them.

import { narrow, type Argument } from "../parts/arguments";
import type { Model, Tool } from "./catalog";

const ratios = ["1:1", "4:3", "3:2", "16:9", "21:9", "3:4", "2:3", "9:16"];

/** A name of a tool or an argument within a text. */
export const identifier = /\b[a-z]+(?:_[a-z0-9]+|[A-Z][a-z0-9]+)+\b/g;

/** The arguments of a tool as the form shows them: with the ranges of the model, and without those that have controls of their own. */
export function fieldsOf(tool: Tool, model: Model | undefined): Argument[] {
  return tool.arguments
    .filter((a) => a.name !== tool.modelArgument && a.name !== "loras" && a.name !== "loraStrengths")
    .filter((a) => !a.url || a.aside)
    .filter((a) => !a.name?.startsWith("gptImage") || model?.id.startsWith("gpt-image"))
    .map((a) =>
      narrow(
        a.name === "aspectRatio" ? { ...a, suggestions: model?.parameters.ratios ?? ratios } : limit(a, model),
        model?.parameters,
      ),
    );
}

// The resolutions and the shapes that the model makes.
function limit(a: Argument, model: Model | undefined): Argument {
  const offered: unknown[] | undefined =
    a.name === "targetResolution"
      ? model?.parameters.outputResolutions
      : a.name === "ratio"
        ? model?.parameters.ratios
        : undefined;
  return a.enum && offered ? { ...a, enum: a.enum.filter((v) => offered.includes(v) || v === "adaptive") } : a;
}

/** The text that leads the form: the prompt, or what the tool has instead, also where marks can take its place. */
export function leadOf(tool: Tool): Argument | undefined {
  const isText = (a: Argument) => a.type === "string" && !a.enum && !a.media;
  return (
    tool.arguments.find((a) => a.name === "prompt") ??
    tool.arguments.find((a) => isText(a) && a.required) ??
    tool.arguments.find((a) => isText(a) && a.name === "text")
  );
}

/** Whether a tool works on what its text names, or on what is marked in the picture instead. */
export const takesMarks = (tool: Tool) =>
  ["points", "boxes"].every((name) => tool.arguments.some((a) => a.name === name));
