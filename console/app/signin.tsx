// The sign-in page.

import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useLocation } from "preact-iso/router";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useData, useTitle } from "./hooks";
import { Command } from "./parts/command";
import { CopyButton } from "./parts/copy";
import { Failure, Notice } from "./parts/notice";
import { endReason, signIn } from "./session";
import { text } from "./texts/shell";

/** A link from a page that needs no session to the sign-in page, which leads back. The other pages show the form in their place. */
export function SignInLink({ children }: { children: ComponentChildren }) {
  const name = (event: TargetedMouseEvent<HTMLAnchorElement>) =>
    (event.currentTarget.href = "/?from=" + encodeURIComponent(location.pathname + location.search + location.hash));
  return (
    <a href="/" onClick={name}>
      {children}
    </a>
  );
}

/** The address of this console that the person came from, or empty. */
function returnPath(): string {
  const from = new URLSearchParams(location.search).get("from") ?? "";
  return /^\/(?![/\\])/.test(from) ? from : "";
}

const usualCommand = "atelier key create local";

/** The command that makes an API key: with the paths of the service for a browser on its machine. */
async function readCommand(signal?: AbortSignal): Promise<string> {
  const response = await fetch("/console/key-command.txt", { signal });
  return response.ok ? response.text() : usualCommand;
}

export function SignIn() {
  const words = text.signIn;
  useTitle(words.title);
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | string>("");
  useLayoutEffect(() => field.current?.focus(), []); // before the person types
  const reason = endReason.value;
  const { route } = useLocation();
  const [from] = useState(returnPath);
  const command = useData(readCommand, []).data ?? usualCommand;
  const Providers = useData(() => import("./providers"), []).data?.default;

  const submit = async (event: Event) => {
    event.preventDefault();
    const apiKey = field.current!.value.trim();
    if (!apiKey) return field.current!.focus();
    if (/[^\x21-\x7e]/.test(apiKey)) {
      setProblem(words.notAKey);
      return field.current!.focus();
    }
    setBusy(true);
    setProblem("");
    try {
      await signIn({ apiKey });
      if (from) route(from, true);
    } catch (error) {
      setProblem(error as Error);
      setBusy(false);
      field.current?.select();
    }
  };

  return (
    <section class="signin">
      <h1>{words.title}</h1>
      <p class="muted">{words.about}</p>
      {problem ? (
        typeof problem === "string" ? (
          <Notice tone="bad">{problem}</Notice>
        ) : (
          <Failure error={problem} />
        )
      ) : (
        reason && <Notice tone="plain">{words[reason]}</Notice>
      )}
      {Providers && <Providers />}
      <form onSubmit={submit}>
        <label for="key">{words.label}</label>
        <input
          ref={field}
          id="key"
          type="password"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          placeholder="00000000-0000-0000-0000-000000000000"
          required
          aria-describedby="key-help"
        />
        <button class="primary" type="submit" disabled={busy}>
          {words.button}
        </button>
      </form>
      <div class="help" id="key-help">
        <h2>{words.where}</h2>
        <p>
          <code>atelier serve</code> {words.printed}
        </p>
        <p>{words.another}</p>
        <div class="row key-command">
          <pre class="grow">
            <Command line={command} />
          </pre>
          <CopyButton value={command} />
        </div>
        <p class="muted">{words.kept}</p>
      </div>
    </section>
  );
}
