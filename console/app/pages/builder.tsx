// Loads what the builder needs: the template, if it is not a new one, and the tools.

import { useRoute } from "preact-iso/router";
import { ApiError, get } from "../api";
import { Builder } from "../builder/builder";
import { useData } from "../hooks";
import { Empty, Failure } from "../parts/notice";
import { Waiting } from "../shell";
import { templatePath, type Template, type Tool } from "../template/model";
import { text } from "../texts/template";

export default function Page() {
  const { params } = useRoute();
  const template = useData<Template | null>(async (signal) => (params.id ? (await get(templatePath(params.id), { signal })).template : null), [params.id]);
  const tools = useData(async (signal) => new Map(((await get("/v1/tool-catalog", { signal })).tools as Tool[]).map((tool) => [tool.name, tool])), []);
  if (template.error instanceof ApiError && template.error.status === 404) return <Empty title={text.missing}><p>{text.missingHelp}</p><p><a href="/templates">{text.back}</a></p></Empty>;
  if (template.error) return <Failure error={template.error} retry={template.reload} />;
  if (template.data === undefined || (!tools.data && !tools.error)) return <Waiting />;
  return <Builder key={params.id ?? ""} template={template.data ?? undefined} tools={tools.data ?? noTools} isToolless={tools.error !== undefined} />;
}

const noTools = new Map<string, Tool>();
