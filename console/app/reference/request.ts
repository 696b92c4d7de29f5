// Sending an operation, and showing its answer as it comes.

import { ApiError, send } from "../api";
import { bytes } from "../format";
import { text } from "../texts/reference";
import type { Operation } from "./document";
import { address, headers, isJSON, type Form } from "./samples";

const longest = 400_000; // longer answers are cut

export interface Answer {
  status: string;
  kind: string;
  headers: [string, string][];
  body: string;
  note: string;
  took: string;
}

const interesting = ["Content-Type", "X-Request-Id", "Retry-After", "ETag", "Cache-Control", "Location"];

export async function request(
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
