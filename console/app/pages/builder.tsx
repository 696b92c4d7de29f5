// Loads what the builder needs: the template, or the workflow that a new one is made from, and the tools.

import { useRoute } from "preact-iso/router";
import { useRef } from "preact/hooks";
import { ApiError, get } from "../api";
import { Builder } from "../builder/builder";
import { startOf, type Start } from "../builder/store";
import { useData } from "../hooks";
import { Empty, Failure, Waiting } from "../parts/notice";
import { loadTools } from "../template/load";
import type { Tool } from "../template/model";
import { text } from "../texts/template";
import type { Template } from "../types";
import { templateOf } from "../workflow/as-template";

interface Opened {
  template?: Template;
  start?: Start;
}

export default function Page() {
  const { params, query } = useRoute();
  const address = params.id ?? (query.workflow ? `from ${query.workflow}` : undefined);
  // What is edited stays as it is when it gets its address with the first save.
  const open = useRef<{ id?: string; stored?: string; key: number }>({ id: address, key: 0 });
  if (params.id && params.id === open.current.stored) open.current.id = params.id;
  else if (address !== open.current.id) open.current = { id: address, key: open.current.key + 1 };
  const { key } = open.current;
  const opened = useData(
    async (signal): Promise<Opened> => {
      const { id } = params;
      if (id) return get("/v1/creative-agent/workflows/templates/{id}", { path: { id }, signal });
      if (!query.workflow) return {};
      const { workflow } = await get("/v1/creative-agent/workflows/{id}", { path: { id: query.workflow }, signal });
      return { start: startOf(workflow.workflowId, templateOf(workflow)) };
    },
    [key],
  );
  const tools = useData(loadTools, []);
  if (params.id && opened.error instanceof ApiError && opened.error.status === 404)
    return (
      <Empty title={text.missing}>
        <p>{text.missingHelp}</p>
        <p>
          <a href="/templates">{text.back}</a>
        </p>
      </Empty>
    );
  if (opened.error) return <Failure error={opened.error} retry={opened.reload} />;
  if (!opened.data || (!tools.data && !tools.error)) return <Waiting />;
  return (
    <Builder
      key={key}
      template={opened.data.template}
      start={opened.data.start}
      tools={tools.data ?? noTools}
      isToolless={tools.error !== undefined}
      onStored={(id) => {
        open.current.stored = id;
      }}
    />
  );
}

const noTools = new Map<string, Tool>();
