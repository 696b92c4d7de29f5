// The list of conversations.

import { useState } from "preact/hooks";
import { encoded, get } from "../api";
import { ago } from "../format";
import { useChanges, usePages, useSettled } from "../hooks";
import { Icon } from "../parts/icon";
import { Failure } from "../parts/notice";
import { text } from "../texts/chat";
import { text as common } from "../texts/shell";

interface Conversation {
  sessionId: string;
  title: string;
  lastStatus: string;
  updatedAt: string;
}

export function Conversations({ current, shown, onNew }: { current: string; shown: boolean; onNew: () => void }) {
  const [typed, setTyped] = useState("");
  const search = useSettled(typed.trim(), 200);
  const list = usePages<Conversation>(
    async (cursor, signal) => {
      const page = await get("/v1/chat/conversations", {
        query: { cursor, limit: 50, search: search || undefined },
        signal,
      });
      return { items: page.conversations, nextCursor: page.nextCursor };
    },
    [search],
  );
  useChanges(["run"], list.reload);
  return (
    <nav class={shown ? "talks shown" : "talks"} id="talks" aria-label={text.conversations}>
      <button class="quiet new-talk" onClick={onNew}>
        <Icon name="plus" size={16} /> {text.newConversation}
      </button>
      <input
        type="search"
        maxLength={200}
        aria-label={text.search}
        placeholder={text.search}
        value={typed}
        onInput={(e) => setTyped(e.currentTarget.value)}
      />
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {list.data?.length === 0 && <p class="small muted">{search ? text.noneFound : text.none}</p>}
      <ul>
        {list.data?.map((c) => (
          <li key={c.sessionId}>
            <a href={encoded`/chat/${c.sessionId}`} aria-current={c.sessionId === current ? "page" : undefined}>
              <span class="cut">{c.title || text.untitled}</span>
              <span class="small muted">{ago(c.updatedAt)}</span>
            </a>
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <button class="quiet" onClick={list.more}>
          {common.loadMore}
        </button>
      )}
    </nav>
  );
}
