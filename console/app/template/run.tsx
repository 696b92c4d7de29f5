// The form that starts a template.

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Price, useEstimate, whyUnpriced } from "../create/price";
import { Failure } from "../parts/notice";
import { usePress } from "../press";
import { text as common } from "../texts/create";
import { text } from "../texts/template";
import type { Estimate, Workflow } from "../types";
import { InputsForm } from "./inputs";
import { fitting, keepValues, keptValues } from "./kept";
import type { TemplateInput } from "./model";
import { problemsOf, useStart } from "./start";
import { filled, initial, lacking, type Values } from "./values";

export function RunForm({
  templateId,
  inputs,
  given,
  onStarted,
  before,
  onValues,
  explain,
}: {
  templateId: string;
  inputs: TemplateInput[];
  onStarted: (workflow: Workflow) => void;
  /** What the form begins with, in place of what was filled in before. */
  given?: Values;
  /** Called before the start: it saves what is not saved, and returns the id to start. */
  before?: () => Promise<string>;
  onValues?: (values: Values) => void;
  /** What is shown of an error that belongs to no input, where it is more than its message. */
  explain?: (error: Error) => ComponentChildren;
}) {
  const [values, setValues] = useState<Values>(() => ({
    ...initial(inputs),
    ...fitting(inputs, given ?? keptValues(templateId) ?? {}),
  }));
  const [missing, setMissing] = useState<Record<string, string>>({});
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const isReady = !before && !Object.keys(lacking(inputs, values)).length;
  const { estimate, error: unknown } = useEstimate(
    isReady ? { workflow_id: templateId, inputs: filled(inputs, values) } : null,
  );
  const unpriced = problemsOf(unknown, inputs, values);
  const refused = problemsOf(error, inputs, values);
  const wrong = { ...unpriced.fields, ...refused.fields, ...missing };
  const isSaid = unknown && (Object.keys(wrong).length > 0 || (error && unpriced.general === refused.general));
  const start = useStart();
  const press = usePress();
  const element = useRef<HTMLFormElement>(null);
  // The first field that is wrong has the focus before the next key.
  const [refusals, askFocus] = useState(0);
  useLayoutEffect(() => {
    if (refusals) element.current?.querySelector<HTMLElement>(firstWrong)?.focus();
  }, [refusals]);
  const change = (next: Values) => {
    setValues(next);
    setMissing({});
    setError(undefined);
    onValues?.(next);
    if (templateId) keepValues(templateId, next);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const lacks = lacking(inputs, values);
    setMissing(lacks);
    setError(undefined);
    if (Object.keys(lacks).length) return askFocus((n) => n + 1);
    const begin = async () => {
      setBusy(true);
      return start(before ? await before() : templateId, filled(inputs, values));
    };
    try {
      const workflow = await press(JSON.stringify(values), begin);
      if (!workflow) return;
      keepValues(workflow.workflowId, values);
      onStarted(workflow);
    } catch (problem) {
      setError(problem as Error);
      askFocus((n) => n + 1);
    }
    setBusy(false);
  };
  return (
    <form
      ref={element}
      class="stack run-form"
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && void submit(event)}>
      <InputsForm inputs={inputs} values={values} onInput={change} errors={wrong} />
      {error && refused.general && (explain?.(error) || <Failure error={error} message={refused.general} />)}
      <footer class="run-foot">
        <div class="grow">
          {before ? (
            <p class="small muted">{text.estimateUnknown}</p>
          ) : (
            <Price
              estimate={estimate && brief(estimate)}
              why={
                !isReady
                  ? common.priceWaits
                  : isSaid
                    ? Object.keys(wrong).length
                      ? common.priceWrong
                      : common.priceUnknown
                    : whyUnpriced(unknown, unpriced.general)
              }
            />
          )}
        </div>
        <button class="primary" aria-disabled={busy}>
          {busy ? text.starting : text.run}
        </button>
      </footer>
    </form>
  );
}

/** What is wrong: a control, or the button of a field that has none. */
const firstWrong = "[aria-invalid], .wrong :is(button, input, select, textarea)";

/** An estimate that says the same about several steps once. */
const brief = (estimate: Estimate): Estimate => ({
  ...estimate,
  warnings: [...new Set(estimate.warnings.map((warning) => warning.replace(/^Step "[^"]*": /, "")))],
});
