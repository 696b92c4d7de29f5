// Code with its colours. The highlighter is loaded when the first block is drawn; until
// then, and for unknown languages, the text is plain.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CopyButton } from "./copy";

let loading: Promise<typeof import("./highlight")> | undefined;

export function Code({
  code,
  language,
  title,
  wrap,
}: {
  code: string;
  language?: string;
  title?: string;
  wrap?: boolean;
}) {
  const [drawn, setDrawn] = useState<{ code: string; nodes: ComponentChildren } | null>(null);
  useEffect(() => {
    if (!language) return;
    let current = true;
    (loading ??= import("./highlight")).then(
      ({ highlight }) => current && setDrawn({ code, nodes: highlight(code, language) }),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [code, language]);
  return (
    <figure class={wrap ? "code wrap" : "code"}>
      <figcaption>
        {title ?? language ?? ""}
        <CopyButton value={code} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{drawn?.code === code && drawn.nodes ? drawn.nodes : code}</code>
      </pre>
    </figure>
  );
}
