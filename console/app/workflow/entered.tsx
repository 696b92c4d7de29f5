// What a workflow of a template was started with.

import { encoded } from "../api";
import { words } from "../format";
import { objectOf, textOf } from "../json";
import { Fact } from "../parts/fact";
import type { MediaItem } from "../parts/item";
import { keptValues } from "../template/kept";
import { isMedia, optionsOf, type TemplateInput } from "../template/model";
import { asked, filled, type Values } from "../template/values";
import { text as common } from "../texts/template";
import { text } from "../texts/workflow";
import type { Template } from "../types";
import { enteredIn } from "./inputs";
import type { Workflow } from "./model";
import { Tiles } from "./results";

/** The values that a workflow was started with: all of them where that was here, or those that its steps tell. */
export const valuesOf = (template: Template, workflow: Workflow): Values =>
  filled(template.inputs, keptValues(workflow.workflowId) ?? enteredIn(template, workflow));

/** Where the form of the template is filled in as it was. */
export const inForm = (template: string, workflow: string) => encoded`/templates/${template}?from=${workflow}`;

/** The value of an input. */
export function Entered({ input, value }: { input: TemplateInput; value: unknown }) {
  const list = [value].flat().filter((item) => item !== undefined && item !== "");
  const label = words(input.name);
  if (!list.length) return <>–</>;
  if (isMedia(input.type))
    return (
      <Tiles
        items={list.map((item, i): MediaItem => {
          const url = textOf(item) || textOf(objectOf(item).url);
          return { id: `${input.name} ${i}`, kind: input.type, url, label };
        })}
      />
    );
  const said = (item: unknown) =>
    typeof item === "boolean"
      ? item
        ? common.yes
        : common.no
      : (optionsOf(input).find((option) => option.value === item)?.label ?? String(item));
  return <>{list.map(said).join(" · ")}</>;
}

export function Inputs({ workflow, template }: { workflow: Workflow; template: Template | undefined }) {
  if (!template) return null;
  const values = valuesOf(template, workflow);
  const shown = asked(template.inputs).filter(({ name }) => values[name] !== undefined);
  if (!shown.length) return null;
  return (
    <section class="workflow-inputs stack" aria-label={text.inputs}>
      <header class="row">
        <h2 class="grow">{text.inputs}</h2>
        <a class="small" href={inForm(template.id, workflow.workflowId)}>
          {text.changeInputs}
        </a>
      </header>
      <dl class="facts small">
        {shown.map((input) => (
          <Fact key={input.name} name={words(input.name)}>
            <Entered input={input} value={values[input.name]} />
          </Fact>
        ))}
      </dl>
    </section>
  );
}
