// Making one with a model of a workflow: an ordinary workflow of the account, whose result is shown here.

import { useState } from "preact/hooks";
import { post } from "../api";
import { createLink } from "../create/address";
import { TextField } from "../parts/field";
import { mediaOf } from "../parts/item";
import { Media } from "../parts/media";
import { Failure } from "../parts/notice";
import { useIntent, usePress } from "../press";
import { isOver } from "../status";
import { text } from "../texts/graphs";
import type { Graph } from "../types";
import { progressOf } from "../workflow/model";
import { keepStarted } from "../workflow/started";
import { useWorkflow } from "../workflow/watch";
import { trial } from "./graph-draft";

export function TryGraph({ graph: g }: { graph: Graph }) {
  const example = g.inputs.find((i) => i.argument === "prompt");
  const [prompt, setPrompt] = useState(example?.value ?? "");
  const [workflowId, setWorkflowId] = useState("");
  const [error, setError] = useState<Error>();
  const press = usePress();
  const intend = useIntent();
  const start = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    const steps = [{ id: "try", toolName: g.tool, arguments: trial(g, prompt.trim()) }];
    const body = { input: { title: g.title, steps }, app_source: "console" };
    try {
      const made = await press(prompt, () =>
        intend(JSON.stringify(body), (idempotencyKey) =>
          post("/v1/creative-agent/workflows", body, { idempotencyKey }),
        ),
      );
      if (!made) return;
      keepStarted(made.workflow);
      setWorkflowId(made.workflow.workflowId);
    } catch (problem) {
      setError(problem as Error);
    }
  };
  const link = createLink({ tool: g.tool, model: g.name });
  if (g.needs.length)
    return (
      <p>
        {text.needsFile} <a href={link}>{text.useInCreate}</a>. <span class="muted">{text.useSoon}</span>
      </p>
    );
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
      {error && <Failure error={error} />}
      <div class="row">
        <button class="primary">{text.tryIt}</button>
        <a href={link}>{text.useInCreate}</a> <span class="muted small">{text.useSoon}</span>
      </div>
      {workflowId && <Outcome id={workflowId} label={prompt} />}
    </form>
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
