// What was made: the grid with its filter, and what is selected in it.

import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { encoded } from "../api";
import { useSettled } from "../hooks";
import { Choices } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { closeLightbox, largeItem } from "../parts/lightbox";
import { Empty, Failure } from "../parts/notice";
import { isReturning } from "../place";
import { text } from "../texts/library";
import type { LibraryArtifact } from "../types";
import { download } from "./download";
import { Grid } from "./grid";
import { Rail } from "./rail";
import { removeLater } from "./remove";
import { useLibrary, type Filter } from "./sections";
import { show } from "./show";

type Change = (next: Record<string, string>) => void;

export function Made() {
  const { query, route } = useLocation();
  const filter = { kind: query.kind ?? "", q: query.q ?? "", workflowId: query.workflow ?? "" };
  const library = useLibrary(filter);
  const [selection, setSelection] = useState(new Map<string, LibraryArtifact>());
  const [date, setDate] = useState("");
  const [jump, setJump] = useState<{ date: string } | undefined>(
    query.date && !isReturning() ? { date: query.date } : undefined,
  );
  const change: Change = (next) => {
    const all = new URLSearchParams(Object.entries({ ...query, ...next }).filter(([, value]) => value));
    route("/library" + (all.size ? "?" + all : ""), true);
  };
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
  const open = (item: LibraryArtifact) => show(library, item.artifactId, remove, route);
  // What was read in the meantime joins what is shown large.
  useEffect(() => {
    const large = largeItem();
    if (large) show(library, large.id, remove, route);
  }, [library.sections]);
  const showAll = () => {
    setTyped("");
    route("/library", true);
  };
  return (
    <>
      <div class="library-bar">
        {selection.size ? (
          <SelectionBar items={[...selection.values()]} onClear={() => setSelection(new Map())} onRemove={remove} />
        ) : (
          <FilterBar filter={filter} typed={typed} onType={setTyped} onChange={change} />
        )}
      </div>
      {library.error && <Failure error={library.error} retry={() => void library.load()} />}
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
    </>
  );
}

/** What is typed goes to the address when the person pauses. */
function useTyped(current: string, onSettled: (text: string) => void) {
  const [typed, setTyped] = useState(current);
  const settled = useSettled(typed, 300);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else if (settled !== current) onSettled(settled);
  }, [settled]);
  return [typed, setTyped] as const;
}

function FilterBar({
  filter,
  typed,
  onType,
  onChange,
}: {
  filter: Filter;
  typed: string;
  onType: (text: string) => void;
  onChange: Change;
}) {
  return (
    <>
      <Choices
        label={text.kind}
        value={filter.kind}
        onInput={(kind) => onChange({ kind, date: "" })}
        options={[
          { value: "", label: text.all },
          ...Object.entries(text.kinds).map(([value, label]) => ({ value, label })),
        ]}
      />
      <input
        type="search"
        class="library-search"
        aria-label={text.search}
        placeholder={text.search}
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
    </>
  );
}

function Nothing({ filter, onShowAll }: { filter: Filter; onShowAll: () => void }) {
  if (filter.kind || filter.q || filter.workflowId)
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

function SelectionBar({
  items,
  onClear,
  onRemove,
}: {
  items: LibraryArtifact[];
  onClear: () => void;
  onRemove: (items: LibraryArtifact[]) => void;
}) {
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    await download(items);
    setBusy(false);
  };
  return (
    <div class="selection" role="toolbar" aria-label={text.selected(items.length)}>
      <IconButton icon="close" size={20} label={text.clear} onClick={onClear} />
      <strong class="grow" role="status">
        {text.selected(items.length)}
      </strong>
      {items.length === 1 && ["image", "video", "audio"].includes(items[0].kind) && (
        <a class="quiet" href={encoded`/?reference=${items[0].artifactId}`}>
          {text.reference}
        </a>
      )}
      <button class="quiet" disabled={busy} onClick={() => void save()}>
        {busy ? text.downloading : items.length > 1 ? text.downloadAll : text.download}
      </button>
      <button class="quiet" onClick={() => onRemove(items)}>
        {text.remove}
      </button>
    </div>
  );
}
