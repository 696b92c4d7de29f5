// The list of conversations.

import { useState } from "preact/hooks";
import { encoded, get } from "../api";
import { ago } from "../format";
import { useChanges, usePages, useSettled } from "../hooks";
import { Icon } from "../parts/icon";
import { Failure } from "../parts/notice";
import { text } from "../texts/chat";
import { text as common } from "../texts/shell";
import { plainTitle } from "./conversation";
import { marked } from "./marked";

interface Conversation {
  sessionId: string;
  title: string;
  lastStatus: string;
  updatedAt: string;
  excerpt?: string;
}

/** A text with the words of a search marked. */
const Marked = ({ text, search }: { text: string; search: string }) => (
  <>{marked(text, search).map((part, i) => (i % 2 ? <mark key={i}>{part}</mark> : part))}</>
);

export function Conversations({ current, onNew }: { current: string; onNew: () => void }) {
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
    <nav class="talks" aria-label={text.conversations}>
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
              <span class="cut">{c.title ? <Marked text={plainTitle(c.title)} search={search} /> : text.untitled}</span>
              {c.excerpt && (
                <span class="small talk-excerpt">
                  <Marked text={c.excerpt} search={search} />
                </span>
              )}
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
