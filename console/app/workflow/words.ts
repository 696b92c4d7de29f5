// Sentences of the service as the console says them: with the names of models, the reader's
// times, and what to press in place of what to call.

import { withTimes } from "../format";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/workflow";
import type { StepError } from "../types";

const review = /[^.]*\bsafe_content_filter\b[^.]*\./; // what to call about the content filter

// Names such as sourceImageIndex and source_image_url, but not what is quoted.
const argumentName = /("[^"]*")|\b[a-z]{2,}(?:[A-Z][a-z]+)+\b|\b[a-z]+(?:_[a-z]+)*_urls?\b/g;

const modelId = /[a-z0-9][\w.]*[-_][\w.-]*\w/gi;

/** A message about a workflow or a step. */
export const inWords = (message: string, names: (model: string) => string, label = labelOf) =>
  withTimes(message)
    .replace("confirm or decline it with confirm-cost", text.approveOrDeclineIt)
    .replace(review, (sentence) => /^\s*/.exec(sentence)![0] + text.reviewHelp)
    .replace(argumentName, (name, quoted) => quoted ?? `“${label(name.replace(/_urls?$|Urls?$/, ""))}”`)
    .replace(modelId, names);

/** The step whose result another one lacked, by the message of that failure. */
export const lackedBy = (message: string) => /^It needs a result of the step "([^"]+)"/.exec(message)?.[1];

/** Whether a step failed because of what it was given, which does not change when it is tried again. */
export const isOfInput = ({ classification, message }: Pick<StepError, "classification" | "message">) =>
  classification === "validation" && lackedBy(message) === undefined;

/** Why a model was chosen. "model is z-turbo" names the argument in which a person, or a template, chose it. */
export function reasonInWords(reason: string, model: string, isOfTemplate: boolean): string {
  const chosen = /^\w*[mM]odel is (.+)$/.exec(reason);
  if (chosen) return (isOfTemplate ? text.chosenByTemplate : text.chosen)(model || chosen[1]);
  const usual = /^\S+ is the default (.+)$/.exec(reason);
  if (usual) return text.defaultModel(usual[1]);
  const served = /^\S+ from (.+) is (.+)$/.exec(reason);
  if (served) return served[1] === "no media" ? text.needsNoMedia(served[2]) : text.takesMedia(served[2], served[1]);
  return reason;
}
