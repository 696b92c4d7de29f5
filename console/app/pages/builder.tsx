// Loads what the builder needs: the template, if it is not a new one, and the tools.

import { useRoute } from "preact-iso/router";
import { useRef } from "preact/hooks";
import { ApiError, get } from "../api";
import { Builder } from "../builder/builder";
import { useData } from "../hooks";
import { Empty, Failure, Waiting } from "../parts/notice";
import { loadTools } from "../template/load";
import type { Tool } from "../template/model";
import { text } from "../texts/template";
import type { Template } from "../types";

export default function Page() {
  const { params } = useRoute();
  // What is edited stays as it is when it gets its address with the first save.
  const open = useRef<{ id?: string; stored?: string; key: number }>({ id: params.id, key: 0 });
  if (params.id && params.id === open.current.stored) open.current.id = params.id;
  else if (params.id !== open.current.id) open.current = { id: params.id, key: open.current.key + 1 };
  const { key } = open.current;
  const template = useData<Template | null>(
    async (signal) =>
      params.id
        ? (await get("/v1/creative-agent/workflows/templates/{id}", { path: { id: params.id }, signal })).template
        : null,
    [key],
  );
  const tools = useData(loadTools, []);
  if (template.error instanceof ApiError && template.error.status === 404)
    return (
      <Empty title={text.missing}>
        <p>{text.missingHelp}</p>
        <p>
          <a href="/templates">{text.back}</a>
        </p>
      </Empty>
    );
  if (template.error) return <Failure error={template.error} retry={template.reload} />;
  if (template.data === undefined || (!tools.data && !tools.error)) return <Waiting />;
  return (
    <Builder
      key={key}
      template={template.data ?? undefined}
      tools={tools.data ?? noTools}
      isToolless={tools.error !== undefined}
      onStored={(id) => {
        open.current.stored = id;
      }}
    />
  );
}

const noTools = new Map<string, Tool>();
