// Chat: the conversations, and the one that is open.

import { useLocation, useRoute } from "preact-iso/router";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { call, encoded, get, post, randomId } from "../api";
import { Composer } from "../chat/composer";
import { branch, isOver, parentOf, textOf, useConversation } from "../chat/conversation";
import { Turn } from "../chat/turn";
import { ago } from "../format";
import { useChanges, usePages, useTitle } from "../hooks";
import { ask, Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Icon } from "../parts/icon";
import { Failure } from "../parts/notice";
import { toastError } from "../parts/toast";
import { text } from "../texts/chat";
import { text as common } from "../texts/shell";

interface Conversation { sessionId: string; title: string; lastStatus: string; updatedAt: string }

export default function Chat() {
  const { params } = useRoute();
  const { route } = useLocation();
  const [fresh, setFresh] = useState(() => "console-" + randomId().slice(0, 16));
  const id = params.id ? decodeURIComponent(params.id) : fresh;
  const [listShown, setListShown] = useState(false);
  useLayoutEffect(() => setListShown(false), [id]);
  const begin = () => {
    setFresh("console-" + randomId().slice(0, 16));
    route("/chat");
  };
  return (
    <div class="chat">
      <Conversations current={params.id ? id : ""} shown={listShown} onNew={begin} />
      <Talk key={id} id={id} isNew={!params.id} onList={() => setListShown((shown) => !shown)} listShown={listShown} />
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
      <button class="quiet new-talk" onClick={onNew}><Icon name="plus" size={16} /> {text.newConversation}</button>
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
      {list.hasMore && <button class="quiet" onClick={list.more}>{common.loadMore}</button>}
    </nav>
  );
}

function Talk({ id, isNew, onList, listShown }: { id: string; isNew: boolean; onList: () => void; listShown: boolean }) {
  const { route } = useLocation();
  const { state, load, send, choose, setTitle } = useConversation(id, isNew);
  const turns = branch(state);
  const last = turns.at(-1)?.run;
  const running = turns.map((turn) => turn.run).filter((run) => !isOver(run));
  const title = state.title || (turns[0] ? textOf(turns[0].run.userContent).slice(0, 60) : text.newConversation);
  useTitle(title || text.title);
  const end = useEnd(JSON.stringify(last ?? null));
  const [renaming, setRenaming] = useState(false);

  const start = async (message: Parameters<typeof send>[0]) => {
    await send(message);
    if (isNew) route(encoded`/chat/${id}`, true);
  };
  const stop = () => running.forEach((run) => post(encoded`/v1/chat/runs/${run.runId}/cancel`, {}).catch(toastError));
  const editLast = () => {
    const buttons = document.querySelectorAll<HTMLButtonElement>("[data-edit]");
    buttons[buttons.length - 1]?.click();
  };
  const remove = async () => {
    if (!(await ask({ title: text.deleteTitle, body: text.deleteText, confirm: text.remove_, danger: true }))) return;
    try {
      await call("DELETE", encoded`/v1/chat/conversations/${id}`);
      route("/chat");
    } catch (error) {
      toastError(error);
    }
  };

  return (
    <section class="talk">
      <header class="row talk-head">
        <button class="icon-button talk-menu" aria-label={text.menu} aria-expanded={listShown} aria-controls="talks" onClick={onList}><Icon name="more" /></button>
        <h1 class="grow cut">{title}</h1>
        {turns.length > 0 && <button class="quiet" onClick={() => setRenaming(true)}>{text.rename}</button>}
        {turns.length > 0 && <button class="quiet" onClick={() => void remove()}>{text.remove_}</button>}
      </header>
      {state.error && <Failure error={state.error} retry={() => void load()} />}
      <div class="turns">
        {turns.length === 0 && !state.loading && !state.error && (
          <div class="hello">
            <p class="lead">{text.hello}</p>
            <p class="muted">{text.helloHelp}</p>
            <ul>{text.examples.map((example) => <li key={example}><button class="quiet" onClick={() => void start({ text: example, media: [], after: "", askBefore: true }).catch(toastError)}>{example}</button></li>)}</ul>
          </div>
        )}
        {turns.map(({ run, siblings }) => (
          <Turn key={run.runId} run={run} siblings={siblings} onChoose={(runId) => choose(parentOf(run), runId)}
            onEdit={(edited) => start({ text: edited, media: [], after: parentOf(run), askBefore: true }).catch(toastError)}
            onRetry={() => void start({ text: textOf(run.userContent), media: [], after: parentOf(run), askBefore: true }).catch(toastError)} />
        ))}
        <div ref={end.marker} />
      </div>
      <p class="offscreen" role="status">{last && isOver(last) && last.content ? text.live : ""}</p>
      <div class="talk-foot">
        {end.away && <button class="quiet jump" onClick={end.jump}><Icon name="down" size={16} /> {text.jump}</button>}
        <Composer busy={running.length > 0} onStop={stop} onEditLast={editLast} onSend={(message) => start({ ...message, after: last?.runId ?? "" })} />
      </div>
      {renaming && <Rename id={id} title={title} onClose={() => setRenaming(false)} onDone={(name) => { setTitle(name); setRenaming(false); }} />}
    </section>
  );
}

function Rename({ id, title, onClose, onDone }: { id: string; title: string; onClose: () => void; onDone: (title: string) => void }) {
  const [name, setName] = useState(title);
  const save = async (event: Event) => {
    event.preventDefault();
    try {
      await call("PATCH", encoded`/v1/chat/conversations/${id}`, { body: { title: name.trim() } });
      onDone(name.trim());
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Dialog title={text.renameTitle} onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <TextField label={text.name} value={name} onInput={setName} maxLength={200} />
        <footer><button class="primary" disabled={!name.trim()}>{text.save}</button></footer>
      </form>
    </Dialog>
  );
}

/** Keeps the end of the page in view while it grows, if it was in view. */
function useEnd(content: string) {
  const marker = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const sticks = useRef(true);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      sticks.current = entry.isIntersecting;
      setAway(!entry.isIntersecting);
    }, { rootMargin: "0px 0px 120px" });
    observer.observe(marker.current!);
    return () => observer.disconnect();
  }, []);
  const jump = () => marker.current?.scrollIntoView({ block: "end" });
  useEffect(() => {
    if (sticks.current) jump();
  }, [content]);
  return { marker, away, jump };
}
