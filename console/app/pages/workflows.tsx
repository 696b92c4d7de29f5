// The list of workflows, with its filters in the address.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { encoded, get } from "../api";
import { ago, amount, count, moment, percent, plain, withTimes } from "../format";
import { useChanges, useData, useNow, usePages, useSettled, useTitle } from "../hooks";
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

  // The first page is merged into the list: rows that were scrolled to keep their places.
  const refresh = useThrottled(() => {
    const mine = round.current;
    counts.reload();
    load(null).then((page) => {
      if (mine === round.current) list.set((old) => old && merge(old, page.items));
    }, () => {});
  }, 1500);
  const [, redraw] = useState(0);
  useChanges(["workflow"], () => {
    redraw((n) => n + 1);
    refresh();
  });
  useEffect(() => {
    if (list.isKept) refresh();
  }, []);

  const now = useNow(30_000);
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
        <VirtualList items={list.data} rowHeight={narrow ? 92 : 72} keyOf={(row) => row.workflowId} label={text.list} onEnd={list.hasMore ? list.more : undefined} row={(row) => <Row row={latest(row)} now={now} />} />
      )}
      {list.data && list.hasMore && <p class="small muted workflow-more" role="status">{text.loadingMore}</p>}
    </div>
  );
}

/** Puts newer rows before the list, and replaces those that it has. Only its beginning is looked at, not all that was scrolled through. */
export function merge(old: Summary[], fresh: Summary[]): Summary[] {
  const changed = new Map(fresh.map((row) => [row.workflowId, row]));
  const madeAt = (row: Summary | undefined) => Date.parse(row?.createdAt ?? "") || 0;
  const oldest = madeAt(fresh.at(-1)), newest = madeAt(old[0]);
  const rows: Summary[] = [];
  let i = 0;
  for (; i < old.length && changed.size && madeAt(old[i]) >= oldest; i++) {
    rows.push(changed.get(old[i].workflowId) ?? old[i]);
    changed.delete(old[i].workflowId);
  }
  return [...fresh.filter((row) => changed.has(row.workflowId) && madeAt(row) >= newest), ...rows, ...old.slice(i)];
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

interface RowProps { row: Summary; now: number }

/** A row is drawn again when its workflow or its age changes, not when the list is scrolled. */
const Row = memo<RowProps>((props) => <RowLink {...props} />, (a, b) => a.row === b.row && a.now === b.now);

function RowLink({ row, now }: RowProps) {
  const [failed, setFailed] = useState(false);
  return (
    <a class="workflow-row" href={encoded`/workflows/${row.workflowId}`}>
      <span class={`workflow-picture kind-${row.kind ?? ""}`}>
        {row.thumbnailUrl && !failed ? <img src={row.thumbnailUrl} alt="" loading="lazy" decoding="async" onError={() => setFailed(true)} /> : <Icon name={row.kind ? kindIcon(row.kind) : "workflow"} />}
      </span>
      <span class="workflow-name">
        <bdi class="cut">{plain(row.title) || text.untitled}</bdi>
        <span class="small muted cut">{row.waiting && !isOver(row.status) ? (row.waiting.reason === "cost_approval_required" ? text.approveOrDecline : withTimes(row.waiting.message)) : text.steps(row.stepsDone, row.steps)}{isOver(row.status) && row.artifactCount > 0 && ` · ${text.results(row.artifactCount)}`}</span>
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
