// One operation: parameters and responses on one side, how to call it on the other.

import { useMemo, useState } from "preact/hooks";
import { Chip } from "../parts/chip";
import { Code } from "../parts/code";
import { Choices } from "../parts/field";
import { text } from "../texts/reference";
import type { Content, Operation } from "./document";
import { FieldList, Fold, ParameterRow, Prose } from "./fields";
import { exampleForm, languages, sample, type Language } from "./samples";
import { inner, makeValue, view, type Doc, type View } from "./schema";
import { canTry, Trial } from "./trial";

interface Props {
  doc: Doc;
  operation: Operation;
  language: Language;
  onLanguage: (language: Language) => void;
  /** The body to begin with, in place of the example of the document. */
  body?: unknown;
}

export function OperationSection({ doc, operation, language, onLanguage, body }: Props) {
  const { id, method, path, summary, deprecated, isPublic } = operation;
  const [form, setForm] = useState(() => exampleForm(operation, body));
  // What does not depend on the form is not drawn again with each key.
  const takes = useMemo(() => <Takes doc={doc} operation={operation} />, [doc, operation]);
  const answers = useMemo(() => <Answers doc={doc} responses={operation.responses} />, [doc, operation]);
  const shape = useMemo(() => <Shape doc={doc} success={operation.success} />, [doc, operation]);
  return (
    <section class="ref-operation" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <a href={`#${id}`}>{summary}</a>
      </h2>
      <p class="ref-endpoint">
        <Method method={method} />
        <code class="ref-path">
          <Path path={path} />
        </code>
        {isPublic ? (
          <Chip tone="good">{text.isPublic}</Chip>
        ) : (
          <a class="chip" href="#authentication">
            {text.needsCredential}
          </a>
        )}
        {deprecated && <Chip tone="warn">{text.deprecated}</Chip>}
      </p>
      <div class="ref-columns">
        {takes}
        <div class="ref-calls">
          <div class="ref-sample">
            <Choices
              label={text.language}
              value={language}
              onInput={onLanguage}
              options={languages.map((value) => ({ value, label: text.languages[value] }))}
            />
            <Code
              code={sample(language, operation, location.origin, form)}
              language={language === "curl" ? "bash" : language}
              title={text.languages[language]}
              wrap
            />
          </div>
          {canTry(operation) && <Trial doc={doc} operation={operation} form={form} onInput={setForm} />}
          {shape}
        </div>
        {answers}
      </div>
    </section>
  );
}

function Takes({ doc, operation }: { doc: Doc; operation: Operation }) {
  const { description, parameters, body } = operation;
  if (!description && !body && parameters.length === 0) return null;
  return (
    <div class="ref-takes">
      {description && (
        <p>
          <Prose>{description}</Prose>
        </p>
      )}
      {parameters.length > 0 && <h3>{text.parameters}</h3>}
      {parameters.length > 0 && (
        <ul class="ref-fields">
          {parameters.map((p) => (
            <ParameterRow key={p.name} doc={doc} parameter={p} />
          ))}
        </ul>
      )}
      {body && <Body doc={doc} body={body} />}
    </div>
  );
}

function Answers({ doc, responses }: { doc: Doc; responses: Operation["responses"] }) {
  return (
    <div class="ref-answers">
      <h3>{text.answers}</h3>
      <div class="ref-responses">
        {responses.map((r) => (
          <ResponseRow key={r.status} doc={doc} response={r} />
        ))}
      </div>
    </div>
  );
}

export function Method({ method }: { method: string }) {
  return <span class={`ref-method ref-method-${method.toLowerCase()}`}>{method === "DELETE" ? "DEL" : method}</span>;
}

/** A path that may be broken after a slash, with its parameters set off. */
export function Path({ path }: { path: string }) {
  return (
    <>
      {path
        .split(/(\{\w+\})|(?<=\/)/)
        .filter(Boolean)
        .map((part, i) => (
          <span key={i} class={part.startsWith("{") ? "ref-hole" : undefined}>
            {part}
            {part.endsWith("/") && <wbr />}
          </span>
        ))}
    </>
  );
}

function Body({ doc, body }: { doc: Doc; body: Content }) {
  return (
    <>
      <h3>
        {text.body} <span class="ref-type">{body.kind}</span>
      </h3>
      {body.description && (
        <p>
          <Prose>{body.description}</Prose>
        </p>
      )}
      <FieldList doc={doc} v={view(doc, body.schema)} request />
    </>
  );
}

// The success response is open; errors look alike and are drawn when opened.
function ResponseRow({
  doc,
  response: { status, description, kind, schema },
}: {
  doc: Doc;
  response: Content & { status: string };
}) {
  const head = (
    <>
      <span class={`ref-status ref-status-${status.charAt(0)}`}>{status}</span>
      <span>
        <Prose>{description}</Prose>
      </span>
      {kind && !kind.includes("json") && <code class="ref-type">{kind}</code>}
    </>
  );
  if (!schema || Object.keys(schema).length === 0) return <div class="ref-response">{head}</div>;
  return (
    <Fold
      class="ref-response"
      open={status.startsWith("2")}
      summary={head}
      draw={() => <AnswerFields doc={doc} v={view(doc, schema)} />}
    />
  );
}

// Most answers have the same envelope around data; one line mentions it, so that the
// fields that differ begin at the top.
function AnswerFields({ doc, v }: { doc: Doc; v: View }) {
  const data = v.properties.data;
  const wrapped = data && Object.keys(v.properties).length === 2 && view(doc, v.properties.status).const === "success";
  const within = wrapped ? view(doc, data) : v;
  if (!wrapped || inner(doc, within).length === 0) return <FieldList doc={doc} v={v} request={false} />;
  return (
    <>
      <p class="small muted">
        {text.inData[0]} <code>data</code> {text.inData[1]}
      </p>
      <FieldList doc={doc} v={within} request={false} />
    </>
  );
}

function Shape({ doc, success }: { doc: Doc; success?: Content & { status: string } }) {
  if (!success?.schema || !success.kind.includes("json") || inner(doc, view(doc, success.schema)).length === 0)
    return null;
  return (
    <Code
      code={JSON.stringify(makeValue(doc, success.schema), null, 2)}
      language="json"
      title={text.shape(success.status)}
    />
  );
}
