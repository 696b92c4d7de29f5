// The conversation that is open.

import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, del, encoded, patch, post } from "../api";
import { useTitle } from "../hooks";
import { ask, Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { Menu } from "../parts/menu";
import { Empty, Failure, Notice } from "../parts/notice";
import { toastError } from "../parts/toast";
import { isOver } from "../status";
import { text } from "../texts/chat";
import { answering } from "./answering";
import { Composer, useModels } from "./composer";
import { attachmentsOf, branch, parentOf, plainTitle, textOf, titleOf, type Run } from "./conversation";
import { spokenOf } from "./cost";
import { changeDraft, choicesOf, endNew, forgetChoices, settings, type Choices, type Draft } from "./draft";
import { ConversationSettings } from "./settings";
import { Turn } from "./turn";
import { useConversation } from "./use";
import { useEnd } from "./use-end";

interface TalkProps {
  id: string;
  isNew: boolean;
  onList: () => void;
}

export function Talk({ id, isNew, onList }: TalkProps) {
  const { route } = useLocation();
  const { state, load, send, choose, setTitle } = useConversation(id, isNew);
  const turns = branch(state);
  const last = turns.at(-1)?.run;
  const running = turns.map((turn) => turn.run).filter((run) => !isOver(run.status));
  const title = plainTitle(state.title || (turns[0] ? titleOf(turns[0].run) : text.newConversation));
  useTitle(title || text.title);
  const end = useEnd(id);

  // What is asked of the person comes into view, wherever they read; not when they return to it.
  const isWaiting = last?.status === "waiting_for_user";
  const wasRunning = useRef(false);
  useEffect(() => {
    if (isWaiting && wasRunning.current) end.jump();
    wasRunning.current = !!last && !isWaiting && !isOver(last.status);
  }, [last?.status]);

  const models = useModels();
  const chosen = choicesOf(id, last);
  const { model, gone } = answering(models, chosen.model, last?.usage?.model);
  const choices = { ...chosen, model };
  const start = async (message: Draft, after: string) => {
    await send({ ...message, ...choices, asking: settings.value.asking, after });
    forgetChoices(id);
    end.jump();
    if (!isNew) return;
    if (location.pathname === "/chat") route(encoded`/chat/${id}`, true);
    else endNew(id); // the person has left it
  };
  const begin = (message: string) => void start({ text: message, media: [] }, "").catch(toastError);
  const stopAll = () => running.forEach((run) => void stop(run, load));
  // An answer that is being written would go on where it is no longer seen.
  const repeat = async (run: Run, message: string) => {
    await start({ text: message, media: attachmentsOf(run) }, parentOf(run));
    stopAll();
  };

  if (state.error instanceof ApiError && state.error.status === 404 && !turns.length) return <Missing />;
  return (
    <section class="talk">
      <Head
        id={id}
        title={title}
        hasTurns={turns.length > 0}
        onList={onList}
        models={models}
        onRenamed={setTitle}
        choices={choices}
      />
      {state.error && <Failure error={state.error} retry={() => void load()} />}
      <div class="turns" ref={end.turns}>
        {turns.length === 0 && !state.loading && !state.error && <Hello onPick={begin} />}
        {turns.map(({ run, siblings }) => (
          <Turn
            key={run.runId}
            conversation={id}
            run={run}
            siblings={siblings}
            onChoose={(runId) => choose(parentOf(run), runId)}
            onEdit={(edited) => repeat(run, edited)}
            onRetry={() => void repeat(run, textOf(run.userContent)).catch(toastError)}
          />
        ))}
      </div>
      <p class="offscreen" role="status">
        {last && spokenOf(last)}
      </p>
      <div class="talk-foot" ref={end.foot}>
        {end.away && (
          <button class="quiet jump" onClick={end.jump}>
            <Icon name="down" size={16} /> {text.jump}
          </button>
        )}
        {gone && <Notice tone="warn">{text.modelGone(gone, model || models[0])}</Notice>}
        <Composer
          id={id}
          models={models}
          choices={choices}
          busy={running.length > 0}
          onStop={stopAll}
          onEditLast={editLast}
          onSend={(message) => start(message, last?.runId ?? "")}
        />
      </div>
    </section>
  );
}

async function stop({ runId }: Run, load: () => Promise<void>) {
  try {
    await post("/v1/chat/runs/{id}/cancel", {}, { path: { id: runId } });
  } catch (error) {
    if (error instanceof ApiError && error.status === 409)
      void load(); // it has ended meanwhile
    else toastError(error);
  }
}

function editLast() {
  const buttons = document.querySelectorAll<HTMLButtonElement>("[data-edit]");
  buttons[buttons.length - 1]?.click();
}

function Missing() {
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

interface HeadProps extends Pick<TalkProps, "id" | "onList"> {
  title: string;
  models: string[];
  hasTurns: boolean;
  choices: Choices;
  onRenamed: (title: string) => void;
}

function Head({ id, title, hasTurns, choices, models, onList, onRenamed }: HeadProps) {
  const { route } = useLocation();
  const [renaming, setRenaming] = useState(false);
  const [settingUp, setSettingUp] = useState(false);
  const remove = async () => {
    if (!(await ask({ title: text.deleteTitle, body: text.deleteText, confirm: text.remove_, danger: true }))) return;
    try {
      await del("/v1/chat/conversations/{sessionId}", { path: { sessionId: id } });
      changeDraft(id, () => ({ text: "", media: [] }));
      route("/chat");
    } catch (error) {
      toastError(error);
    }
  };
  const actions = [
    { label: text.settings, run: () => setSettingUp(true) },
    ...(hasTurns
      ? [
          { label: text.rename, run: () => setRenaming(true) },
          { label: text.remove_, run: () => void remove(), isDanger: true },
        ]
      : []),
  ];
  return (
    <>
      <header class="row talk-head">
        <span class="talk-narrow">
          <IconButton icon="list" size={20} label={text.menu} onClick={onList} />
        </span>
        <h1 class="grow cut">{title}</h1>
        {actions.map(({ label, run }) => (
          <button key={label} class="quiet talk-wide" onClick={run}>
            {label}
          </button>
        ))}
        <span class="talk-narrow">
          <Menu label={text.more} items={actions} />
        </span>
      </header>
      {settingUp && (
        <ConversationSettings id={id} choices={choices} models={models} onClose={() => setSettingUp(false)} />
      )}
      {renaming && (
        <Rename
          id={id}
          title={title}
          onClose={() => setRenaming(false)}
          onDone={(name) => {
            onRenamed(name);
            setRenaming(false);
          }}
        />
      )}
    </>
  );
}

/** What is shown before the first message, with messages to begin with. */
function Hello({ onPick }: { onPick: (message: string) => void }) {
  return (
    <div class="hello">
      <p class="lead">{text.hello}</p>
      <p class="muted">{text.helloHelp}</p>
      <ul>
        {text.examples.map((example) => (
          <li key={example}>
            <button class="quiet" onClick={() => onPick(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </div>
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
      await patch("/v1/chat/conversations/{sessionId}", { title: name.trim() }, { path: { sessionId: id } });
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
