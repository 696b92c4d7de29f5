// The page "library": everything made and saved.

import { useLocation } from "preact-iso/router";
import { useEffect, useRef, useState } from "preact/hooks";
import { encoded, post } from "../api";
import { useSettled, useTitle } from "../hooks";
import { download } from "../library/download";
import { Grid } from "../library/grid";
import { setHidden } from "../library/hidden";
import { Loras } from "../library/loras";
import { Rail } from "../library/rail";
import { dropItems, useLibrary, type Library } from "../library/sections";
import { Uploads } from "../library/uploads";
import { Choices } from "../parts/field";
import { Icon, IconButton } from "../parts/icon";
import { libraryItem, type MediaItem } from "../parts/item";
import { closeLightbox, largeItem, leaveLightbox, openLightbox } from "../parts/lightbox";
import { Empty, Failure } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { isReturning } from "../place";
import { text } from "../texts/library";
import type { LibraryArtifact } from "../types";

export default function Page() {
  useTitle(text.title);
  const { query, route } = useLocation();
  const tab = query.tab ?? "made";
  return (
    <>
      <div class="page-head">
        <h1>{text.title}</h1>
        <Choices
          label={text.tab}
          value={tab}
          onInput={(t) => route(t === "made" ? "/library" : `/library?tab=${t}`)}
          options={Object.entries(text.tabs).map(([value, label]) => ({ value, label }))}
        />
      </div>
      {tab === "uploads" ? <Uploads /> : tab === "loras" ? <Loras /> : <Made />}
    </>
  );
}

function Made() {
  const { query, route } = useLocation();
  const filter = { kind: query.kind ?? "", q: query.q ?? "", workflowId: query.workflow ?? "" };
  const library = useLibrary(filter);
  const [selection, setSelection] = useState(new Map<string, LibraryArtifact>());
  const [date, setDate] = useState("");
  const [jump, setJump] = useState<{ date: string } | undefined>(
    query.date && !isReturning() ? { date: query.date } : undefined,
  );
  const change = (next: Record<string, string>) => {
    const all = new URLSearchParams(Object.entries({ ...query, ...next }).filter(([, value]) => value));
    route("/library" + (all.size ? "?" + all : ""), true);
  };
  // What is typed goes to the address when the person pauses.
  const [typed, setTyped] = useState(filter.q);
  const settled = useSettled(typed, 300);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else if (settled !== filter.q) change({ q: settled, date: "" });
  }, [settled]);
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
  const isEmpty = library.isReady && !library.sections.length;
  return (
    <>
      <div class="library-bar">
        {selection.size ? (
          <SelectionBar items={[...selection.values()]} onClear={() => setSelection(new Map())} onRemove={remove} />
        ) : (
          <>
            <Choices
              label={text.kind}
              value={filter.kind}
              onInput={(kind) => change({ kind, date: "" })}
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
              onInput={(e) => setTyped(e.currentTarget.value)}
            />
            {filter.workflowId && (
              <button
                class="chip accent"
                onClick={() => change({ workflow: "" })}
                title={text.showAll}
                aria-label={`${text.workflow}: ${text.showAll}`}>
                {text.workflow} <Icon name="close" size={12} />
              </button>
            )}
          </>
        )}
      </div>
      {library.error && <Failure error={library.error} retry={() => void library.load()} />}
      {!library.isReady ? (
        <div class="waiting" role="status" aria-label={text.loading} />
      ) : isEmpty && !library.error ? (
        filter.kind || filter.q || filter.workflowId ? (
          <Empty title={text.noneFound}>
            <button
              class="quiet"
              onClick={() => {
                setTyped("");
                route("/library", true);
              }}>
              {text.showAll}
            </button>
          </Empty>
        ) : (
          <Empty title={text.empty}>
            <p>{text.emptyHelp}</p>
            <p>
              <a href="/">{text.create}</a>
            </p>
          </Empty>
        )
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

/** The item over the whole window. Its neighbours are read as it comes near the end of what was read. */
function show(
  library: Library,
  artifactId: string,
  remove: (items: LibraryArtifact[]) => void,
  route: (url: string, replace?: boolean) => void,
) {
  const { items, before } = library.around(artifactId);
  if (!items.length) return;
  const actions = (media: MediaItem) => {
    const a = items.find((x) => x.artifactId === media.id)!;
    const go = (url: string) => leaveLightbox((replace) => route(url, replace));
    return (
      <>
        <button
          class="quiet"
          onClick={() => go(encoded`/?workflow=${a.workflowId}&artifact=${a.artifactId}&restore=${a.stepId}`)}>
          {text.restore}
        </button>
        {["image", "video", "audio"].includes(a.kind) && (
          <button class="quiet" onClick={() => go(encoded`/?reference=${a.artifactId}`)}>
            {text.reference}
          </button>
        )}
        <button class="quiet" onClick={() => go(encoded`/library?workflow=${a.workflowId}`)}>
          {text.sameWorkflow}
        </button>
        <button class="quiet" onClick={() => go(encoded`/workflows/${a.workflowId}`)}>
          {text.openWorkflow}
        </button>
        <button class="quiet" onClick={() => remove([a])}>
          {text.remove}
        </button>
      </>
    );
  };
  library.needAround(artifactId);
  openLightbox(
    items.map((a) => libraryItem(a)),
    items.findIndex((a) => a.artifactId === artifactId),
    { actions, onMove: (index) => library.needAround(items[index].artifactId), total: library.total, before },
  );
}

const mostDeleted = 200; // by one request

/** Deletes items after the time in which the person can take it back. */
function removeLater(library: Library, items: LibraryArtifact[]) {
  const ids = items.map((a) => a.artifactId);
  setHidden(ids, true);
  const remove = async (isLeaving: boolean) => {
    const parts = Array.from({ length: Math.ceil(ids.length / mostDeleted) }, (_, i) =>
      ids.slice(i * mostDeleted, (i + 1) * mostDeleted),
    );
    const send = (artifactIds: string[]) => post("/v1/artifacts/delete", { artifactIds }, { keepalive: isLeaving });
    try {
      const answers = isLeaving ? await Promise.all(parts.map(send)) : [];
      if (!isLeaving) for (const part of parts) answers.push(await send(part));
      dropItems(answers.flatMap((answer) => answer.deleted));
      const refused = answers.flatMap((answer) => answer.failed);
      if (!refused.length) return;
      setHidden(
        refused.map((r) => r.artifactId),
        false,
      );
      toastError(refused[0]); // such as one that a running workflow uses
      void library.load();
    } catch (error) {
      setHidden(ids, false);
      toastError(error);
    }
  };
  toast(text.removed(items.length), {
    action: { label: text.undo, run: () => setHidden(ids, false) },
    otherwise: remove,
    dropped: text.notRemoved(items.length),
  });
}
