// The boards beside the library, and its tags; lists to choose from on narrow windows. What is
// dragged onto a board is put there.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Dialog, ask } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { toast, toastError } from "../parts/toast";
import { text } from "../texts/library";
import type { Board } from "../types";
import { createBoard, deleteBoard, renameBoard, tags, useBoards } from "./boards";
import { dragged, isDragged } from "./drag";
import { addressWith, useFilter } from "./filter";
import type { MarkChange } from "./mark";
import { mark, type Markable } from "./marks";

const words = text.boards;
const shownTags = 24;

const naming = signal<{ board?: Board } | null>(null);

/** The dialog that names a board. It stays open when the window becomes narrow, and the list another one. */
export function BoardDialog() {
  useEffect(() => () => void (naming.value = null), []);
  return naming.value && <NameDialog board={naming.value.board} onClose={() => (naming.value = null)} />;
}

/** The boards, and what can be done with the one that is shown. */
function useBoardList() {
  const all = useBoards(true);
  const { query, route, filter, change } = useFilter();
  const list = all?.boards ?? [];
  const current = list.find((b) => b.boardId === filter.board);
  const addressOf = (next: Record<string, string>) => addressWith(query, { date: "", workflow: "", ...next });
  const remove = async (board: Board) => {
    const isSure = await ask({
      title: words.sure(board.name),
      body: words.sureBody,
      confirm: text.remove,
      danger: true,
    });
    if (!isSure) return;
    await deleteBoard(board.boardId).then(() => change({ board: "" }), toastError);
  };
  const edit = current && (
    <span class="board-edit">
      <IconButton
        icon="edit"
        label={words.renameOne(current.name)}
        onClick={() => (naming.value = { board: current })}
      />
      <IconButton icon="trash" label={words.remove(current.name)} onClick={() => void remove(current)} />
    </span>
  );
  const add = () => (naming.value = {});
  return { all, list, filter, route, addressOf, edit, add };
}

/** The boards and tags in lists to choose from, where there is no space beside the library. */
export function BoardSelect() {
  const { list, filter, route, addressOf, edit, add } = useBoardList();
  const show = (value: string) =>
    route(addressOf(value === "favourites" ? { board: "", favourite: "true" } : { board: value, favourite: "" }));
  return (
    <>
      <span class="boards-select">
        <select
          aria-label={words.choose}
          value={filter.favourite ? "favourites" : filter.board}
          onInput={({ currentTarget }) => {
            const { value } = currentTarget;
            currentTarget.value = filter.favourite ? "favourites" : filter.board; // until the address changes
            if (value === "new") add();
            else show(value);
          }}>
          <option value="">{words.everything}</option>
          <option value="favourites">{words.favourites}</option>
          {list.map((b) => (
            <option key={b.boardId} value={b.boardId}>
              {b.name}
            </option>
          ))}
          <option value="new">{words.add}…</option>
        </select>
        {edit}
      </span>
      {tags.value.length > 0 && (
        <select
          aria-label={text.tags.title}
          value={filter.tags[0] ?? ""}
          onInput={(e) => route(addressOf({ tag: e.currentTarget.value }))}>
          <option value="">{text.tags.everything}</option>
          {tags.value.map(({ tag }) => (
            <option key={tag}>{tag}</option>
          ))}
        </select>
      )}
    </>
  );
}

export function BoardList() {
  const { all, list, filter, addressOf, edit, add } = useBoardList();
  const put = (items: Markable[], marks: MarkChange, message: string) =>
    void mark(items, marks).then((isDone) => isDone && toast(message));
  const isEverything = !filter.board && !filter.favourite;
  return (
    <nav class="boards" aria-label={words.title}>
      <ul class="boards-list">
        <Entry address={addressOf({ board: "", favourite: "" })} isCurrent={isEverything}>
          <Icon name="library" size={16} />
          <span class="cut grow">{words.everything}</span>
        </Entry>
        <Entry
          address={addressOf({ board: "", favourite: "true" })}
          isCurrent={filter.favourite && !filter.board}
          onDrop={(items) => put(items, { favourite: true }, words.starred(items.length))}>
          <Icon name="star" size={16} />
          <span class="cut grow">{words.favourites}</span>
          <Count value={all?.favourites} />
        </Entry>
        {list.map((b) => (
          <Entry
            key={b.boardId}
            address={addressOf({ board: b.boardId, favourite: "" })}
            isCurrent={b.boardId === filter.board}
            onDrop={(items) => put(items, { addBoards: [b.boardId] }, words.added(items.length, b.name))}
            after={b.boardId === filter.board && edit}>
            <Icon name="board" size={16} />
            <span class="board-name grow" title={b.name}>
              {b.name}
            </span>
            <Count value={b.count} />
          </Entry>
        ))}
        <li>
          <button class="board-add" onClick={add}>
            <Icon name="plus" size={16} /> {words.add}
          </button>
        </li>
      </ul>
      {all && !list.length && <p class="small muted boards-help">{words.addHelp}</p>}
      <Tags chosen={filter.tags} addressOf={(chosen) => addressOf({ tag: chosen.join() })} />
    </nav>
  );
}

const Count = ({ value }: { value: number | undefined }) =>
  value ? (
    <>
      {" "}
      <span class="muted small">{value}</span>
    </>
  ) : null;

interface EntryProps {
  address: string;
  isCurrent: boolean;
  onDrop?: (items: Markable[]) => void;
  after?: ComponentChildren;
  children: ComponentChildren;
}

function Entry({ address, isCurrent, onDrop, after, children }: EntryProps) {
  const [isOver, setOver] = useState(false);
  return (
    <li
      class={isOver ? "drop-over" : undefined}
      onDragOver={(event) => {
        if (!onDrop || !isDragged(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false);
        if (!onDrop || !isDragged(event)) return;
        event.preventDefault();
        onDrop(dragged());
      }}>
      <a href={address} aria-current={isCurrent ? "true" : undefined}>
        {children}
      </a>
      {after}
    </li>
  );
}

interface TagsProps {
  chosen: string[];
  addressOf: (chosen: string[]) => string;
}

/** The tags in use, to filter by: several narrow the list. */
function Tags({ chosen, addressOf }: TagsProps) {
  if (!tags.value.length) return null;
  const toggled = (tag: string) => (chosen.includes(tag) ? chosen.filter((t) => t !== tag) : [...chosen, tag]);
  return (
    <div class="boards-tags">
      <h2 class="small muted">{text.tags.title}</h2>
      <ul aria-label={text.tags.title}>
        {tags.value.slice(0, shownTags).map(({ tag }) => (
          <li key={tag}>
            <a
              class={chosen.includes(tag) ? "chip accent" : "chip"}
              href={addressOf(toggled(tag))}
              aria-current={chosen.includes(tag) ? "true" : undefined}>
              {tag}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Asks for the name of a new board, or of one that gets another. */
function NameDialog({ board, onClose }: { board?: Board; onClose: () => void }) {
  const [name, setName] = useState(board?.name ?? "");
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await (board ? renameBoard(board.boardId, name) : createBoard(name));
      onClose();
    } catch (failure) {
      setError((failure as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog title={board ? words.renameOne(board.name) : words.add} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}>
        <TextField label={words.name} value={name} onInput={setName} maxLength={80} error={error} />
        <footer>
          <button class="primary" disabled={isBusy || !name.trim()}>
            {board ? words.save : words.create}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
