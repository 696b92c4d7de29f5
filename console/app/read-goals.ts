// Reads what the command palette leads to.

import { encoded, get } from "./api";
import { plain, words } from "./format";
import type { Goal, Goals } from "./goals";
import type { IconName } from "./parts/icon";
import { loadTemplates } from "./template/load";
import { text } from "./texts/shell";

const recent = 100; // of the workflows and conversations, the newest

/** Each list as it arrives; one that cannot be read leads nowhere. */
export function readGoals(signal: AbortSignal, onRead: (list: keyof Goals, goals: Goal[]) => void) {
  for (const name of Object.keys(lists) as (keyof Goals)[])
    lists[name](signal).then(
      (goals) => !signal.aborted && onRead(name, goals),
      () => {},
    );
}

const named = (about: string, icon: IconName, items: { path: string; title: string; also?: string }[]): Goal[] =>
  items.flatMap(({ path, title, also }) => {
    const name = plain(title);
    return name ? [{ key: path, path, name, about, icon, also }] : [];
  });

const lists: Record<keyof Goals, (signal: AbortSignal) => Promise<Goal[]>> = {
  models: async (signal: AbortSignal) => {
    const { models } = await get("/v1/model-catalog", { signal });
    const items = models.map((m) => ({
      path: encoded`/models/${m.id}`,
      title: m.name,
      also: `${m.id} ${words(m.id)}`,
    }));
    return named(text.commands.model, "cube", items);
  },
  templates: async (signal: AbortSignal) => {
    const items = (await loadTemplates("all", signal)).map((t) => ({
      path: encoded`/templates/${t.id}`,
      title: t.name,
      also: t.brief,
    }));
    return named(text.commands.template, "template", items);
  },
  conversations: async (signal: AbortSignal) => {
    const { conversations } = await get("/v1/chat/conversations", { query: { limit: recent }, signal });
    const items = conversations.map((c) => ({ path: encoded`/chat/${c.sessionId}`, title: c.title }));
    return named(text.commands.conversation, "chat", items);
  },
  workflows: async (signal: AbortSignal) => {
    const { workflows } = await get("/v1/creative-agent/workflows/summaries", { query: { limit: recent }, signal });
    const items = workflows.map((w) => ({ path: encoded`/workflows/${w.workflowId}`, title: w.title }));
    return named(text.commands.workflow, "workflow", items);
  },
};
