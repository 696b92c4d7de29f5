// What was made, by day. The service counts each day, so the whole list has its height
// from the start; the items of a day are read when it comes into view.

import { effect } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { get } from "../api";
import { useChanges } from "../hooks";
import { keepList, keptList, listKey } from "../place";
import type { LibraryArtifact } from "../types";
import { hidden, visible } from "./hidden";
import { fits, type MarkFilter } from "./mark";
import { changedMarks, expectMarks, markable } from "./marks";

export interface Section {
  date: string; // a UTC day
  count: number;
  items: LibraryArtifact[];
}

/** How far a list was read. One that failed waits for the person to try again. */
interface Reading {
  cursor: string | null;
  busy: boolean;
  done: boolean;
  failed?: boolean;
}

export interface Filter extends MarkFilter {
  kind: string;
  q: string;
  workflowId: string;
}

const pageSize = 100;

const open = new Set<Library>(); // on a page

effect(() => {
  hidden.value;
  changedMarks();
  for (const library of open) library.draw();
});

/** The service has deleted hidden items: its counts are without them from now on. */
export function dropItems(ids: string[]) {
  for (const library of open) library.read = without(library.read, new Set(ids));
}

const without = (sections: Section[], ids: ReadonlySet<string>) =>
  sections
    .map((s) => {
      const items = visible(s.items, ids);
      return items.length === s.items.length ? s : { ...s, items, count: s.count - (s.items.length - items.length) };
    })
    .filter((s) => s.count > 0);

/** The sections with the marks as they are now, of what still fits a filter. */
function marked(sections: Section[], filter: Filter): Section[] {
  const changes = changedMarks();
  if (!changes.size) return sections;
  return sections
    .map((s) => {
      if (!s.items.some((a) => changes.has(a.artifactId))) return s;
      const items = s.items.map((a) => ({ ...a, ...changes.get(a.artifactId) })).filter((a) => fits(a, filter));
      return { ...s, items, count: s.count - (s.items.length - items.length) };
    })
    .filter((s) => s.count > 0);
}

/** The sections of a filter. Without words, workflow and marks the days are known before their items. */
export class Library {
  read: Section[] = []; // with what is hidden
  sections: Section[] = [];
  error?: Error;
  isReady = false;
  private reading = new Map<string, Reading>();
  private whole: Reading = { cursor: null, busy: false, done: false };
  private abort = new AbortController();

  constructor(
    private filter: Filter,
    private changed: () => void,
  ) {
    open.add(this);
    void this.load();
  }

  close() {
    open.delete(this);
    this.abort.abort();
  }

  draw() {
    this.sections = this.shown();
    this.changed();
  }

  private shown() {
    return marked(without(this.read, hidden.value), this.filter);
  }

  /** Continues where it was closed. The days are read again; a search stays as it was read. */
  reopen(changed: () => void) {
    this.changed = changed;
    this.abort = new AbortController();
    open.add(this);
    this.sections = this.shown();
    this.whole.failed = false;
    if (this.byDay) void this.load();
  }

  private get byDay() {
    const { q, workflowId, board, favourite, tags } = this.filter;
    return !q && !workflowId && !board && !favourite && !tags.length;
  }

  private async page(extra: { from?: string; to?: string; cursor: string | null }) {
    const believe = await expectMarks();
    const page = await get("/v1/artifacts", {
      query: {
        kind: this.filter.kind,
        q: this.filter.q,
        workflowId: this.filter.workflowId,
        board: this.filter.board,
        favourite: this.filter.favourite || undefined,
        tag: this.filter.tags.join(),
        limit: pageSize,
        ...extra,
      },
      signal: this.abort.signal,
    });
    believe(page.artifacts.map(markable));
    return page;
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
    this.draw();
  }

  /** Reads the days again, and the items of those that changed: others than before may be as many. */
  load = (isChanged = false) =>
    this.attempt(async () => {
      if (!this.byDay) {
        this.whole = { cursor: null, busy: false, done: false };
        return this.more(true);
      }
      const { days } = await get("/v1/artifacts/days", {
        query: { kind: this.filter.kind },
        signal: this.abort.signal,
      });
      for (const [date, state] of this.reading) if (state.failed && !state.busy) this.reading.delete(date);
      const old = new Map(this.read.map((s) => [s.date, s]));
      this.read = days
        .sort((a, b) => b.date.localeCompare(a.date))
        .map(({ date, count }) => {
          const same = old.get(date);
          if (same?.count === count && !isChanged) return same;
          this.reading.delete(date);
          return { date, count, items: visible(same?.items ?? []).slice(0, count) }; // the count may be without what is hidden
        });
    });

  /** Makes sure that the items of a section up to an index are read. */
  need({ date }: Section, upTo: number) {
    const section = this.sections.find((s) => s.date === date); // what is drawn may be older
    if (!section) return;
    if (!this.byDay) {
      const { busy, done, failed } = this.whole;
      if (section === this.sections.at(-1) && !busy && !done && !failed) void this.attempt(() => this.more());
      return;
    }
    const state = this.reading.get(date) ?? { cursor: null, busy: false, done: false };
    const fresh = !this.reading.has(date);
    this.reading.set(date, state);
    if (state.busy || state.done || state.failed || (!fresh && section.items.length > upTo)) return;
    state.busy = state.failed = true;
    void this.attempt(async () => {
      const page = await this.page({ from: date, to: date, cursor: state.cursor }).finally(() => {
        state.busy = false;
      });
      state.failed = false;
      const now = this.read.find((s) => s.date === date);
      if (!now || this.reading.get(date) !== state) return; // the day changed, and is read from its beginning
      const items = [...(fresh ? [] : now.items), ...page.artifacts];
      state.cursor = page.nextCursor;
      state.done = !page.nextCursor;
      // A section is replaced, so that those who hold the old one see that it changed.
      const next = { ...now, items, count: state.done ? items.length : Math.max(now.count, items.length) };
      this.read = this.read.map((s) => (s === now ? next : s));
      this.draw();
      this.need(now, upTo);
    });
  }

  // The next page of a list whose days are not known. A page of a search may be empty
  // although another follows.
  private async more(first = false) {
    const state = this.whole;
    state.busy = state.failed = true;
    try {
      let found: LibraryArtifact[] = [];
      do {
        const page = await this.page({ cursor: state.cursor });
        found = [...found, ...page.artifacts];
        state.cursor = page.nextCursor;
        state.done = !page.nextCursor;
      } while (visible(found).length < 20 && !state.done);
      state.failed = false;
      if (state !== this.whole) return;
      const all = [...(first ? [] : this.read.flatMap((s) => s.items)), ...found];
      const dates = new Map<string, LibraryArtifact[]>();
      for (const a of all) dates.set(a.createdAt.slice(0, 10), [...(dates.get(a.createdAt.slice(0, 10)) ?? []), a]);
      this.read = [...dates].map(([date, items]) => ({ date, items, count: items.length }));
    } finally {
      state.busy = false;
    }
  }

  /** How many items the list has, if that is known. */
  get total(): number | undefined {
    return this.byDay || this.whole.done ? this.sections.reduce((n, s) => n + s.count, 0) : undefined;
  }

  /** The items around one that were read without a gap, and how many are before them. */
  around(artifactId: string): { items: LibraryArtifact[]; before: number } {
    const { sections } = this;
    const isWhole = (s: Section | undefined) => s !== undefined && s.items.length >= s.count;
    const at = sections.findIndex((s) => s.items.some((a) => a.artifactId === artifactId));
    if (at < 0) return { items: [], before: 0 };
    let from = at,
      to = at;
    while (isWhole(sections[from - 1])) from--;
    while (isWhole(sections[to]) && sections[to + 1]?.items.length) to++;
    return {
      items: sections.slice(from, to + 1).flatMap((s) => s.items),
      before: sections.slice(0, from).reduce((n, s) => n + s.count, 0),
    };
  }

  /** Reads what is before and after an item, some of it at a time. */
  needAround(artifactId: string) {
    const at = this.sections.findIndex((s) => s.items.some((a) => a.artifactId === artifactId));
    const section = this.sections[at];
    if (!section) return;
    const index = section.items.findIndex((a) => a.artifactId === artifactId);
    if (index + 5 >= section.items.length) this.need(section, index + 5);
    const next = this.sections[at + 1],
      previous = this.sections[at - 1];
    if (next && index + 5 >= section.count) this.need(next, 5);
    if (previous && index < 5) this.need(previous, previous.count - 1);
  }

  /** All items that were read and are not hidden, newest first. */
  items = (): LibraryArtifact[] => this.sections.flatMap((s) => s.items);
}

export function useLibrary(filter: Filter): Library {
  const [, redraw] = useState(0);
  const library = useRef<Library>();
  const key = listKey("library", filter);
  const seen = useRef("");
  if (seen.current !== key) {
    seen.current = key;
    library.current?.close();
    const changed = () => redraw((n) => n + 1);
    library.current = keptList<Library>(key);
    if (library.current) library.current.reopen(changed);
    else library.current = new Library(filter, changed);
  }
  useEffect(
    () => () => {
      library.current!.close();
      keepList(seen.current, library.current);
    },
    [],
  );
  useChanges(
    ["artifact", "artifacts_deleted"],
    (change) => void library.current!.load(change.kind === "artifacts_deleted"),
  );
  return library.current!;
}
