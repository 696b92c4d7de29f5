// Lists of fields: parameters, bodies and answers.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Chip } from "../parts/chip";
import { text } from "../texts/reference";
import { fields, inner, typeText, view, type Doc, type FieldEntry, type View, type Parameter } from "./schema";

/** Text whose `quoted parts` become code, as descriptions in the API's document write them. */
export function Prose({ children }: { children: string }) {
  return <>{children.split(/`([^`]+)`/).map((part, i) => (i % 2 ? <code key={i}>{part}</code> : part))}</>;
}

// Nested fields open by themselves down to this depth, if they are few.
const openDepth = 2;
const openFields = 14;

interface ListProps {
  doc: Doc;
  v: View;
  /** In requests the required fields are marked; in answers, those that may be absent. */
  request: boolean;
  depth?: number;
  within?: string[];
}

/** The fields of a value, with theirs folded inside. */
export function FieldList({ doc, v, request, depth = 0, within = [] }: ListProps) {
  const objects = inner(doc, v);
  if (objects.length === 0) {
    return (
      <ul class="ref-fields">
        <li>
          <div class="ref-field-head">
            <span class="ref-type">{typeText(doc, v)}</span>
          </div>
          <Facts v={v} />
        </li>
      </ul>
    );
  }
  return (
    <>
      {objects.map((object, i) => (
        <div key={i}>
          {objects.length > 1 && (
            <p class="ref-variant">
              {i > 0 && text.orElse + " "}
              {object.name ? <code>{object.name}</code> : text.anObject}
            </p>
          )}
          <ul class="ref-fields">
            {fields(object).map((field) => (
              <FieldRow
                key={field.name}
                doc={doc}
                field={field}
                request={request}
                depth={depth}
                within={object.name ? [...within, object.name] : within}
              />
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

function FieldRow({
  doc,
  field: { name, schema, spellings, required, either },
  request,
  depth,
  within,
}: {
  doc: Doc;
  field: FieldEntry;
  request: boolean;
  depth: number;
  within: string[];
}) {
  const v = view(doc, schema);
  return (
    <li>
      <div class="ref-field-head">
        <code class="ref-field-name">{name}</code>
        <span class="ref-type">{typeText(doc, v)}</span>
        {request && required && <Chip tone="accent">{text.required}</Chip>}
        {!request && !required && <Chip>{text.optional}</Chip>}
      </div>
      {v.description && (
        <p>
          <Prose>{v.description}</Prose>
        </p>
      )}
      {either.length > 0 && (
        <p class="small muted">
          {text.unless} <Names names={either} />.
        </p>
      )}
      {spellings.length > 0 && (
        <p class="small muted">
          {text.alsoSpelled} <Names names={spellings} />.
        </p>
      )}
      <Facts v={v} />
      <Nested doc={doc} v={v} request={request} depth={depth + 1} within={within} />
    </li>
  );
}

/** A parameter of the path, query or header. */
export function ParameterRow({ doc, parameter }: { doc: Doc; parameter: Parameter }) {
  const v = view(doc, parameter.schema);
  const description = parameter.description || v.description;
  return (
    <li>
      <div class="ref-field-head">
        <code class="ref-field-name">{parameter.name}</code>
        <span class="ref-type">
          {typeText(doc, v)}, {text.place[parameter.in] ?? parameter.in}
        </span>
        {parameter.required && <Chip tone="accent">{text.required}</Chip>}
      </div>
      {description && (
        <p>
          <Prose>{description}</Prose>
        </p>
      )}
      <Facts v={v} />
    </li>
  );
}

/** Default, allowed values and bounds, each only when there is one. */
export function Facts({ v }: { v: Pick<View, "enum" | "const" | "default" | "bounds"> }) {
  const allowed = v.enum ?? (v.const === undefined ? [] : [v.const]);
  return (
    <>
      {allowed.length > 0 && (
        <p class="small">
          <span class="muted">{allowed.length > 1 ? text.oneOf : v.enum ? text.only : text.always}</span>{" "}
          <Names names={allowed.map(literal)} />
        </p>
      )}
      {v.default !== undefined && (
        <p class="small">
          <span class="muted">{text.standard}</span> <code>{literal(v.default)}</code>
        </p>
      )}
      {v.bounds.length > 0 && <p class="small muted">{sentence(v.bounds.join(", "))}</p>}
    </>
  );
}

// Nested fields near the top are open at once; deeper ones, and those of a type that
// contains itself, are drawn when the reader opens them.
function Nested({ doc, v, request, depth, within }: ListProps & { depth: number; within: string[] }) {
  const objects = inner(doc, v);
  if (objects.length === 0) return null;
  const size = objects.reduce((sum, object) => sum + fields(object).length, 0);
  const open = depth <= openDepth && size <= openFields && !objects.some(({ name }) => within.includes(name));
  return (
    <Fold
      open={open}
      class="ref-nested"
      summary={text.fields(size)}
      draw={() => <FieldList doc={doc} v={v} request={request} depth={depth} within={within} />}
    />
  );
}

/** A collapsed section whose content is drawn when it first opens. */
export function Fold({
  summary,
  draw,
  open = false,
  class: name,
}: {
  summary: ComponentChildren;
  draw: () => ComponentChildren;
  open?: boolean;
  class: string;
}) {
  const [drawn, setDrawn] = useState(open);
  return (
    <details class={name} open={open} onToggle={(event) => event.currentTarget.open && setDrawn(true)}>
      <summary>{summary}</summary>
      <div>{drawn && draw()}</div>
    </details>
  );
}

export function Names({ names }: { names: string[] }) {
  return (
    <>
      {names.map((name, i) => (
        <span key={i}>
          {i > 0 && ", "}
          <code>{name}</code>
        </span>
      ))}
    </>
  );
}

function literal(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
