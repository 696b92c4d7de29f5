// Trying an operation from the page, with the session of the console.

import { useEffect, useRef, useState } from "preact/hooks";
import { Code } from "../parts/code";
import { ask } from "../parts/dialog";
import { Fact } from "../parts/fact";
import { Failure, Notice } from "../parts/notice";
import { session } from "../session";
import { SignInLink } from "../signin";
import { text } from "../texts/reference";
import type { Operation } from "./document";
import { madeBy, type Made } from "./made";
import { request, type Answer } from "./request";
import { address, isJSON, type Form } from "./samples";
import { view, type Doc, type Parameter } from "./schema";

export const bodyId = (operation: string) => `${operation}.body`;

/** Files are not sent from here. */
export const canTry = ({ body }: Operation) => !body || isJSON(body.kind);

interface TrialProps {
  doc: Doc;
  operation: Operation;
  form: Form;
  onInput: (form: Form) => void;
}

export function Trial({ doc, operation, form, onInput }: TrialProps) {
  const { answer, problem, bodyError, isRunning, submit, clear } = useTrial(operation, form);
  const output = useRef<HTMLDivElement>(null);
  const hasAnswer = answer !== null || problem !== null;
  useEffect(() => {
    if (hasAnswer) output.current!.scrollIntoView({ block: "nearest" });
  }, [hasAnswer, isRunning]);
  const locked = !operation.isPublic && !session.value;
  const set = (name: string, value: string) => onInput({ ...form, values: { ...form.values, [name]: value } });
  return (
    <form
      class="ref-trial"
      onSubmit={submit}
      onInvalidCapture={clear}
      aria-label={`${text.tryIt}: ${operation.summary}`}>
      <div class="ref-trial-head">
        <h3>{text.tryIt}</h3>
        {!locked && (
          <button class="primary" type="submit">
            {isRunning ? text.stop : text.send}
          </button>
        )}
      </div>
      {locked ? (
        <p class="small">
          <SignInLink>{text.signIn}</SignInLink> {text.signInFirst}
        </p>
      ) : operation.spends ? (
        <Notice tone="warn">{text.spends}</Notice>
      ) : (
        operation.method !== "GET" && <p class="small muted">{text.changes}</p>
      )}
      {operation.parameters.map((p) => (
        <Control
          key={p.name}
          doc={doc}
          operation={operation}
          parameter={p}
          value={form.values[p.name] ?? ""}
          onInput={(value) => set(p.name, value)}
        />
      ))}
      {operation.body && (
        <BodyField
          id={bodyId(operation.id)}
          value={form.body}
          error={bodyError}
          onInput={(value) => onInput({ ...form, body: value })}
        />
      )}
      <div class="ref-output" ref={output}>
        {problem && <Failure error={problem} />}
        {answer && <AnswerView answer={answer} made={madeBy(operation.method, answer)} />}
      </div>
    </form>
  );
}

/** Sends the operation, one at a time. A second press stops it. */
function useTrial(operation: Operation, form: Form) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const [bodyError, setBodyError] = useState("");
  const [running, setRunning] = useState<AbortController | null>(null);
  const current = useRef(running);
  current.current = running;
  useEffect(() => () => current.current?.abort(), []);

  const isSure = () =>
    operation.method !== "DELETE" ||
    ask({
      title: text.askDelete(`DELETE ${address(operation, form.values)}`),
      body: text.askDeleteBody,
      confirm: text.send,
      danger: true,
    });
  /** An earlier answer would read as that to what is sent now, also when that is refused before it is sent. */
  const clear = () => {
    setBodyError("");
    setProblem(null);
    setAnswer(null);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (running) return running.abort();
    let body: unknown;
    clear();
    if (form.body.trim()) {
      try {
        body = JSON.parse(form.body);
      } catch (error) {
        return setBodyError(text.notJSON((error as Error).message));
      }
    }
    if (!(await isSure())) return;
    const abort = new AbortController();
    setRunning(abort);
    try {
      await request(operation, form, body, abort.signal, setAnswer);
    } catch (error) {
      if (abort.signal.aborted) setAnswer((shown) => shown && { ...shown, note: text.stopped });
      else setProblem(error as Error);
    } finally {
      setRunning(null);
    }
  };
  return { answer, problem, bodyError, isRunning: running !== null, submit, clear };
}

function BodyField({
  id,
  value,
  error,
  onInput,
}: {
  id: string;
  value: string;
  error: string;
  onInput: (value: string) => void;
}) {
  return (
    <div class="ref-control ref-body">
      <label for={id}>{text.body}</label>
      <textarea
        id={id}
        rows={Math.min(16, value.split("\n").length + 1)}
        spellcheck={false}
        autocomplete="off"
        value={value}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}.error` : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {error && (
        <p class="error-text" role="alert" id={`${id}.error`}>
          {error}
        </p>
      )}
    </div>
  );
}

function Control({
  doc,
  operation,
  parameter: { name, required, schema },
  value,
  onInput,
}: {
  doc: Doc;
  operation: Operation;
  parameter: Parameter;
  value: string;
  onInput: (value: string) => void;
}) {
  const v = view(doc, schema);
  const id = `${operation.id}.${name}`;
  const choices = v.enum ?? (v.types[0] === "boolean" ? [true, false] : null);
  return (
    <div class="ref-control">
      <label for={id}>{name}</label>
      {choices ? (
        <select id={id} required={required} value={value} onInput={(event) => onInput(event.currentTarget.value)}>
          <option value="">{v.default === undefined ? text.notSent : text.defaultIs(String(v.default))}</option>
          {choices.map((choice) => (
            <option key={choice} value={String(choice)}>
              {String(choice)}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          required={required}
          value={value}
          autocomplete="off"
          spellcheck={false}
          placeholder={v.default === undefined ? v.types[0] : String(v.default)}
          onInput={(event) => onInput(event.currentTarget.value.trim())}
        />
      )}
    </div>
  );
}

function AnswerView({ answer, made }: { answer: Answer; made?: Made }) {
  const good = answer.status.startsWith("2");
  return (
    <>
      <p class="ref-result" role="status">
        <span class={`ref-status ref-status-${answer.status.charAt(0)}`}>
          <span class="offscreen">{text.status} </span>
          {answer.status}
        </span>
        <span class="small muted">{answer.took}</span>
        {answer.note && <span class="small">{answer.note}</span>}
      </p>
      <dl class="facts small ref-headers" aria-label={text.headers}>
        {answer.headers.map(([name, value]) => (
          <Fact key={name} name={name}>
            <code>{value}</code>
          </Fact>
        ))}
      </dl>
      {made && (
        <p>
          <a class="quiet" href={made.path}>
            {text.openMade[made.kind]}
          </a>
        </p>
      )}
      {answer.body && (
        <Code
          code={answer.body}
          language={isJSON(answer.kind) ? "json" : undefined}
          title={text.answer}
          wrap={!good || !isJSON(answer.kind)}
        />
      )}
    </>
  );
}
