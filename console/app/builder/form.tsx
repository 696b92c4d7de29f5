// What the forms beside the canvas share.

import { useState } from "preact/hooks";
import { listOf } from "../json";
import { TextField } from "../parts/field";
import type { Edge, Path, StageNode } from "../template/derive";
import type { TemplateInput } from "../template/model";
import type { Tools } from "./connect";
import type { Editor } from "./document";

export interface FormContext {
  editor: Editor;
  tools: Tools;
  stages: StageNode[];
  edges: Edge[];
  inputs: TemplateInput[];
  /** The message for a place, by its path; that something is missing, once it was asked for. */
  errorAt: (path: Path, isAsked?: boolean) => string | undefined;
}

const listText = (value: unknown) => listOf(value).join(", ");
const namesIn = (value: string) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

/** A list of names in one line. What is typed stays as it is until the person leaves the field, so that a comma can be typed. */
export function ListField({
  label,
  help,
  error,
  value,
  onInput,
}: {
  label: string;
  help?: string;
  error?: string;
  value: unknown;
  onInput: (value: string[] | undefined) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const change = (next: string) => {
    setTyped(next);
    onInput(namesIn(next).length ? namesIn(next) : undefined);
  };
  return (
    <div onFocusOut={() => setTyped(undefined)}>
      <TextField label={label} help={help} error={error} value={typed ?? listText(value)} onInput={change} />
    </div>
  );
}
