// Editing the marks of one item or several: the star, the tags, the boards. Every change is
// sent at once.

import { useId, useRef, useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { Icon, IconButton } from "../parts/icon";
import { toastError } from "../parts/toast";
import { text } from "../texts/library";
import { createBoard, tags as known, useBoards } from "./boards";
import { shared, tagsIn } from "./mark";
import { mark, marksOf, type Markable } from "./marks";

export function Star({ item, title, isSmall }: { item: Markable; title: string; isSmall?: boolean }) {
  const { favourite } = marksOf(item);
  return (
    <button
      type="button"
      class={isSmall ? "star cell-star" : "star icon-button"}
      tabIndex={isSmall ? -1 : undefined}
      aria-pressed={favourite}
      aria-label={text.starOne(title)}
      title={text.star}
      onClick={(event) => {
        event.stopPropagation();
        event.currentTarget.closest<HTMLElement>("[role=gridcell]")?.focus({ preventScroll: true }); // which hears the keys
        void mark([item], { favourite: !favourite });
      }}>
      <Icon name="star" size={isSmall ? 16 : 20} />
    </button>
  );
}

/** The tags of items, and a field for more, which suggests those in use. */
export function TagField({ items, onShow }: { items: Markable[]; onShow?: (tag: string) => void }) {
  const id = useId();
  useBoards();
  const [written, setWritten] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const { all, some } = shared(items.map((item) => marksOf(item).tags));
  const add = () => {
    const added = tagsIn(field.current!.value);
    if (added.length) void mark(items, { addTags: added });
    setWritten("");
  };
  return (
    <div class="tag-field">
      <label for={id}>{text.tags.title}</label>
      <ul class="tag-chips" aria-label={text.tags.title}>
        {[...all, ...some].map((tag) => (
          <li key={tag} class={all.includes(tag) ? "chip" : "chip tag-some"}>
            {onShow ? (
              <button type="button" class="tag-show" title={text.tags.show(tag)} onClick={() => onShow(tag)}>
                {tag}
              </button>
            ) : (
              <span title={all.includes(tag) ? undefined : text.tags.some(tag)}>{tag}</span>
            )}
            <IconButton
              icon="close"
              size={12}
              label={text.tags.remove(tag)}
              onClick={() => {
                void mark(items, { removeTags: [tag] });
                field.current!.focus();
              }}
            />
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}>
        <input
          id={id}
          ref={field}
          list={`${id}-known`}
          maxlength={200}
          placeholder={text.tags.add}
          aria-describedby={`${id}-help`}
          value={written}
          onInput={(e) => setWritten(e.currentTarget.value)}
        />
        <datalist id={`${id}-known`}>
          {known.value
            .filter(({ tag }) => !all.includes(tag))
            .map(({ tag }) => (
              <option key={tag} value={tag} />
            ))}
        </datalist>
      </form>
      <p class="help-text" id={`${id}-help`}>
        {text.tags.help}
      </p>
    </div>
  );
}

/** The boards, checked where the items are on them, and a field for a new one. */
export function BoardField({ items }: { items: Markable[] }) {
  const boards = useBoards()?.boards ?? [];
  const [name, setName] = useState("");
  const [isBusy, setBusy] = useState(false);
  const { all, some } = shared(items.map((item) => marksOf(item).boards));
  const add = async () => {
    setBusy(true);
    try {
      const board = await createBoard(name);
      setName("");
      await mark(items, { addBoards: [board.boardId] });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <fieldset class="board-field">
      <legend>{text.boards.title}</legend>
      {boards.length > 0 && (
        <ul>
          {boards.map(({ boardId, name }) => (
            <li key={boardId}>
              <label>
                <input
                  type="checkbox"
                  checked={all.includes(boardId)}
                  ref={(box) => {
                    if (box) box.indeterminate = some.includes(boardId);
                  }}
                  onInput={(e) =>
                    void mark(items, e.currentTarget.checked ? { addBoards: [boardId] } : { removeBoards: [boardId] })
                  }
                />
                <span class="cut">{name}</span>
              </label>
            </li>
          ))}
        </ul>
      )}
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) void add();
        }}>
        <input
          class="grow"
          aria-label={text.boards.name}
          placeholder={text.boards.add}
          maxlength={80}
          value={name}
          onInput={(e) => setName(e.currentTarget.value)}
        />
        <button class="quiet" disabled={isBusy || !name.trim()}>
          {text.boards.create}
        </button>
      </form>
    </fieldset>
  );
}

export type MarkDialogKind = "boards" | "tags" | "both";

/** The tags, the boards, or both of items. */
export function MarkDialog({ kind, title, items, onClose }: MarkDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {kind !== "boards" && <TagField items={items} />}
      {kind !== "tags" && <BoardField items={items} />}
      <footer>
        <button class="primary" onClick={onClose}>
          {text.done}
        </button>
      </footer>
    </Dialog>
  );
}

interface MarkDialogProps {
  kind: MarkDialogKind;
  title: string;
  items: Markable[];
  onClose: () => void;
}
