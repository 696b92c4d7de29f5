// Making one with a model of a workflow: an ordinary workflow of the account, whose result is shown here.

import { useState } from "preact/hooks";
import { post } from "../api";
import { createLink } from "../create/address";
import { Field, TextField } from "../parts/field";
import { mediaOf } from "../parts/item";
import { Media } from "../parts/media";
import { Failure } from "../parts/notice";
import { useIntent, usePress } from "../press";
import { isOver } from "../status";
import { labelOf } from "../texts/arguments";
import { text } from "../texts/graphs";
import type { Graph } from "../types";
import { progressOf } from "../workflow/model";
import { keepStarted } from "../workflow/started";
import { useWorkflow } from "../workflow/watch";
import { accepted, upload } from "../upload";
import { canTry, kindOfNeed, trial } from "./graph-draft";

export function TryGraph({ graph: g }: { graph: Graph }) {
  const link = createLink({ tool: g.tool, model: g.name });
  if (!g.argument) return <p class="muted">{text.noChoice}</p>;
  if (!canTry(g))
    return (
      <p>
        {text.needsFile} <a href={link}>{text.useInCreate}</a>. <span class="muted">{text.useSoon}</span>
      </p>
    );
  return <TryForm graph={g} link={link} />;
}

function TryForm({ graph: g, link }: { graph: Graph; link: string }) {
  const example = g.inputs.find((i) => i.argument === "prompt");
  const [prompt, setPrompt] = useState(example?.value ?? "");
  const [files, setFiles] = useState<Record<string, File>>({});
  const [busy, setBusy] = useState(false);
  const [workflowId, setWorkflowId] = useState("");
  const [error, setError] = useState<Error>();
  const press = usePress();
  const intend = useIntent();
  const make = async () => {
    const addresses: Record<string, string> = {};
    for (const argument of g.needs) {
      if (!files[argument]) throw new Error(text.missingFile(labelOf(argument)));
      addresses[argument] = (await upload(files[argument])).url;
    }
    const body = trial(g, prompt.trim(), addresses);
    const { workflow } = await intend(JSON.stringify(body), (idempotencyKey) =>
      post("/v1/creative-agent/workflows", body, { idempotencyKey }),
    );
    keepStarted(workflow);
    setWorkflowId(workflow.workflowId);
  };
  const start = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    setBusy(true);
    await press(prompt, make).catch(setError);
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={(e) => void start(e)} noValidate>
      <TextField
        label={text.prompt}
        help={text.tryHelp}
        value={prompt}
        onInput={setPrompt}
        multiline
        maxLength={4000}
      />
      {g.needs.map((argument) => (
        <FileChoice
          key={argument}
          argument={argument}
          onFile={(file) => setFiles((old) => ({ ...old, [argument]: file }))}
        />
      ))}
      {error && <Failure error={error} />}
      <div class="row">
        <button class="primary" disabled={busy}>
          {text.tryIt}
        </button>
        <a href={link}>{text.useInCreate}</a> <span class="muted small">{text.useSoon}</span>
      </div>
      {busy && g.needs.length > 0 && <p role="status">{text.uploading}</p>}
      {workflowId && <Outcome id={workflowId} label={prompt} />}
    </form>
  );
}

function FileChoice({ argument, onFile }: { argument: string; onFile: (file: File) => void }) {
  return (
    <Field label={labelOf(argument)}>
      {(ids) => (
        <input
          {...ids}
          type="file"
          accept={accepted(kindOfNeed(argument))}
          onChange={(e) => e.currentTarget.files?.[0] && onFile(e.currentTarget.files[0])}
        />
      )}
    </Field>
  );
}

function Outcome({ id, label }: { id: string; label: string }) {
  const { workflow, error, retry } = useWorkflow(id);
  if (error) return <Failure error={error} retry={retry} />;
  const made = workflow?.artifacts.find((a) => a.url);
  if (made)
    return (
      <div class="graph-result">
        <Media item={mediaOf(made, label)} />
      </div>
    );
  if (!workflow || !isOver(workflow.status))
    return (
      <div role="status">
        <p class="muted">{(workflow?.steps[0]?.wait ?? workflow?.waiting)?.message ?? text.making}</p>
        <progress class="progress" aria-label={text.making} max={1} value={workflow ? progressOf(workflow) : 0} />
      </div>
    );
  const problem = workflow.steps[0]?.error ?? workflow.error;
  return <Failure error={new Error(problem?.message ?? text.failed)} />;
}
