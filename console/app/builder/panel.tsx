// The panel beside the drawing: forms, the text of the document, and runs.

import { useLocation } from "preact-iso/router";
import { useLayoutEffect, useRef } from "preact/hooks";
import { encoded } from "../api";
import { Choices } from "../parts/field";
import { Icon } from "../parts/icon";
import { Notice } from "../parts/notice";
import { useQuery } from "../query";
import { inputsId, type StageNode } from "../template/derive";
import type { Values } from "../template/values";
import { text } from "../texts/builder";
import { sourceOfInput, sourceOfStage, type Source } from "./connect";
import { pathText } from "./document";
import type { FormContext } from "./form";
import { InputsForm } from "./input-form";
import { JsonEditor } from "./json";
import { Issues } from "./parts";
import { RunPanel } from "./run";
import { addToSelected, Stages, type Shared } from "./shared";
import { StageForm } from "./stage-form";
import { TemplateForm } from "./template-form";

type Tab = "outline" | "form" | "json" | "issues" | "run";

/** A tab that there is: beside the drawing, the outline and the issues have no tabs. */
export function tabOf(name: string | undefined, isNarrow: boolean): Tab {
  return tabsOf(isNarrow).find((tab) => tab === name) ?? (isNarrow ? "outline" : "form");
}

const tabsOf = (isNarrow: boolean): Tab[] =>
  isNarrow ? ["outline", "form", "json", "issues", "run"] : ["form", "json", "run"];

type PanelProps = Shared & { tab: Tab; isNarrow: boolean; jump: { path: string; at: number } | undefined };

/** What is beside the drawing, or in place of it in a narrow window. */
export function Panel(props: PanelProps) {
  const { saving, graph, checked, watched, selected, jumpTo, tab, isNarrow, jump } = props;
  const { editor, template, isDirty } = saving;
  const { route } = useLocation();
  const [, change] = useQuery();
  const panel = useRef<HTMLDivElement>(null);
  const filled = useRef<Values>();
  const node = graph.stages.find((stage) => stage.id === selected);
  const shownForm = node ? pathText(node.path) : selected;
  useLayoutEffect(() => {
    panel.current!.scrollTop = 0;
  }, [shownForm, tab]);
  const label = (name: Tab) =>
    name === "issues" && checked.issues.length ? (
      <>
        {text.tab.issues} <span class="filter-count">{checked.issues.length}</span>
      </>
    ) : (
      text.tab[name]
    );
  return (
    <div class="builder-panel" ref={panel}>
      <Choices<Tab>
        label={text.tabs}
        value={tab}
        onInput={(value) => change({ tab: value })}
        options={tabsOf(isNarrow).map((name) => ({ value: name, label: label(name) }))}
      />
      {tab === "outline" && (
        <div class="stack">
          {!graph.stages.length && (
            <ol class="builder-steps muted small">
              {text.emptySteps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          )}
          <Stages {...props} />
          <p>
            <button class="quiet" onClick={() => addToSelected(props)}>
              <Icon name="plus" size={16} /> {text.addStage}
            </button>
          </p>
        </div>
      )}
      {tab === "form" && <Form {...props} node={node} />}
      {tab === "json" && <JsonEditor editor={editor} issues={checked.issues} jump={jump} />}
      {isNarrow && editor.problem && <Notice tone="warn">{text.invalid(editor.problem.line)}</Notice>}
      {tab === "issues" && <Issues issues={checked.issues} state={checked.state} onJump={jumpTo} />}
      {tab === "run" && (
        <RunPanel
          template={template}
          inputs={graph.inputs}
          watched={watched}
          isSaved={template !== undefined && !isDirty}
          filled={filled}
          checked={checked}
          onJump={jumpTo}
          store={saving.store}
          onStarted={(workflow, id) => route(encoded`/templates/${id}/edit?tab=run&run=${workflow.workflowId}`, true)}
          onAnother={() => change({ run: undefined })}
        />
      )}
    </div>
  );
}

/** The form of what is selected: a stage, the inputs, or the template. */
function Form({ saving, graph, edits, checked, selected, select, node }: Shared & { node: StageNode | undefined }) {
  const context: FormContext = { ...graph, editor: saving.editor, errorAt: checked.errorAt };
  const connectFrom = (source: Source) => edits.setChoosing({ what: "target", source });
  if (node) {
    return (
      <StageForm
        key={pathText(node.path)}
        context={context}
        node={node}
        onConnect={() => connectFrom(sourceOfStage(node, graph.tools))}
        onRemove={() => edits.remove(node.id)}
        onRemoveEdge={edits.removeEdge}
        onRenamed={select}
      />
    );
  }
  if (selected === inputsId)
    return <InputsForm context={context} onConnect={(input) => connectFrom(sourceOfInput(input))} />;
  return <TemplateForm {...context} />;
}
