// Reads what the command palette leads to.

import { encoded, get } from "./api";
import { ago, plain, words } from "./format";
import type { Goal, Goals } from "./goals";
import { statusName } from "./parts/chip";
import type { IconName } from "./parts/icon";
import { toolId } from "./reference/tool-id";
import { session } from "./session";
import { aboutTemplate, loadTemplates } from "./template/load";
import { text } from "./texts/shell";

const recent = 100; // of the workflows, conversations and accounts, the newest

/** Each list as it arrives; one that cannot be read leads nowhere. */
export function readGoals(signal: AbortSignal, onRead: (list: keyof Goals, goals: Goal[]) => void) {
  for (const name of Object.keys(lists) as (keyof Goals)[])
    lists[name](signal).then(
      (goals) => !signal.aborted && onRead(name, goals),
      () => {},
    );
}

interface Item extends Pick<Goal, "path" | "also" | "detail"> {
  title: string;
}

const named = (about: string, icon: IconName, items: Item[]): Goal[] =>
  items.flatMap(({ title, ...item }) => {
    const name = plain(title);
    return name ? [{ key: item.path, name, about, icon, ...item }] : [];
  });

const standing = (status: string, since: string) => `${statusName(status)} · ${ago(since)}`;

async function readConversations(query: { limit: number; search?: string }, signal: AbortSignal): Promise<Goal[]> {
  const { conversations } = await get("/v1/chat/conversations", { query, signal });
  const items = conversations.map((c) => ({
    path: encoded`/chat/${c.sessionId}`,
    title: c.title,
    detail: standing(c.lastStatus, c.updatedAt),
  }));
  return named(text.commands.conversation, "chat", items);
}

async function readWorkflows(query: { limit: number; q?: string }, signal: AbortSignal): Promise<Goal[]> {
  const { workflows } = await get("/v1/creative-agent/workflows/summaries", { query, signal });
  const items = workflows.map((w) => ({
    path: encoded`/workflows/${w.workflowId}`,
    title: w.title,
    detail: standing(w.status, w.createdAt),
  }));
  return named(text.commands.workflow, "workflow", items);
}

/** What the searches of Workflows and Chat find, of whatever age and also by its prompts and messages. */
export async function findGoals(term: string, signal: AbortSignal): Promise<Goal[]> {
  const found = await Promise.allSettled([
    readWorkflows({ limit: 10, q: term }, signal),
    readConversations({ limit: 10, search: term }, signal),
  ]);
  return found.flatMap((list) => (list.status === "fulfilled" ? list.value : []));
}

const lists: Record<keyof Goals, (signal: AbortSignal) => Promise<Goal[]>> = {
  operator: async () => {
    if (!session.value?.operator) return [];
    const [{ areas, areaPath, decisions }, { text: words }] = await Promise.all([
      import("./operator/areas"),
      import("./texts/operator"),
    ]);
    const items = [...areas.filter((area) => area !== "review"), ...decisions].map((area) => ({
      path: areaPath(area),
      title: words.areas[area],
      also: decisions.includes(area) ? words.areas.review : undefined,
    }));
    return named(text.pages.operator, "operator", items);
  },
  models: async (signal: AbortSignal) => {
    const [{ loadCatalog }, { aboutModel, firstTools }] = await Promise.all([
      import("./create/catalog"),
      import("./models/groups"),
    ]);
    const { models, tools } = await loadCatalog(signal);
    const first = firstTools(tools);
    const items = [...models.values()].map((m) => ({
      path: encoded`/models/${m.id}`,
      title: m.name,
      also: `${m.id} ${aboutModel(m, first.get(m.id))}`,
    }));
    return named(text.commands.model, "cube", items);
  },
  loras: async (signal: AbortSignal) => {
    const [{ loadLoras }, { loraLink }, { tools }] = await Promise.all([
      import("./create/loras"),
      import("./create/lora-link"),
      get("/v1/tools", { signal }),
    ]);
    const items = (await loadLoras(signal)).rows.map((l) => ({
      path: loraLink(l, tools),
      title: l.name,
      also: l.description,
    }));
    return named(text.commands.lora, "model", items);
  },
  boards: async (signal: AbortSignal) => {
    const { boards } = await get("/v1/library/boards", { signal });
    const items = boards.map((b) => ({
      path: encoded`/library?board=${b.boardId}`,
      title: b.name,
      detail: text.commands.items(b.count),
    }));
    return named(text.commands.board, "library", items);
  },
  templates: async (signal: AbortSignal) => {
    const items = (await loadTemplates("all", signal)).map((t) => ({
      path: encoded`/templates/${t.id}`,
      title: t.name,
      also: aboutTemplate(t),
    }));
    return named(text.commands.template, "template", items);
  },
  tools: async (signal: AbortSignal) => {
    const { tools } = await get("/v1/tools", { signal });
    const items = tools.map((t) => ({ path: `/docs#${toolId(t)}`, title: words(t.name), also: t.description }));
    return named(text.commands.tool, "docs", items);
  },
  conversations: (signal: AbortSignal) => readConversations({ limit: recent }, signal),
  workflows: (signal: AbortSignal) => readWorkflows({ limit: recent }, signal),
  accounts: async (signal: AbortSignal) => {
    if (!session.value?.operator) return [];
    const { accounts } = await get("/v1/operator/accounts", { query: { limit: recent }, signal });
    const items = accounts.map((a) => ({
      path: encoded`/operator/accounts/${a.walletAddress}`,
      title: a.username,
      also: a.walletAddress,
    }));
    return named(text.commands.account, "operator", items);
  },
};
