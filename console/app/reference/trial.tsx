// Trying an operation from the page, with the session of the console.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, send } from "../api";
import { bytes } from "../format";
import { Code } from "../parts/code";
import { ask } from "../parts/dialog";
import { Fact } from "../parts/fact";
import { Failure, Notice } from "../parts/notice";
import { session } from "../session";
import { SignInLink } from "../signin";
import { text } from "../texts/reference";
import type { Operation } from "./document";
import { address, headers, isJSON, type Form } from "./samples";
import { view, type Doc, type Parameter } from "./schema";

const longest = 400_000; // longer answers are cut

/** Files are not sent from here. */
export const canTry = ({ body }: Operation) => !body || isJSON(body.kind);

interface Answer {
  status: string;
  kind: string;
  headers: [string, string][];
  body: string;
  note: string;
  took: string;
}

export function Trial({
  doc,
  operation,
  form,
  onInput,
}: {
  doc: Doc;
  operation: Operation;
  form: Form;
  onInput: (form: Form) => void;
}) {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const [bodyError, setBodyError] = useState("");
  const [running, setRunning] = useState<AbortController | null>(null);
  const current = useRef(running);
  current.current = running;
  useEffect(() => () => current.current?.abort(), []);
  const locked = !operation.isPublic && !session.value;

  const submit = async (event: Event) => {
    event.preventDefault();
    if (running) return running.abort();
    let body: unknown;
    setBodyError("");
    if (form.body.trim()) {
      try {
        body = JSON.parse(form.body);
      } catch (error) {
        return setBodyError(text.notJSON((error as Error).message));
      }
    }
    if (
      operation.method === "DELETE" &&
      !(await ask({
        title: text.askDelete(`DELETE ${address(operation, form.values)}`),
        body: text.askDeleteBody,
        confirm: text.send,
        danger: true,
      }))
    )
      return;
    const abort = new AbortController();
    setRunning(abort);
    setProblem(null);
    setAnswer(null);
    try {
      await request(operation, form, body, abort.signal, setAnswer);
    } catch (error) {
      if (abort.signal.aborted) setAnswer((shown) => shown && { ...shown, note: text.stopped });
      else setProblem(error as Error);
    } finally {
      setRunning(null);
    }
  };
  const set = (name: string, value: string) => onInput({ ...form, values: { ...form.values, [name]: value } });

  return (
    <form class="ref-trial" onSubmit={submit} aria-label={`${text.tryIt}: ${operation.summary}`}>
      <div class="ref-trial-head">
        <h3>{text.tryIt}</h3>
        {!locked && (
          <button class="primary" type="submit">
            {running ? text.stop : text.send}
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
        <div class="ref-control ref-body">
          <label for={`${operation.id}.body`}>{text.body}</label>
          <textarea
            id={`${operation.id}.body`}
            rows={Math.min(16, form.body.split("\n").length + 1)}
            spellcheck={false}
            autocomplete="off"
            value={form.body}
            aria-invalid={bodyError ? true : undefined}
            aria-describedby={bodyError ? `${operation.id}.error` : undefined}
            onInput={(event) => onInput({ ...form, body: event.currentTarget.value })}
          />
          {bodyError && (
            <p class="error-text" role="alert" id={`${operation.id}.error`}>
              {bodyError}
            </p>
          )}
        </div>
      )}
      <div class="ref-output">
        {problem && <Failure error={problem} />}
        {answer && <AnswerView answer={answer} />}
      </div>
    </form>
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

function AnswerView({ answer }: { answer: Answer }) {
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

const interesting = ["Content-Type", "X-Request-Id", "Retry-After", "ETag", "Cache-Control", "Location"];

async function request(
  operation: Operation,
  form: Form,
  body: unknown,
  signal: AbortSignal,
  show: (answer: Answer) => void,
) {
  const started = performance.now();
  const response = await send(operation.method, address(operation, form.values), {
    headers: { Accept: "*/*", ...headers(operation, form.values) },
    body,
    signal,
  });
  const kind = (response.headers.get("Content-Type") ?? "").split(";")[0];
  const answer: Answer = {
    status: `${response.status} ${response.statusText}`.trim(),
    kind,
    body: "",
    note: "",
    took: "",
    headers: interesting.flatMap((name): [string, string][] =>
      response.headers.has(name) ? [[name, response.headers.get(name)!]] : [],
    ),
  };
  let size = 0;
  const draw = (change: Partial<Answer> = {}) =>
    show({ ...answer, took: text.tookTime(Math.round(performance.now() - started), bytes(size)), ...change });
  if (kind && !kind.startsWith("text/") && !/json|xml|javascript/.test(kind)) {
    await response.body?.cancel();
    return draw({ note: text.notShown(kind) });
  }
  draw();
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let content = "";
  let waiting = 0;
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader!.read()) {
      size += next.value.length;
      if (content.length < longest) content += decoder.decode(next.value, { stream: true });
      // A stream is shown as it comes, once a frame.
      if (kind === "text/event-stream")
        waiting ||= requestAnimationFrame(() => {
          waiting = 0;
          draw({ body: cut(content) });
        });
    }
  } catch (error) {
    if (!signal.aborted) throw new ApiError((error as Error).message);
  }
  cancelAnimationFrame(waiting);
  draw({
    body: isJSON(kind) ? pretty(content) : cut(content),
    note: signal.aborted ? text.stopped : size ? "" : text.emptyBody,
  });
}

function pretty(content: string): string {
  try {
    return JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    return cut(content);
  }
}

const cut = (content: string) => (content.length < longest ? content : `${content.slice(0, longest)}\n…`);
