// What was made, by day. The service counts each day, so the whole list has its height
// from the start; the items of a day are read when it comes into view.

import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useChanges } from "../hooks";
import { keepList, keptList } from "../place";

export interface Artifact {
  artifactId: string;
  kind: string;
  contentType: string;
  width: number | null;
  height: number | null;
  durationSeconds: number | null;
  bytes: number;
  workflowId: string;
  stepId: string;
  toolName: string;
  modelId: string | null;
  prompt: string;
  seed: number | null;
  createdAt: string;
  url: string;
  thumbnailUrl: string | null;
  colors: string[] | null;
}

export interface Section {
  date: string; // a UTC day
  count: number;
  items: Artifact[];
}

/** How far a list was read. One that failed waits for the person to try again. */
interface Reading { cursor: string | null; busy: boolean; done: boolean; failed?: boolean }

export interface Filter { kind: string; q: string; workflowId: string }

const pageSize = 100;

/** The sections of a filter. Without words and workflow the days are known before their items. */
export class Library {
  sections: Section[] = [];
  error?: Error;
  isReady = false;
  private reading = new Map<string, Reading>();
  private whole: Reading = { cursor: null, busy: false, done: false };
  private removed = new Map<string, string>(); // ids and their days, until the service has deleted them
  private abort = new AbortController();

  constructor(private filter: Filter, private changed: () => void) {
    void this.load();
  }

  close() {
    this.abort.abort();
  }

  /** Goes on where it was closed. The days are read again; a search stays as it was read. */
  reopen(changed: () => void) {
    this.changed = changed;
    this.abort = new AbortController();
    this.whole.failed = false;
    if (this.byDay) void this.load();
  }

  private get byDay() {
    return !this.filter.q && !this.filter.workflowId;
  }

  private query(extra: Record<string, any>) {
    return { query: { kind: this.filter.kind, q: this.filter.q, workflowId: this.filter.workflowId, limit: pageSize, ...extra }, signal: this.abort.signal };
  }

  private async attempt(work: () => Promise<void>) {
    try {
      await work();
      this.error = undefined;
    } catch (error) {
      if ((error as Error).name === "AbortError") return;
      this.error = error as Error;
    }
    this.isReady = true;
    this.changed();
  }

  /** Reads the days again, and the items of those that changed. */
  load = () => this.attempt(async () => {
    if (!this.byDay) {
      this.whole = { cursor: null, busy: false, done: false };
      return this.more(true);
    }
    const { days } = await get("/v1/artifacts/days", { query: { kind: this.filter.kind }, signal: this.abort.signal });
    for (const [date, state] of this.reading) if (state.failed && !state.busy) this.reading.delete(date);
    const gone = (date: string) => [...this.removed.values()].filter((d) => d === date).length;
    const old = new Map(this.sections.map((s) => [s.date, s]));
    this.sections = (days as { date: string; count: number }[])
      .map(({ date, count }) => ({ date, count: count - gone(date) }))
      .filter((s) => s.count > 0)
      .sort((a, b) => b.date.localeCompare(a.date))
      .map(({ date, count }) => {
        const same = old.get(date);
        if (same?.count === count) return same;
        this.reading.delete(date);
        return { date, count, items: same?.items.slice(0, count) ?? [] };
      });
  });

  /** Makes sure that the items of a section up to an index are read. */
  need(section: Section, upTo: number) {
    if (!this.byDay) {
      const { busy, done, failed } = this.whole;
      if (section === this.sections.at(-1) && !busy && !done && !failed) void this.attempt(() => this.more());
      return;
    }
    const state = this.reading.get(section.date) ?? { cursor: null, busy: false, done: false };
    const fresh = !this.reading.has(section.date);
    this.reading.set(section.date, state);
    if (state.busy || state.done || state.failed || (!fresh && section.items.length > upTo)) return;
    state.busy = state.failed = true;
    void this.attempt(async () => {
      const page = await get("/v1/artifacts", this.query({ from: section.date, to: section.date, cursor: state.cursor })).finally(() => { state.busy = false; });
      state.failed = false;
      const items = [...(fresh ? [] : section.items), ...this.kept(page.artifacts)];
      state.cursor = page.nextCursor;
      state.done = !page.nextCursor;
      // A section is replaced, so that those who hold the old one see that it changed.
      this.replace(section, { ...section, items, count: state.done ? items.length : Math.max(section.count, items.length) });
      const now = this.sections.find((s) => s.date === section.date);
      if (now && now.items.length <= upTo) this.need(now, upTo);
    });
  }

  private kept = (list: Artifact[]) => list.filter((a) => !this.removed.has(a.artifactId));

  private replace(old: Section, next: Section) {
    this.sections = this.sections.map((s) => (s.date === old.date ? next : s)).filter((s) => s.count > 0);
  }

  // The next page of a list whose days are not known. A page of a search may be empty
  // although another follows.
  private async more(first = false) {
    const state = this.whole;
    state.busy = state.failed = true;
    try {
      let found: Artifact[] = [];
      do {
        const page = await get("/v1/artifacts", this.query({ cursor: state.cursor }));
        found = [...found, ...this.kept(page.artifacts)];
        state.cursor = page.nextCursor;
        state.done = !page.nextCursor;
      } while (found.length < 20 && !state.done);
      state.failed = false;
      if (state !== this.whole) return;
      const all = [...(first ? [] : this.items()), ...found];
      const dates = new Map<string, Artifact[]>();
      for (const a of all) dates.set(a.createdAt.slice(0, 10), [...(dates.get(a.createdAt.slice(0, 10)) ?? []), a]);
      this.sections = [...dates].map(([date, items]) => ({ date, items, count: items.length }));
    } finally {
      state.busy = false;
    }
  }

  /** All items that were read, newest first. */
  items = (): Artifact[] => this.sections.flatMap((s) => s.items);

  /** Takes items out of the list at once. The returned function puts them back. */
  remove(items: Artifact[]): () => void {
    const before = this.sections;
    for (const a of items) this.removed.set(a.artifactId, a.createdAt.slice(0, 10));
    this.sections = this.sections.map((s) => {
      const rest = this.kept(s.items);
      return rest.length === s.items.length ? s : { ...s, items: rest, count: s.count - (s.items.length - rest.length) };
    }).filter((s) => s.count > 0);
    this.changed();
    return () => {
      for (const a of items) this.removed.delete(a.artifactId);
      this.sections = before;
      this.changed();
      void this.load();
    };
  }

  /** The service has deleted these: its counts are without them from now on. */
  settle(items: Artifact[]) {
    for (const a of items) this.removed.delete(a.artifactId);
  }
}

export function useLibrary(filter: Filter): Library {
  const [, redraw] = useState(0);
  const library = useRef<Library>();
  const key = JSON.stringify(["library", filter]);
  const seen = useRef("");
  if (seen.current !== key) {
    seen.current = key;
    library.current?.close();
    const changed = () => redraw((n) => n + 1);
    library.current = keptList<Library>(key);
    if (library.current) library.current.reopen(changed);
    else library.current = new Library(filter, changed);
  }
  useEffect(() => () => {
    library.current!.close();
    keepList(seen.current, library.current);
  }, []);
  useChanges(["artifact"], () => void library.current!.load());
  return library.current!;
}
