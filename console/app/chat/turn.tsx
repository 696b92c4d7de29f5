// One turn: what the person wrote, and the run that answers it.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useData } from "../hooks";
import { CopyButton } from "../parts/copy";
import { IconButton } from "../parts/icon";
import type { MediaItem } from "../parts/item";
import { openLightbox } from "../parts/lightbox";
import { Media, Thumbnail } from "../parts/media";
import { toastError } from "../parts/toast";
import { isOver } from "../status";
import { text } from "../texts/chat";
import { text as common } from "../texts/shell";
import type { Upload } from "../upload";
import { Answer } from "./answer";
import { attachmentsOf, textOf, type Run } from "./conversation";
import { mediaCost, usageFacts, workflowsOf, type MediaCost } from "./usage";

interface TurnProps {
  conversation: string;
  run: Run;
  siblings: Run[];
  onChoose: (runId: string) => void;
  onEdit: (text: string) => Promise<void>;
  onRetry: () => void;
}

export function Turn({ conversation, run, siblings, onChoose, onEdit, onRetry }: TurnProps) {
  const [isEditing, setEditing] = useState(false);
  const written = textOf(run.userContent);
  const button = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLElement>(); // what had the focus before
  const open = () => {
    opener.current = document.activeElement as HTMLElement;
    setEditing(true);
  };
  useEffect(() => {
    if (isEditing || !opener.current) return;
    (opener.current.isConnected && opener.current !== document.body ? opener.current : button.current)?.focus();
  }, [isEditing]);
  return (
    <article class="turn">
      <div class="said">
        <h2 class="offscreen">{text.you}</h2>
        {isEditing ? (
          <Edit written={written} onEdit={onEdit} onClose={() => setEditing(false)} />
        ) : (
          <p class="said-text">{written}</p>
        )}
        <Attached media={attachmentsOf(run)} />
        <p class="turn-actions">
          {siblings.length > 1 && <Versions run={run} siblings={siblings} onChoose={onChoose} />}
          {!isEditing && (
            <button ref={button} class="copy" data-edit onClick={open}>
              {text.edit}
            </button>
          )}
        </p>
      </div>
      <Answer conversation={conversation} run={run} />
      {isOver(run.status) && <Foot run={run} onRetry={onRetry} />}
    </article>
  );
}

/** What can be done with an answer, and what it took. */
function Foot({ run, onRetry }: Pick<TurnProps, "run" | "onRetry">) {
  const media = useMediaCost(run);
  const facts = usageFacts(run, media);
  return (
    <p class="turn-actions answer-foot">
      {run.content && <CopyButton value={run.content} label={text.copyAnswer} />}
      <button class="copy" onClick={onRetry}>
        {text.retry}
      </button>
      {facts.length > 0 && <span class="small muted tabular">{facts.join(" · ")}</span>}
    </p>
  );
}

/** What the tools of an answer that is over were charged; undefined until it is read. */
function useMediaCost(run: Run): MediaCost | undefined {
  const ids = workflowsOf(run);
  const { data } = useData(
    async (signal) => {
      const read = await Promise.all(
        ids.map((id) => get("/v1/creative-agent/workflows/{id}", { path: { id }, signal }).catch(() => undefined)),
      );
      return { cost: mediaCost(read.flatMap((answer) => (answer ? [answer.workflow] : []))) }; // one may be deleted
    },
    [ids.join()],
  );
  return data?.cost;
}

interface EditProps {
  written: string;
  onEdit: TurnProps["onEdit"];
  onClose: () => void;
}

/** The message, to be sent in other words. */
function Edit({ written, onEdit, onClose }: EditProps) {
  const [draft, setDraft] = useState(written);
  const [sending, setSending] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => box.current!.focus(), []); // before the next key: Escape would stop the answer
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!draft.trim() || sending) return;
    setSending(true);
    try {
      await onEdit(draft.trim());
      onClose();
    } catch (error) {
      toastError(error);
      setSending(false);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) void submit(event);
    else if (event.key === "Escape") {
      event.preventDefault(); // the answer continues
      onClose();
    }
  };
  return (
    <form class="stack" onSubmit={submit}>
      <textarea
        ref={box}
        aria-label={text.edit}
        rows={3}
        value={draft}
        onInput={(e) => setDraft(e.currentTarget.value)}
        onKeyDown={onKey}
      />
      <p class="row end">
        <button type="button" class="quiet" onClick={onClose}>
          {common.cancel}
        </button>
        <button class="primary" disabled={!draft.trim() || sending}>
          {text.sendEdit}
        </button>
      </p>
    </form>
  );
}

/** The versions of a message, one of which is shown. */
function Versions({ run, siblings, onChoose }: Pick<TurnProps, "run" | "siblings" | "onChoose">) {
  const at = siblings.indexOf(run);
  return (
    <>
      <IconButton
        icon="left"
        label={text.earlier}
        disabled={at === 0}
        onClick={() => onChoose(siblings[at - 1].runId)}
      />
      <span class="small tabular">{text.version(at + 1, siblings.length)}</span>
      <IconButton
        icon="right"
        label={text.later}
        disabled={at === siblings.length - 1}
        onClick={() => onChoose(siblings[at + 1].runId)}
      />
    </>
  );
}

/** Files that were sent along. */
function Attached({ media }: { media: Upload[] }) {
  if (!media.length) return null;
  const items: MediaItem[] = media.map(({ kind, url, name }, i) => ({
    id: url,
    kind,
    url,
    label: name || text.attachedAt(i + 1),
  }));
  return (
    <ul class="attached" aria-label={text.attached}>
      {items.map((item, i) => (
        <li key={item.id}>
          {item.kind === "video" || item.kind === "audio" ? (
            <Media item={item} />
          ) : (
            <button class="thumb-button" onClick={() => openLightbox(items, i)} aria-label={item.label}>
              <Thumbnail item={item} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
