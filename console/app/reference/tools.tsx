// The tools of workflow steps and the composition tools, with their arguments and models.

import { encoded, get } from "../api";
import { Chip } from "../parts/chip";
import { Code } from "../parts/code";
import { text } from "../texts/reference";
import type { Argument, ToolEntry } from "../types";
import { Facts, Fold, Names, Prose } from "./fields";
import { range } from "./schema";
import { toolId } from "./tool-id";

export interface ToolGroup {
  id: string;
  kind: string;
  name: string;
  tools: ToolEntry[];
}

const kinds = ["image", "video", "audio", "model", "other", "sync"];

export async function loadTools(signal: AbortSignal): Promise<ToolGroup[]> {
  const { tools } = await get("/v1/tools", { signal });
  const kindOf = (tool: ToolEntry) =>
    tool.runs === "sync" ? "sync" : kinds.includes(tool.produces ?? "") ? tool.produces! : "other";
  return kinds
    .map((kind) => ({
      id: `tools-${kind}`,
      kind,
      name: text.toolGroups[kind],
      tools: tools.filter((tool) => kindOf(tool) === kind),
    }))
    .filter((group) => group.tools.length > 0);
}

/** All names and texts of a tool, for the search. */
export function toolWords(tool: ToolEntry, group: ToolGroup): string {
  const out = [tool.name, tool.description, group.name, ...tool.models.flatMap((m) => [m.modelId, ...m.selectors])];
  const add = (a: Argument) => {
    out.push(a.name ?? "", a.description ?? "", (a.enum ?? []).join(" "));
    if (a.items) add(a.items);
    a.fields?.forEach(add);
  };
  tool.arguments.forEach(add);
  return out.join("\n").toLowerCase();
}

/** The operation that calls a tool, and the body of the request with its example. */
export function callOf(tool: ToolEntry): { operation: string; body: unknown } {
  const args = tool.example ?? {};
  if (tool.runs === "sync")
    return { operation: "postV1CreativeAgentToolsExecute", body: { tool: tool.name, arguments: args } };
  return {
    operation: "postV1CreativeAgentWorkflows",
    body: { input: { steps: [{ id: tool.name, toolName: tool.name, arguments: args }] } },
  };
}

export function ToolSection({ tool }: { tool: ToolEntry }) {
  const id = toolId(tool);
  const { operation } = callOf(tool);
  return (
    <section class="ref-operation" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        <a href={`#${id}`}>
          <code>{tool.name}</code>
        </a>
      </h2>
      <p class="ref-endpoint">
        {tool.produces && (
          <Chip tone="accent">
            {text.makes} {tool.produces === "model" ? "3D" : tool.produces}
          </Chip>
        )}
        <Chip>{text.runs[tool.runs] ?? tool.runs}</Chip>
        <span class="small muted">
          {text.calledBy}{" "}
          <a href={`#${operation}`}>
            {tool.runs === "sync" ? "POST /v1/creative-agent/tools/execute" : "POST /v1/creative-agent/workflows"}
          </a>
        </span>
        <a
          class="quiet"
          aria-label={`${text.tryIt}: ${tool.name}`}
          href={encoded`/docs?tool=${tool.name}#${operation}`}>
          {text.tryIt}
        </a>
      </p>
      <div class="ref-columns">
        <div class="ref-takes">
          <p>
            <Prose>{tool.description}</Prose>
          </p>
          <h3>{text.arguments}</h3>
          {tool.arguments.length === 0 ? <p class="muted">{text.noArguments}</p> : <Arguments list={tool.arguments} />}
        </div>
        <div class="ref-tool-facts">
          {tool.example && <Code code={JSON.stringify(tool.example, null, 2)} language="json" title={text.example} />}
          {tool.needs.length > 0 && <h3>{text.needs}</h3>}
          {tool.needs.length > 0 && (
            <ul class="bullets">
              {tool.needs.map((need, i) => (
                <li key={i}>{text.needsKind(need.kind, need.arguments)}</li>
              ))}
            </ul>
          )}
          {tool.price && (
            <p class="small">
              <span class="muted">{text.priceTitle}</span> {text.price(tool.price)}
            </p>
          )}
          {tool.models.length > 0 && <h3>{text.models}</h3>}
          {tool.defaultModel && (
            <p class="small">
              <span class="muted">{text.defaultModel}</span> <code>{tool.defaultModel}</code>
            </p>
          )}
          {tool.models.length > 0 && (
            <ul class="ref-models">
              {tool.models.map((m) => (
                <li key={m.modelId}>
                  <a href={encoded`/models/${m.modelId}`}>
                    <code>{m.modelId}</code>
                  </a>
                  {m.selectors.length > 0 && (
                    <span class="small muted">
                      {" "}
                      {text.chosenBy} <Names names={m.selectors} />
                    </span>
                  )}
                  <span class="small muted"> · {text.price(m.price)}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </section>
  );
}

function Arguments({ list }: { list: Argument[] }) {
  const sorted = [...list].sort((a, b) => Number(b.required ?? false) - Number(a.required ?? false));
  return (
    <ul class="ref-fields">
      {sorted.map((a, i) => (
        <ArgumentRow key={a.name ?? i} argument={a} />
      ))}
    </ul>
  );
}

function ArgumentRow({ argument: a }: { argument: Argument }) {
  const nested = a.fields ?? a.items?.fields;
  return (
    <li>
      <div class="ref-field-head">
        <code class="ref-field-name">{a.name}</code>
        <span class="ref-type">{typeWords(a)}</span>
        {a.required && <Chip tone="accent">{text.required}</Chip>}
        {a.advanced && <Chip>{text.advanced}</Chip>}
      </div>
      {a.description && (
        <p>
          <Prose>{a.description}</Prose>
        </p>
      )}
      <Facts v={{ enum: a.enum ?? a.items?.enum, default: a.default, bounds: bounds(a) }} />
      {nested && (
        <Fold
          open={nested.length < 8}
          class="ref-nested"
          summary={text.fields(nested.length)}
          draw={() => <Arguments list={nested} />}
        />
      )}
    </li>
  );
}

function typeWords(a: Argument): string {
  const kind = a.media && !a.url ? `${a.type}, ${text.mediaIndex(a.media)}` : a.type;
  return a.type === "array" ? `list of ${a.items ? typeWords(a.items) : "any"}` : a.unit ? `${kind}, ${a.unit}` : kind;
}

function bounds(a: Argument): string[] {
  const out = [range(a.minimum, a.maximum)];
  const length = range(a.minLength, a.maxLength);
  const count = range(a.minItems, a.maxItems);
  if (length && length !== "at least 1") out.push(`${length} ${text.characters}`);
  if (count) out.push(`${count} ${text.items}`);
  if (a.pattern) out.push(a.hint ?? `matches ${a.pattern}`);
  if (a.items && !a.items.fields) out.push(...bounds(a.items));
  return out.filter(Boolean);
}
