// The text of the document, with its lines numbered and marked.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { text } from "../texts/builder";
import { lineAt, parsePath, rangeOf, typing, type Editor, type Issue } from "./document";

const pause = 150;
const lineHeight = 20;

export function JsonEditor({
  editor,
  issues,
  jump,
}: {
  editor: Editor;
  issues: Issue[];
  jump?: { path: string; at: number };
}) {
  const [draft, setDraft] = useState(editor.text);
  const sent = useRef(editor.text);
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useLayoutEffect(() => {
    // before the person types
    if (editor.text !== sent.current) setDraft((sent.current = editor.text));
  }, [editor.text]);
  const commit = (value: string) => {
    clearTimeout(timer.current);
    if (value === sent.current) return;
    sent.current = value;
    editor.edit(() => value, typing);
  };
  const type = (value: string) => {
    setDraft(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => commit(value), pause);
  };
  const marks = useMemo(() => {
    const out = new Map<number, Issue>();
    for (const issue of issues) {
      const line = lineAt(editor.text, rangeOf(editor.text, parsePath(issue.path)).offset);
      if (out.get(line)?.severity !== "error") out.set(line, issue);
    }
    return out;
  }, [issues, editor.text]);
  useEffect(() => {
    const box = area.current;
    if (!jump || !box) return;
    const { offset, length } = rangeOf(editor.text, parsePath(jump.path));
    box.focus();
    box.setSelectionRange(offset, offset + length);
    box.scrollTop = Math.max(0, lineAt(editor.text, offset) * lineHeight - box.clientHeight / 2);
  }, [jump?.at]);
  const lines = draft.split("\n").length;
  const bad = editor.problem?.line;
  return (
    <div class="json-editor">
      <div class="json-gutter" ref={gutter} aria-hidden="true">
        {Array.from({ length: lines }, (_, i) => {
          const issue = marks.get(i + 1);
          return (
            <span key={i} class={bad === i + 1 ? "error" : (issue?.severity ?? "")} title={issue?.message}>
              {i + 1}
            </span>
          );
        })}
      </div>
      <textarea
        ref={area}
        aria-label={text.json}
        aria-invalid={bad !== undefined}
        spellcheck={false}
        wrap="off"
        value={draft}
        onInput={(event) => type(event.currentTarget.value)}
        onBlur={() => commit(draft)}
        onScroll={(event) => {
          if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
