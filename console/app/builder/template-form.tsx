// The form of the template itself.

import { words } from "../format";
import { textOf } from "../json";
import { CheckField, SelectField, TextField } from "../parts/field";
import { categories, stabilities } from "../template/model";
import { text } from "../texts/builder";
import { ListField, type FormContext } from "./form";

export function TemplateForm({ editor, errorAt }: FormContext) {
  const { template, set } = editor;
  const field = (name: string, label: string, multiline = false) => (
    <div data-path={name}>
      <TextField
        label={label}
        multiline={multiline}
        value={typeof template[name] === "string" ? template[name] : ""}
        error={errorAt([name])}
        optional={name !== "name"}
        onInput={(value) => set([name], value === "" && name !== "name" ? undefined : value)}
      />
    </div>
  );
  return (
    <div class="stack">
      <h2>{text.settings}</h2>
      {field("name", text.name)}
      {field("brief", text.brief)}
      {field("description", text.description, true)}
      <SelectField
        label={text.category}
        value={textOf(template.category) || "custom"}
        error={errorAt(["category"])}
        onInput={(value) => set(["category"], value)}
        options={categories.map((value) => ({ value, label: words(value) }))}
      />
      <SelectField
        label={text.stability}
        value={textOf(template.stability) || "experimental"}
        error={errorAt(["stability"])}
        onInput={(value) => set(["stability"], value)}
        options={stabilities.map((value) => ({ value, label: words(value) }))}
      />
      <ListField
        label={text.tags}
        help={text.tagsHelp}
        value={template.tags}
        error={errorAt(["tags"])}
        onInput={(value) => set(["tags"], value ?? [])}
      />
      <CheckField
        label={text.expose}
        value={template.exposeToLLM === true}
        onInput={(value) => set(["exposeToLLM"], value)}
      />
    </div>
  );
}
