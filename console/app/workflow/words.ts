// Sentences of the service as the console says them: with the names of models, the reader's
// times, and what to press in place of what to call.

import { withTimes } from "../format";
import { text } from "../texts/workflow";

const modelId = /[a-z0-9][\w.]*[-_][\w.-]*\w/gi;

/** A message about a workflow or a step. */
export const inWords = (message: string, names: (model: string) => string) =>
  withTimes(message)
    .replace("confirm or decline it with confirm-cost", text.approveOrDeclineIt)
    .replace(modelId, names);

/** Why a model was chosen. "model is z-turbo" names the argument in which a person chose it. */
export function reasonInWords(reason: string): string {
  const chosen = /^\w*[mM]odel is (.+)$/.exec(reason);
  if (chosen) return text.chosen(chosen[1]);
  const usual = /^\S+ is the default (.+)$/.exec(reason);
  if (usual) return text.defaultModel(usual[1]);
  const served = /^\S+ from (.+) is (.+)$/.exec(reason);
  if (served) return served[1] === "no media" ? text.needsNoMedia(served[2]) : text.takesMedia(served[2], served[1]);
  return reason;
}
