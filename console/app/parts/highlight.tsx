// Highlighting: highlight.js gives a tree, which becomes elements, never markup.

import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import { createLowlight } from "lowlight";
import type { ComponentChild } from "preact";

const lowlight = createLowlight({ bash, go, javascript, json, python });
lowlight.registerAlias({ bash: ["sh", "shell", "curl"], javascript: ["js", "ts", "typescript"], python: ["py"] });

export function highlight(code: string, language: string) {
  if (!lowlight.registered(language) || code.length > 100_000) return null;
  return lowlight.highlight(language, code).children.map(draw);
}

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

function draw(node: Node): ComponentChild {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const { className } = node.properties;
  return <span class={Array.isArray(className) ? className.join(" ") : undefined}>{node.children.map(draw)}</span>;
}
