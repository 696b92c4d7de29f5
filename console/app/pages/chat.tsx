// Chat: the conversations, and the one that is open.

import { useLocation, useRoute } from "preact-iso/router";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ApiError, call, encoded, get, post } from "../api";
import { Composer } from "../chat/composer";
import { attachmentsOf, branch, parentOf, textOf } from "../chat/conversation";
import { awayIn, changeDraft, endNew, newId, settings, type Draft } from "../chat/draft";
import { Turn } from "../chat/turn";
import { useConversation } from "../chat/use";
import { ago } from "../format";
import { useChanges, usePages, useTitle } from "../hooks";
import { ask, Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Icon } from "../parts/icon";
import { Empty, Failure } from "../parts/notice";
import { toastError } from "../parts/toast";
import { isReturning } from "../place";
import { isOver } from "../status";
import { text } from "../texts/chat";
import { text as common } from "../texts/shell";

interface Conversation {
  sessionId: string;
  title: string;
  lastStatus: string;
  updatedAt: string;
}

export default function Chat() {
  const { params } = useRoute();
  const { route } = useLocation();
  const id = params.id ? decodeURIComponent(params.id) : newId.value;
  const [listShown, setListShown] = useState(false);
  useLayoutEffect(() => setListShown(false), [id]);
  useLayoutEffect(() => {
    if (params.id) endNew(id); // now, so that a conversation that gets its address is drawn as it was
  }, [id, params.id]);
  const begin = () => {
    setListShown(false);
    route("/chat");
  };
  return (
    <div class="chat">
      <Conversations current={params.id ? id : ""} shown={listShown} onNew={begin} />
      <Talk
        key={id}
        id={id}
        isNew={id === newId.value}
        onList={() => setListShown((shown) => !shown)}
        listShown={listShown}
      />
    </div>
  );
}

function Conversations({ current, shown, onNew }: { current: string; shown: boolean; onNew: () => void }) {
  const list = usePages<Conversation>(async (cursor, signal) => {
    const page = await get("/v1/chat/conversations", { query: { cursor, limit: 50 }, signal });
    return { items: page.conversations, nextCursor: page.nextCursor };
  }, []);
  useChanges(["run"], list.reload);
  return (
    <nav class={shown ? "talks shown" : "talks"} id="talks" aria-label={text.conversations}>
      <button class="quiet new-talk" onClick={onNew}>
        <Icon name="plus" size={16} /> {text.newConversation}
      </button>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {list.data?.length === 0 && <p class="small muted">{text.none}</p>}
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

function Talk({
  id,
  isNew,
  onList,
  listShown,
}: {
  id: string;
  isNew: boolean;
  onList: () => void;
  listShown: boolean;
}) {
  const { route } = useLocation();
  const { state, load, send, choose, setTitle } = useConversation(id, isNew);
  const turns = branch(state);
  const last = turns.at(-1)?.run;
  const running = turns.map((turn) => turn.run).filter((run) => !isOver(run.status));
  const title = state.title || (turns[0] ? textOf(turns[0].run.userContent).slice(0, 60) : text.newConversation);
  useTitle(title || text.title);
  const end = useEnd(id);
  const [renaming, setRenaming] = useState(false);

  const start = async (message: Draft, after: string) => {
    await send({ ...message, ...settings.value, after });
    end.jump();
    if (!isNew) return;
    if (location.pathname === "/chat") route(encoded`/chat/${id}`, true);
    else endNew(id); // the person has left it
  };
  const stop = () =>
    running.forEach((run) =>
      post("/v1/chat/runs/{id}/cancel", {}, { path: { id: run.runId } }).catch((error) => {
        if (error instanceof ApiError && error.status === 409)
          void load(); // it has ended meanwhile
        else toastError(error);
      }),
    );
  const editLast = () => {
    const buttons = document.querySelectorAll<HTMLButtonElement>("[data-edit]");
    buttons[buttons.length - 1]?.click();
  };
  const remove = async () => {
    if (!(await ask({ title: text.deleteTitle, body: text.deleteText, confirm: text.remove_, danger: true }))) return;
    try {
      await call("DELETE", "/v1/chat/conversations/{sessionId}", { path: { sessionId: id } });
      changeDraft(id, () => ({ text: "", media: [] }));
      route("/chat");
    } catch (error) {
      toastError(error);
    }
  };

  if (state.error instanceof ApiError && state.error.status === 404 && !turns.length) {
    return (
      <section>
        <h1 class="offscreen">{text.title}</h1>
        <Empty title={text.missing}>
          <p>{text.missingHelp}</p>
          <p>
            <a href="/chat">{text.newConversation}</a>
          </p>
        </Empty>
      </section>
    );
  }
  return (
    <section class="talk">
      <header class="row talk-head">
        <button
          class="icon-button talk-menu"
          aria-label={text.menu}
          aria-expanded={listShown}
          aria-controls="talks"
          onClick={onList}>
          <Icon name="more" />
        </button>
        <h1 class="grow cut">{title}</h1>
        {turns.length > 0 && (
          <button class="quiet" onClick={() => setRenaming(true)}>
            {text.rename}
          </button>
        )}
        {turns.length > 0 && (
          <button class="quiet" onClick={() => void remove()}>
            {text.remove_}
          </button>
        )}
      </header>
      {state.error && <Failure error={state.error} retry={() => void load()} />}
      <div class="turns" ref={end.turns}>
        {turns.length === 0 && !state.loading && !state.error && (
          <div class="hello">
            <p class="lead">{text.hello}</p>
            <p class="muted">{text.helloHelp}</p>
            <ul>
              {text.examples.map((example) => (
                <li key={example}>
                  <button class="quiet" onClick={() => void start({ text: example, media: [] }, "").catch(toastError)}>
                    {example}
                  </button>
                </li>
              ))}
            </ul>
          </div>
        )}
        {turns.map(({ run, siblings }) => (
          <Turn
            key={run.runId}
            run={run}
            siblings={siblings}
            onChoose={(runId) => choose(parentOf(run), runId)}
            onEdit={(edited) => start({ text: edited, media: attachmentsOf(run) }, parentOf(run))}
            onRetry={() =>
              void start({ text: textOf(run.userContent), media: attachmentsOf(run) }, parentOf(run)).catch(toastError)
            }
          />
        ))}
      </div>
      <p class="offscreen" role="status">
        {last && isOver(last.status) && last.content ? text.live : ""}
      </p>
      <div class="talk-foot" ref={end.foot}>
        {end.away && (
          <button class="quiet jump" onClick={end.jump}>
            <Icon name="down" size={16} /> {text.jump}
          </button>
        )}
        <Composer
          id={id}
          busy={running.length > 0}
          onStop={stop}
          onEditLast={editLast}
          onSend={(message) => start(message, last?.runId ?? "")}
        />
      </div>
      {renaming && (
        <Rename
          id={id}
          title={title}
          onClose={() => setRenaming(false)}
          onDone={(name) => {
            setTitle(name);
            setRenaming(false);
          }}
        />
      )}
    </section>
  );
}

function Rename({
  id,
  title,
  onClose,
  onDone,
}: {
  id: string;
  title: string;
  onClose: () => void;
  onDone: (title: string) => void;
}) {
  const [name, setName] = useState(title);
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await call("PATCH", "/v1/chat/conversations/{sessionId}", {
        path: { sessionId: id },
        body: { title: name.trim() },
      });
      onDone(name.trim());
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Dialog title={text.renameTitle} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <TextField label={text.name} value={name} onInput={setName} maxLength={200} />
        <footer>
          <button class="primary" disabled={!name.trim()}>
            {text.save}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/**
 * Keeps the end of the conversation in view while it grows, if it was in view: above the
 * composer, which covers the lower part of the window.
 */
function useEnd(id: string) {
  const turns = useRef<HTMLDivElement>(null);
  const foot = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const sticks = useRef(true);
  const jump = () => {
    sticks.current = true;
    scrollTo(0, document.documentElement.scrollHeight);
  };
  useLayoutEffect(() => {
    sticks.current = !(isReturning() && awayIn.peek() === id);
    let before = 0;
    const look = () => {
      if (!turns.current || !foot.current) return; // the conversation does not exist
      const isAway = turns.current.getBoundingClientRect().bottom > foot.current.getBoundingClientRect().top;
      if (!isAway) sticks.current = true;
      else if (scrollY < before) sticks.current = false; // the person scrolls up; a page that grows does not
      before = scrollY;
      setAway(isAway && !sticks.current);
      if (!sticks.current) awayIn.value = id;
      else if (awayIn.peek() === id) awayIn.value = "";
    };
    const grow = () => {
      // What gets the focus is scrolled to where the composer does not cover it.
      document.documentElement.style.scrollPaddingBottom = foot.current
        ? `${innerHeight - foot.current.getBoundingClientRect().top}px`
        : "";
      if (sticks.current) jump();
      look();
    };
    const sizes = new ResizeObserver(grow);
    sizes.observe(turns.current!);
    sizes.observe(foot.current!);
    addEventListener("scroll", look, { passive: true });
    return () => {
      sizes.disconnect();
      removeEventListener("scroll", look);
      document.documentElement.style.scrollPaddingBottom = "";
    };
  }, []);
  return { turns, foot, away, jump };
}
