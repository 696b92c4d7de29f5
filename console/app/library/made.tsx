// What was made: the grid with its filter, and what is selected in it.

import { useEffect, useState } from "preact/hooks";
import { ApiError, encoded } from "../api";
import { useChanges } from "../hooks";
import { CompareDialog } from "../parts/compare";
import { Choices } from "../parts/field";
import { Icon, IconButton, type IconName } from "../parts/icon";
import { libraryItem } from "../parts/item";
import { closeLightbox, largeItem } from "../parts/lightbox";
import { Empty, Failure } from "../parts/notice";
import { isReturning } from "../place";
import { useNarrow } from "../query";
import { text } from "../texts/library";
import { text as common } from "../texts/shell";
import type { LibraryArtifact } from "../types";
import { BoardSelect } from "./board-list";
import { readBoards } from "./boards";
import { download } from "./download";
import { useFilter, useTyped, type ChangeFilter } from "./filter";
import { Grid, type Editing } from "./grid";
import { MarkDialog } from "./mark-fields";
import { mark, markable, marksOf } from "./marks";
import { Rail } from "./rail";
import { removeLater } from "./remove";
import { useLibrary, type Filter } from "./sections";
import { show } from "./show";

export function Made() {
  const { query, route, filter, change } = useFilter();
  const library = useLibrary(filter);
  const [editing, setEditing] = useState<Editing | null>(null);
  useChanges(["artifact", "artifacts_deleted"], () => void readBoards().catch(() => {})); // for their counts
  const [selection, setSelection] = useState(new Map<string, LibraryArtifact>());
  useEffect(() => setSelection((old) => (old.size ? new Map() : old)), [JSON.stringify(filter)]); // it is of another list
  const [date, setDate] = useState("");
  const [jump, setJump] = useState<{ date: string } | undefined>(
    query.date && !isReturning() ? { date: query.date } : undefined,
  );
  const [typed, setTyped] = useTyped(filter.q, (q) => change({ q, date: "" }));
  const remove = (items: LibraryArtifact[]) => {
    setSelection(new Map());
    closeLightbox();
    removeLater(library, items);
    // The button that had the focus is gone.
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>("[role=gridcell][tabindex='0']")?.focus({ preventScroll: true }),
    );
  };
  const open = (item: LibraryArtifact) => show(library, item.artifactId, remove, route, setEditing);
  // What was read in the meantime joins what is shown large.
  useEffect(() => {
    const large = largeItem();
    if (large) show(library, large.id, remove, route, setEditing);
  }, [library.sections]);
  const isNarrow = useNarrow();
  const [compared, setCompared] = useState<LibraryArtifact[] | null>(null);
  const actions = selection.size > 0 && (
    <SelectionBar
      items={[...selection.values()]}
      board={filter.board}
      onClear={() => setSelection(new Map())}
      onEdit={setEditing}
      onCompare={setCompared}
      onRemove={remove}
    />
  );
  const showAll = () => {
    setTyped("");
    route("/library", true);
  };
  return (
    <>
      <div class="library-bar">
        {isNarrow && <BoardSelect />}
        {(isNarrow || !selection.size) && (
          <FilterBar filter={filter} typed={typed} onType={setTyped} onChange={change} isNarrow={isNarrow} />
        )}
        {!isNarrow && actions}
      </div>
      {isNarrow && actions}
      {library.error && <Trouble error={library.error} retry={() => void library.load()} onShowAll={showAll} />}
      {!library.isReady ? (
        <div class="waiting" role="status" aria-label={text.loading} />
      ) : !library.sections.length && !library.error ? (
        <Nothing filter={filter} onShowAll={showAll} />
      ) : (
        <div class="library">
          <p class="offscreen">{text.keys}</p>
          <Grid
            library={library}
            selection={selection}
            onSelect={setSelection}
            onOpen={open}
            onEdit={setEditing}
            jump={jump}
            onDate={setDate}
          />
          <Rail
            sections={library.sections}
            date={date}
            onJump={(to) => {
              setJump({ date: to });
              change({ date: to });
            }}
          />
        </div>
      )}
      {compared && <CompareDialog items={compared.map((a) => libraryItem(a))} onClose={() => setCompared(null)} />}
      {editing && (
        <MarkDialog
          kind={editing.kind}
          title={(editing.kind === "boards" ? text.boards.putTitle : text.tags.changeTitle)(editing.items.length)}
          items={editing.items.map(markable)}
          onClose={() => setEditing(null)}
        />
      )}
    </>
  );
}

/** Why there is no list: a board may be gone. */
function Trouble({ error, retry, onShowAll }: { error: Error; retry: () => void; onShowAll: () => void }) {
  if (!(error instanceof ApiError) || error.field !== "board") return <Failure error={error} retry={retry} />;
  return (
    <Empty title={text.boards.gone}>
      <button class="quiet" onClick={onShowAll}>
        {text.showAll}
      </button>
    </Empty>
  );
}

function FilterBar({
  filter,
  typed,
  onType,
  onChange,
  isNarrow,
}: {
  filter: Filter;
  typed: string;
  onType: (text: string) => void;
  onChange: ChangeFilter;
  isNarrow: boolean;
}) {
  const kinds = [
    { value: "", label: isNarrow ? text.anyKind : text.all },
    ...Object.entries(text.kinds).map(([value, label]) => ({ value, label })),
  ];
  const choose = (kind: string) => onChange({ kind, date: "" });
  return (
    <>
      {isNarrow ? (
        <select aria-label={text.kind} value={filter.kind} onInput={(e) => choose(e.currentTarget.value)}>
          {kinds.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      ) : (
        <Choices label={text.kind} value={filter.kind} onInput={choose} options={kinds} />
      )}
      <input
        type="search"
        class="library-search"
        maxlength={200}
        aria-label={text.search}
        placeholder={text.searchHint}
        value={typed}
        onInput={(e) => onType(e.currentTarget.value)}
      />
      {filter.workflowId && (
        <button
          class="chip accent"
          onClick={() => onChange({ workflow: "" })}
          title={text.showAll}
          aria-label={`${text.workflow}: ${text.showAll}`}>
          {text.workflow} <Icon name="close" size={12} />
        </button>
      )}
      <TagChips tags={filter.tags} onChange={onChange} />
    </>
  );
}

/** The tags by which the list is narrowed, each with a way to undo that. */
export function TagChips({ tags, onChange }: { tags: string[]; onChange: ChangeFilter }) {
  return (
    <>
      {tags.map((tag) => (
        <button
          key={tag}
          class="chip accent"
          aria-label={text.tags.drop(tag)}
          onClick={() => onChange({ tag: tags.filter((t) => t !== tag).join(), date: "" })}>
          {tag} <Icon name="close" size={12} />
        </button>
      ))}
    </>
  );
}

function Nothing({ filter, onShowAll }: { filter: Filter; onShowAll: () => void }) {
  const isFiltered = filter.kind || filter.q || filter.workflowId || filter.tags.length;
  if (!isFiltered && filter.board)
    return (
      <Empty title={text.boards.empty}>
        <p>{text.boards.emptyHelp}</p>
      </Empty>
    );
  if (!isFiltered && filter.favourite)
    return (
      <Empty title={text.boards.noFavourites}>
        <p>{text.boards.noFavouritesHelp}</p>
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty title={text.noneFound}>
        <button class="quiet" onClick={onShowAll}>
          {text.showAll}
        </button>
      </Empty>
    );
  return (
    <Empty title={text.empty}>
      <p>{text.emptyHelp}</p>
      <p>
        <a href="/">{text.create}</a>
      </p>
    </Empty>
  );
}

/** A button of the bar: its icon stands above its name where the bar is at the bottom of a small window. */
const Action = ({
  icon,
  children,
  ...rest
}: {
  icon: IconName;
  children: string;
  disabled?: boolean;
  onClick: () => void;
}) => (
  <button class="quiet" {...rest}>
    <Icon name={icon} size={16} /> <span>{children}</span>
  </button>
);

const comparable = ["image", "video", "audio"];

function SelectionBar({
  items,
  board,
  onClear,
  onEdit,
  onCompare,
  onRemove,
}: {
  items: LibraryArtifact[];
  board: string;
  onClear: () => void;
  onEdit: (editing: Editing) => void;
  onCompare: (items: LibraryArtifact[]) => void;
  onRemove: (items: LibraryArtifact[]) => void;
}) {
  const [busy, setBusy] = useState(false);
  const marked = items.map(markable);
  const isStarred = marked.every((item) => marksOf(item).favourite);
  const save = async () => {
    setBusy(true);
    await download(items);
    setBusy(false);
  };
  const take = () => {
    void mark(marked, { removeBoards: [board] });
    onClear();
  };
  const isMedia = items.every((item) => item.kind === items[0].kind && comparable.includes(item.kind));
  return (
    <div class="selection" role="toolbar" aria-label={text.selected(items.length)}>
      <span class="selection-count">
        <IconButton icon="close" size={20} label={text.clear} onClick={onClear} />
        <strong role="status">{text.selected(items.length)}</strong>
      </span>
      <Action icon="star" onClick={() => void mark(marked, { favourite: !isStarred })}>
        {isStarred ? text.unstar : text.star}
      </Action>
      <Action icon="board" onClick={() => onEdit({ kind: "boards", items })}>
        {text.boards.put}
      </Action>
      {board && (
        <Action icon="undo" onClick={take}>
          {text.boards.take}
        </Action>
      )}
      <Action icon="tag" onClick={() => onEdit({ kind: "tags", items })}>
        {text.tags.change}
      </Action>
      {items.length === 1 && isMedia && (
        <a class="quiet" href={encoded`/?reference=${items[0].artifactId}`}>
          <Icon name="reference" size={16} /> <span>{text.reference}</span>
        </a>
      )}
      {items.length > 1 && isMedia && (
        <Action icon="compare" onClick={() => onCompare(items)}>
          {common.compare.action}
        </Action>
      )}
      <Action icon="download" disabled={busy} onClick={() => void save()}>
        {busy ? text.downloading : items.length > 1 ? text.downloadAll : text.download}
      </Action>
      <Action icon="trash" onClick={() => onRemove(items)}>
        {text.remove}
      </Action>
    </div>
  );
}
