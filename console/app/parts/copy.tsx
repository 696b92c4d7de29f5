// Copies a text, also where the page is not a secure context and has no clipboard API.

import { useState } from "preact/hooks";
import { text } from "../texts/shell";

export async function copyText(value: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(value);
  const area = document.createElement("textarea");
  area.value = value;
  area.className = "offscreen";
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}

export function CopyButton({ value, label = text.copy }: { value: string | (() => string); label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await copyText(typeof value === "string" ? value : value());
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-live="polite">
      {copied ? text.copied : label}
    </button>
  );
}
