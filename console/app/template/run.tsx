// The form that starts a template.

import { useState } from "preact/hooks";
import { amount } from "../format";
import { Failure } from "../parts/notice";
import { text } from "../texts/template";
import type { Workflow } from "../workflow/model";
import { filled, initial, InputsForm, lacking, type Values } from "./inputs";
import type { TemplateInput } from "./model";
import { problemsOf, useEstimate, useStart, type Estimate } from "./start";

export function RunForm({ templateId, inputs, onStarted, before }: {
  templateId: string; inputs: TemplateInput[]; onStarted: (workflow: Workflow) => void;
  /** Called before the start: it saves what is not saved, and returns the id to start. */
  before?: () => Promise<string>;
}) {
  const [values, setValues] = useState<Values>(() => initial(inputs));
  const [fields, setFields] = useState<Record<string, string>>({});
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const estimate = useEstimate(before ? "" : templateId, inputs, values);
  const start = useStart();
  const submit = async () => {
    const missing = lacking(inputs, values);
    setFields(missing);
    setError(undefined);
    if (Object.keys(missing).length) return;
    setBusy(true);
    try {
      const id = before ? await before() : templateId;
      onStarted(await start(id, filled(inputs, values)));
    } catch (problem) {
      const found = problemsOf(problem);
      setFields(found.fields);
      setError(found.general);
    }
    setBusy(false);
  };
  return (
    <form class="stack run-form" noValidate onSubmit={(event) => { event.preventDefault(); void submit(); }}
      onKeyDown={(event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); void submit(); } }}>
      <InputsForm inputs={inputs} values={values} onInput={(next) => { setValues(next); setFields({}); }} errors={fields} />
      {error && <Failure error={error} />}
      <footer class="run-foot">
        <EstimateLine estimate={estimate} />
        <button class="primary" disabled={busy}>{busy ? text.starting : text.run}</button>
      </footer>
    </form>
  );
}

function EstimateLine({ estimate }: { estimate?: Estimate }) {
  if (!estimate?.cost.spark) return <p class="small muted grow">{text.estimateUnknown}</p>;
  const warnings = (estimate.warnings ?? []).map((warning) => (typeof warning === "string" ? warning : warning.message));
  return (
    <div class="grow">
      <p><span class="muted">{text.estimate}</span> <strong>{amount(estimate.cost.spark)} Spark</strong>{estimate.coveredByPlan && <span class="muted"> {text.covered}</span>}</p>
      {estimate.sufficient === false && <p class="error-text">{text.insufficient}</p>}
      {warnings.map((warning) => <p class="small muted" key={warning}>{warning}</p>)}
    </div>
  );
}
