// Hooks that every page uses: data from the service, changes, and the title.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { UnreachableError } from "./api";
import { plain } from "./format";
import { onChange, type Change } from "./live";
import { keepList, keptList, listKey } from "./place";
import { lostAt, onReached } from "./reach";

export interface Resource<T> {
  data: T | undefined;
  error: Error | undefined;
  loading: boolean;
  reload: () => void;
  /** Replaces the data, for changes that are shown before the service confirms them. */
  set: (change: (old: T | undefined) => T | undefined) => void;
}

/**
 * Loads something and keeps it. The old data stays while it is loaded again, so that nothing
 * jumps; a change of deps discards it. What is there from the start is not loaded. What could
 * not be loaded because the service could not be reached is when it can be again.
 */
export function useData<T>(load: (signal: AbortSignal) => Promise<T>, deps: unknown[], start?: T): Resource<T> {
  const [state, setState] = useState<{ data?: T; error?: Error; loading: boolean }>({
    data: start,
    loading: start === undefined,
  });
  const [version, setVersion] = useState(0);
  const seen = useRef<unknown[]>();
  useEffect(() => {
    const old = seen.current;
    if (start !== undefined && !old) return void (seen.current = deps);
    const abort = new AbortController();
    const same = old?.length === deps.length && old.every((value, i) => Object.is(value, deps[i]));
    seen.current = deps;
    setState((old) => (same ? { ...old, loading: true } : { loading: true }));
    load(abort.signal).then(
      (data) => !abort.signal.aborted && setState({ data, loading: false }),
      (error) => !abort.signal.aborted && setState((old) => ({ ...old, error, loading: false })),
    );
    return () => abort.abort();
  }, [...deps, version]);
  const reload = useCallback(() => setVersion((v) => v + 1), []);
  useEffect(() => (state.error instanceof UnreachableError ? onReached(reload) : undefined), [state.error]);
  const set = useCallback(
    (change: (old: T | undefined) => T | undefined) => setState((old) => ({ ...old, data: change(old.data) })),
    [],
  );
  return { data: state.data, error: state.error, loading: state.loading, reload, set };
}

export interface Paged<T> extends Resource<T[]> {
  hasMore: boolean;
  more: () => void;
  /** It is shown as it was left: the beginning has to be read again. */
  isKept?: boolean;
}

interface Read<T> {
  items: T[];
  nextCursor: string | null;
}

/**
 * Loads a list page by page, by cursor. With a name, a person who returns to the page finds
 * what was read before.
 */
export function usePages<T>(
  load: (cursor: string | null, signal?: AbortSignal) => Promise<Read<T>>,
  deps: unknown[],
  name?: string,
): Paged<T> {
  const key = listKey(name, ...deps);
  const [kept] = useState(() => (name ? keptList<Read<T>>(key) : undefined));
  const [end, setEnd] = useState({ key, cursor: kept?.nextCursor ?? null }); // of what is drawn
  const [moreError, setMoreError] = useState<Error>();
  const round = useRef({ ...end, busy: false, abort: new AbortController() }); // replaced when the list begins again
  // A page of a search may be empty although another follows.
  const read = async (from: string | null, signal?: AbortSignal) => {
    let page = await load(from, signal);
    while (!page.items.length && page.nextCursor) page = await load(page.nextCursor, signal);
    return page;
  };
  const first = useData(
    async (signal) => {
      round.current.abort.abort();
      const mine = (round.current = { key, cursor: null as string | null, busy: false, abort: new AbortController() });
      const page = await read(null, signal);
      mine.cursor = page.nextCursor;
      if (mine === round.current) setEnd({ key, cursor: mine.cursor });
      return page.items;
    },
    deps,
    kept?.items,
  );
  const now = useRef<() => void>();
  now.current = () =>
    name && first.data && end.key === key && keepList(key, { items: first.data, nextCursor: end.cursor });
  useEffect(
    () => () => {
      round.current.abort.abort();
      now.current!();
    },
    [],
  );
  const more = () => {
    const mine = round.current;
    if (mine.busy || !mine.cursor || mine.key !== key) return; // the list that it belongs to begins again
    mine.busy = true;
    setMoreError(undefined);
    read(mine.cursor, mine.abort.signal)
      .then(
        (page) => {
          if (mine !== round.current) return;
          mine.cursor = page.nextCursor;
          setEnd({ key, cursor: mine.cursor });
          first.set((old) => [...(old ?? []), ...page.items]);
        },
        (error) => mine.abort.signal.aborted || setMoreError(error),
      )
      .finally(() => (mine.busy = false));
  };
  return {
    ...first,
    error: first.error ?? moreError,
    hasMore: end.key === key && end.cursor !== null,
    more,
    isKept: kept !== undefined,
  };
}

/** Calls a function for changes of some kinds, and when everything has to be read again. */
export function useChanges<K extends Change["kind"]>(
  kinds: K[],
  listener: (change: Extract<Change, { kind: K | "ready" }>) => void,
) {
  const current = useRef(listener);
  current.current = listener;
  useLayoutEffect(() => {
    const isWanted = (change: Change): change is Extract<Change, { kind: K | "ready" }> =>
      change.kind === "ready" || (kinds as string[]).includes(change.kind);
    return onChange((change) => isWanted(change) && current.current(change));
  }, [kinds.join()]);
}

/** Listens to the window, from the moment at which the component is drawn. */
export function useListener<K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void) {
  const current = useRef(listener);
  current.current = listener;
  useLayoutEffect(() => {
    const listen = (event: WindowEventMap[K]) => current.current(event);
    addEventListener(type, listen);
    return () => removeEventListener(type, listen);
  }, [type]);
}

/**
 * Takes files that are dropped anywhere in the window, or pasted, and tells whether some are held over it. What
 * is the page's own is left to it: browsers make a file of each picture that is dragged.
 */
export function useFiles(onFiles: (files: File[]) => void, isOwn = (_: DragEvent) => false): boolean {
  const [dragging, setDragging] = useState(false);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") && !isOwn(event);
  const take = (event: Event, files: FileList | undefined) => {
    if (!files?.length) return;
    event.preventDefault();
    onFiles([...files]);
  };
  useListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setDragging(true);
  });
  useListener("dragleave", (event) => {
    if (!event.relatedTarget) setDragging(false);
  });
  useListener("drop", (event) => {
    setDragging(false);
    if (!isOwn(event)) take(event, event.dataTransfer?.files);
  });
  useListener("paste", (event) => {
    // Documents and tables are copied with a picture of them beside their text.
    const isText = ["text/plain", "text/html"].every((type) => event.clipboardData?.types.includes(type));
    if (!isText) take(event, event.clipboardData?.files);
  });
  return dragging;
}

/** Sets the title of the page. */
export function useTitle(title: string) {
  useEffect(() => {
    document.title = title ? `${plain(title)} · atelier` : "atelier";
  }, [title]);
}

/** A value that follows another one after some time without changes. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

/** Calls a function again and again while the component is drawn. */
export function useEvery(ms: number, run: () => void) {
  const current = useRef(run);
  current.current = run;
  useEffect(() => {
    const timer = setInterval(() => current.current(), ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/** The time, every second, for ages and countdowns. It stands still while the service cannot be reached. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(Date.now());
  useEvery(everyMs, () => setNow(Date.now()));
  return Math.min(now, lostAt.value?.getTime() ?? now);
}
