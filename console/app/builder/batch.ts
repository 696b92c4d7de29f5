// A stage that runs once, and one that runs for each value of a list.

import { objectOf } from "../json";
import type { TemplateInput } from "../template/model";
import { isListInput } from "./connect";
import type { Json } from "./document";

const workFields = ["tool", "toolName", "args", "arguments", "dependsOn"];

/** A stage that runs once, made into one for each value of a list. */
export function toBatch(stage: Json, inputs: TemplateInput[]): Json {
  const list = inputs.find(isListInput);
  const outer = Object.fromEntries(Object.entries(stage).filter(([name]) => !workFields.includes(name)));
  const itemStage = Object.fromEntries(Object.entries(stage).filter(([name]) => workFields.includes(name)));
  return {
    ...outer,
    type: "batch",
    overBinding: list ? `$inputs.${list.name}` : "",
    itemStage,
    produces: stage.produces ?? [stage.id],
  };
}

export function fromBatch(stage: Json): Json {
  const {
    type,
    overBinding,
    itemName,
    itemStage,
    itemLabelTemplate,
    concurrency,
    partialExecutionEnabled,
    maxAttemptsPerItem,
    ...rest
  } = stage;
  return { ...rest, ...objectOf(itemStage) };
}
