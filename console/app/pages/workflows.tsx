// The list of workflows, with its filters in the address.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { encoded, get } from "../api";
import { ago, amount, count, moment, percent, plain } from "../format";
import { useChanges, useData, useNow, usePages, useSettled, useTitle } from "../hooks";
import { useModelNames } from "../models/names";
import { Progress, Status } from "../parts/chip";
import { Choices } from "../parts/field";
import { Icon, kindIcon } from "../parts/icon";
import { VirtualList } from "../parts/list";
import { memo } from "../parts/memo";
import { Empty, Failure } from "../parts/notice";
import { useNarrow, useQuery, useThrottled } from "../query";
import { text } from "../texts/workflow";
import { latest } from "../workflow/latest";
import { isOver, type Summary } from "../workflow/model";
import { readSummary } from "../workflow/summary";
import { inWords } from "../workflow/words";

const groups = {
  all: [],
  active: ["queued", "running"],
  waiting: ["waiting_for_user"],
  completed: ["completed"],
  failed: ["failed", "partial_failure"],
  cancelled: ["cancelled"],
} as Record<keyof typeof text.groups, string[]>;

type Group = keyof typeof groups;

const pathOfList = "/v1/creative-agent/workflows/summaries";

/** Days are those of the reader: the service gets the moments when they begin and end. */
const dayStart = (day: string | undefined, after = 0) => {
  const date = day ? new Date(day + "T00:00") : null;
  if (!date || Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + after);
  return date.toISOString();
};

export default function Workflows() {
  useTitle(text.title);
  const [query, change] = useQuery();
  const group: Group = query.status && query.status in groups ? (query.status as Group) : "all";
  const selection = { kind: query.kind, q: query.q, templateId: query.template, from: dayStart(query.from), to: dayStart(query.to, 1) };
  const deps = [query.kind, query.q, query.template, query.from, query.to];
  const load = async (cursor: string | null, signal?: AbortSignal) => {
    const page = await get(pathOfList, { query: { ...selection, status: groups[group].join(), cursor, limit: cursor ? 200 : 50 }, signal });
    return { items: page.workflows as Summary[], nextCursor: page.nextCursor };
  };
  const list = usePages<Summary>(load, [group, ...deps], "workflows");
  const counts = useData((signal) => get("/v1/creative-agent/workflows/counts", { query: selection, signal }), deps);
  const round = useRef("");
  round.current = JSON.stringify([group, ...deps]);

  // The first page is merged into the list: rows that were scrolled to keep their places. Rows
  // of workflows that are over are read one by one where the page does not have them.
  const ended = useRef(new Set<string>());
  const refresh: () => void = useThrottled(() => {
    const mine = round.current;
    const over = ended.current;
    ended.current = new Set();
    counts.reload();
    load(null).then(async (page) => {
      for (const row of page.items) over.delete(row.workflowId);
      const rows = over.size ? list.data?.filter((row) => over.has(row.workflowId) && isAfter(page, row)) ?? [] : [];
      const fresh = new Map((await Promise.all(rows.slice(0, mostRead).map((row) => readSummary(row.workflowId, row.createdAt)))).flatMap((row) => (row ? [[row.workflowId, row]] : [])));
      if (mine !== round.current) return;
      list.set((old) => old && merge(fresh.size ? old.map((row) => fresh.get(row.workflowId) ?? row) : old, page, list.hasMore));
      for (const row of rows.slice(mostRead)) ended.current.add(row.workflowId);
      if (rows.length > mostRead) refresh();
    }).catch(() => over.forEach((id) => ended.current.add(id)));
  }, 1500);
  const [, redraw] = useState(0);
  useChanges(["workflow"], ({ data }) => {
    if (data?.workflowId && isOver(data.status)) ended.current.add(data.workflowId);
    if (data?.workflowId && group !== "all" && !groups[group].includes(data.status)) {
      list.set((old) => (old?.some((row) => row.workflowId === data.workflowId) ? old.filter((row) => row.workflowId !== data.workflowId) : old));
    }
    redraw((n) => n + 1);
    refresh();
  });
  useEffect(() => {
    if (list.isKept) refresh();
  }, []);

  const [isYoung, setYoung] = useState(false); // the newest row counts seconds
  const now = useNow(isYoung ? 1000 : 30_000);
  const newest = Date.parse(list.data?.[0]?.createdAt ?? "");
  useEffect(() => setYoung(Math.max(now, Date.now()) - newest < 60_000), [newest, now]);
  const names = useModelNames();
  useEffect(() => {
    if (list.data?.length === 0 && list.hasMore) list.reload(); // all that was read has left the list
  }, [list.data, list.hasMore]);
  const narrow = useNarrow("40rem");
  const [isOpen, setOpen] = useState(false); // the filters of a narrow window
  const chosen = deps.filter(Boolean).length;
  const isFiltered = group !== "all" || deps.some(Boolean);
  const total = (name: Group) => (name === "all" ? counts.data?.total : counts.data && groups[name].reduce((n, status) => n + (counts.data.counts[status] ?? 0), 0));
  return (
    <div class="workflows">
      <div class="page-head"><h1>{text.title}</h1></div>
      <div class="workflow-filters" role="search" aria-label={text.filters}>
        <Choices label={text.filters} value={group} onInput={(value) => change({ status: value === "all" ? undefined : value })}
          options={(Object.keys(groups) as Group[]).map((name) => ({ value: name, label: <>{text.groups[name]} <span class="filter-count">{counts.data ? count(total(name)) + (counts.data.complete ? "" : "+") : "–"}</span></> }))} />
        {narrow && <button class="quiet filters-button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{text.filters}{chosen > 0 && <span class="filter-count"> {count(chosen)}</span>}</button>}
        {(!narrow || isOpen) && <div class="row">
          <SearchBox value={query.q ?? ""} onInput={(q) => change({ q })} />
          <select aria-label={text.kind} value={query.kind ?? ""} onInput={(e) => change({ kind: e.currentTarget.value })}>
            {Object.entries(text.kinds).map(([value, label]) => <option key={value} value={value}>{label}</option>)}
          </select>
          <label class="row small muted">{text.from}<input type="date" value={query.from ?? ""} max={query.to} onInput={(e) => change({ from: e.currentTarget.value })} /></label>
          <label class="row small muted">{text.to}<input type="date" value={query.to ?? ""} min={query.from} onInput={(e) => change({ to: e.currentTarget.value })} /></label>
          {query.template && <button class="quiet" onClick={() => change({ template: undefined })}>{text.ofTemplate} <Icon name="close" size={14} /></button>}
          {isFiltered && <button class="quiet" onClick={() => change({ status: "", kind: "", q: "", template: "", from: "", to: "" })}>{text.clear}</button>}
        </div>}
      </div>
      {list.error && <Failure error={list.error} retry={list.data ? list.more : list.reload} />}
      {!list.error && !list.data && <div class="stack" aria-busy="true">{[0, 1, 2].map((i) => <div class="waiting" key={i} />)}</div>}
      {list.data?.length === 0 && !list.loading && (isFiltered
        ? <Empty title={text.noneFound}><button class="quiet" onClick={() => change({ status: "", kind: "", q: "", template: "", from: "", to: "" })}>{text.clear}</button></Empty>
        : <Empty title={text.none}><p>{text.noneHelp}</p><p class="row empty-actions"><a class="quiet" href="/">{text.create}</a><a class="quiet" href="/templates">{text.templates}</a></p></Empty>)}
      {list.data && list.data.length > 0 && (
        <VirtualList items={list.data} rowHeight={narrow ? 92 : 72} keyOf={(row) => row.workflowId} label={text.list} onEnd={list.hasMore ? list.more : undefined} row={(row) => <Row row={latest(row)} now={now} names={names} />} />
      )}
      {list.data && list.hasMore && <p class="small muted workflow-more" role="status">{text.loadingMore}</p>}
    </div>
  );
}

interface Page { items: Summary[]; nextCursor: string | null }

const mostRead = 20; // rows that are read one by one, at a time

const madeAt = (row: Summary) => Date.parse(row.createdAt);

/** Compares the places of rows in the list: the newest is first. */
const compare = (a: Summary, b: Summary) => madeAt(b) - madeAt(a) || (a.workflowId < b.workflowId ? 1 : a.workflowId > b.workflowId ? -1 : 0);

/** Reports whether a row is after the ones of a page. */
const isAfter = (page: Page, row: Summary) => page.nextCursor !== null && (!page.items.length || compare(row, page.items.at(-1)!) > 0);

/**
 * Puts the newest page before what follows it in the list. Rows that the page does not have
 * any more no longer match. Only the beginning is looked at, not all that was scrolled through.
 */
function merge(old: Summary[], page: Page, hasMore: boolean): Summary[] {
  const at = old.findIndex((row) => isAfter(page, row));
  if (at >= 0) return [...page.items, ...old.slice(at)];
  const last = old.at(-1);
  return hasMore && last ? page.items.filter((row) => compare(row, last) <= 0) : page.items; // what follows is not read yet
}

function SearchBox({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const settled = useSettled(typed, 300);
  const sent = useRef(value);
  useEffect(() => {
    if (settled !== sent.current) onInput((sent.current = settled));
  }, [settled]);
  useLayoutEffect(() => { // before the person types
    if (value !== sent.current) setTyped((sent.current = value));
  }, [value]);
  return <input class="grow" type="search" aria-label={text.search} placeholder={text.search} maxLength={200} value={typed} onInput={(e) => setTyped(e.currentTarget.value)} />;
}

interface RowProps { row: Summary; now: number; names: (model: string) => string }

/** A row is drawn again when its workflow or its age changes, not when the list is scrolled. */
const Row = memo<RowProps>((props) => <RowLink {...props} />, (a, b) => a.row === b.row && a.now === b.now && a.names === b.names);

function RowLink({ row, now, names }: RowProps) {
  const [failed, setFailed] = useState(false);
  return (
    <a class="workflow-row" href={encoded`/workflows/${row.workflowId}`}>
      <span class={`workflow-picture kind-${row.kind ?? ""}`}>
        {row.thumbnailUrl && !failed ? <img src={row.thumbnailUrl} alt="" loading="lazy" decoding="async" onError={() => setFailed(true)} /> : <Icon name={row.kind ? kindIcon(row.kind) : "workflow"} />}
      </span>
      <span class="workflow-name">
        <bdi class="cut">{plain(row.title) || text.untitled}</bdi>
        <span class="small muted cut">{row.waiting && !isOver(row.status) ? (row.waiting.reason === "cost_approval_required" ? (Date.parse(row.waiting.until ?? "") <= now ? text.approvalExpired : text.approveOrDecline) : inWords(row.waiting.message, names)) : text.steps(row.stepsDone, row.steps)}{isOver(row.status) && row.artifactCount > 0 && ` · ${text.results(row.artifactCount)}`}</span>
      </span>
      <span class="workflow-state">
        {row.status === "running"
          ? <span class="workflow-running"><span class="small tabular">{percent(row.progress)}</span><Progress value={row.progress} label={text.progress} /></span>
          : <Status status={row.status} />}
      </span>
      <span class="workflow-cost small tabular">{amount(row.cost)} <span class="muted">Spark</span></span>
      <time class="workflow-age small muted" dateTime={row.createdAt} title={moment(row.createdAt)}>{ago(row.createdAt, now)}</time>
    </a>
  );
}
