// The list of workflows, with its filters in the address.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { encoded, get } from "../api";
import { ago, count, moment, percent, plain, price, span, words } from "../format";
import { useData, useNow, useSettled, useTitle } from "../hooks";
import { useModelNames } from "../models/names";
import { Progress, Status } from "../parts/chip";
import { DateField } from "../parts/date-field";
import { Choices, SelectField } from "../parts/field";
import { Icon, kindIcon } from "../parts/icon";
import { VirtualList } from "../parts/list";
import { memo } from "../parts/memo";
import { Empty, Failure } from "../parts/notice";
import { useNarrow, useQuery } from "../query";
import { isOver, type Status as WorkStatus } from "../status";
import { text } from "../texts/workflow";
import type { WorkflowCounts, WorkflowSummary } from "../types";
import { latest } from "../workflow/latest";
import { SavedViews } from "../workflow/saved-views";
import { useWorkflowList } from "../workflow/use-list";
import { filters, filtersIn } from "../workflow/views";
import { inWords } from "../workflow/words";

const groups: Record<keyof typeof text.groups, WorkStatus[]> = {
  all: [],
  active: ["queued", "running"],
  waiting: ["waiting_for_user"],
  completed: ["completed"],
  failed: ["failed", "partial_failure"],
  cancelled: ["cancelled"],
};

type Group = keyof typeof groups;

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
  const list = useWorkflowList(groups[group], {
    kind: query.kind,
    tool: query.tool,
    model: query.model,
    reason: query.reason,
    q: query.q,
    templateId: query.template,
    from: dayStart(query.from),
    to: dayStart(query.to, 1),
  });
  const narrow = useNarrow("40rem");
  const isFiltered = Object.keys(filtersIn(query)).length > 0;
  const clear = () => change(Object.fromEntries(filters.map((name) => [name, ""])));
  const [picked, setPicked] = useState<string[]>(); // while two are chosen to be compared
  return (
    <div class="workflows">
      <div class="page-head">
        <h1>{text.title}</h1>
        <div class="row">
          {list.data && list.data.length > 1 && !picked && (
            <button class="quiet" onClick={() => setPicked([])}>
              {text.compare.pick}
            </button>
          )}
          <a class="quiet" href="/templates/new">
            <Icon name="plus" size={16} /> {text.newTemplate}
          </a>
        </div>
      </div>
      <Filters
        group={group}
        counts={list.counts}
        query={query}
        change={change}
        onClear={isFiltered ? clear : undefined}
      />
      {list.error && <Failure error={list.error} retry={list.data ? list.more : list.reload} />}
      {!list.error && !list.data && (
        <div class="stack" aria-busy="true">
          {[0, 1, 2].map((i) => (
            <div class="waiting" key={i} />
          ))}
        </div>
      )}
      {list.data?.length === 0 && !list.loading && <None onClear={isFiltered ? clear : undefined} />}
      {list.data && list.data.length > 0 && (
        <Rows
          rows={list.data}
          isNarrow={narrow}
          onEnd={list.hasMore ? list.more : undefined}
          picked={picked}
          onPick={setPicked}
        />
      )}
      {picked && <Picked picked={picked} onCancel={() => setPicked(undefined)} />}
      {list.data && list.hasMore && (
        <p class="small muted workflow-more" role="status">
          {text.loadingMore}
        </p>
      )}
    </div>
  );
}

/** What is chosen to be compared, and the way there. */
function Picked({ picked: [left, right], onCancel }: { picked: string[]; onCancel: () => void }) {
  return (
    <div class="workflow-picked row" role="status">
      <span class="grow">{!right && text.compare.help}</span>
      <button class="quiet" onClick={onCancel}>
        {text.compare.cancel}
      </button>
      {right && (
        <a class="primary" href={"/workflows/compare?" + new URLSearchParams({ left, right })}>
          {text.compare.start}
        </a>
      )}
    </div>
  );
}

function None({ onClear }: { onClear?: () => void }) {
  if (onClear)
    return (
      <Empty title={text.noneFound}>
        <button class="quiet" onClick={onClear}>
          {text.clear}
        </button>
      </Empty>
    );
  return (
    <Empty title={text.none}>
      <p>{text.noneHelp}</p>
      <p class="row empty-actions">
        <a class="quiet" href="/">
          {text.create}
        </a>
        <a class="quiet" href="/templates">
          {text.templates}
        </a>
      </p>
    </Empty>
  );
}

const total = ({ total, counts }: WorkflowCounts, name: Group) =>
  name === "all" ? total : groups[name].reduce((n, status) => n + (counts[status] ?? 0), 0);

interface FiltersProps {
  group: Group;
  counts: WorkflowCounts | undefined;
  query: Record<string, string>;
  change: (change: Record<string, string | undefined>) => void;
  onClear?: () => void;
}

function Filters({ group, counts, query, change, onClear }: FiltersProps) {
  const [isOpen, setOpen] = useState(false);
  const chosen = Object.keys(filtersIn({ ...query, status: "", q: "", template: "" })).length;
  const names = useModelNames();
  const label = (name: Group) => (
    <>
      {text.groups[name]}{" "}
      <span class="filter-count">{counts ? count(total(counts, name)) + (counts.complete ? "" : "+") : "–"}</span>
    </>
  );
  return (
    <div class="workflow-filters" role="search" aria-label={text.filters}>
      <Choices
        label={text.filters}
        value={group}
        onInput={(value) => change({ status: value === "all" ? undefined : value })}
        options={(Object.keys(groups) as Group[]).map((name) => ({ value: name, label: label(name) }))}
      />
      <div class="row">
        <SearchBox value={query.q ?? ""} onInput={(q) => change({ q })} />
        <button class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" size={16} /> {text.filters}
          {chosen > 0 && <span class="filter-count"> {count(chosen)}</span>}
        </button>
        {query.template && <OneTemplate id={query.template} onRemove={() => change({ template: undefined })} />}
        {onClear && (
          <button class="quiet" onClick={onClear}>
            {text.clear}
          </button>
        )}
        <SavedViews query={query} change={change} />
      </div>
      {isOpen && (
        <div class="panel workflow-filter-fields">
          <SelectField
            label={text.kind}
            value={query.kind ?? ""}
            onInput={(kind) => change({ kind })}
            options={Object.entries(text.kinds).map(([value, label]) => ({ value, label }))}
          />
          <NameFilter
            label={text.tool}
            any={text.anyTool}
            value={query.tool}
            names={counts?.tools}
            nameOf={words}
            onInput={(tool) => change({ tool })}
          />
          <NameFilter
            label={text.model}
            any={text.anyModel}
            value={query.model}
            names={counts?.models}
            nameOf={names}
            onInput={(model) => change({ model })}
          />
          <NameFilter
            label={text.reason}
            any={text.anyReason}
            value={query.reason}
            names={counts?.reasons}
            nameOf={(code) => text.reasons[code] ?? words(code)}
            onInput={(reason) => change({ reason })}
          />
          <div class="workflow-days">
            <DateField label={text.from} value={query.from} max={query.to} onInput={(from) => change({ from })} />
            <DateField label={text.to} value={query.to} min={query.from} onInput={(to) => change({ to })} />
          </div>
        </div>
      )}
    </div>
  );
}

/** The template whose workflows are shown, by its name, which it has lost when it was deleted. */
function OneTemplate({ id, onRemove }: { id: string; onRemove: () => void }) {
  const { data } = useData(
    async (signal) =>
      (await get("/v1/creative-agent/workflows/templates/{id}", { path: { id }, signal })).template.name,
    [id],
  );
  const label = text.ofTemplate(plain(data ?? ""));
  return (
    <button class="quiet" aria-label={`${label}: ${text.anyTemplate}`} title={text.anyTemplate} onClick={onRemove}>
      <span class="cut">{label}</span> <Icon name="close" size={14} />
    </button>
  );
}

interface NameFilterProps {
  label: string;
  any: string;
  value: string | undefined;
  /** Those that workflows of the account have. */
  names: string[] | undefined;
  nameOf: (name: string) => string;
  onInput: (name: string) => void;
}

function NameFilter({ label, any, value = "", names = [], nameOf, onInput }: NameFilterProps) {
  const all = names.includes(value) || !value ? names : [...names, value];
  if (!all.length) return null;
  return (
    <SelectField
      label={label}
      value={value}
      onInput={onInput}
      options={[{ value: "", label: any }, ...all.map((name) => ({ value: name, label: nameOf(name) }))]}
    />
  );
}

interface RowsProps {
  rows: WorkflowSummary[];
  isNarrow: boolean;
  onEnd?: () => void;
  picked: string[] | undefined;
  onPick: (picked: string[]) => void;
}

function Rows({ rows, isNarrow, onEnd, picked, onPick }: RowsProps) {
  const [isYoung, setYoung] = useState(false); // the newest row counts seconds
  const now = useNow(isYoung ? 1000 : 30_000);
  const newest = Date.parse(rows[0]?.createdAt ?? "");
  useEffect(() => setYoung(Math.max(now, Date.now()) - newest < 60_000), [newest, now]);
  const names = useModelNames();
  return (
    <VirtualList
      items={rows}
      rowHeight={isNarrow ? 106 : 76}
      keyOf={(row) => row.workflowId}
      label={text.list}
      onEnd={onEnd}
      row={(row) => {
        const line = <Row row={latest(row)} now={now} names={names} isLink={!picked} />;
        if (!picked) return line;
        const id = row.workflowId;
        const isPicked = picked.includes(id);
        return (
          <label class="workflow-pick">
            <input
              type="checkbox"
              aria-label={text.compare.pickOne(plain(row.title) || text.untitled)}
              checked={isPicked}
              disabled={!isPicked && picked.length === 2}
              onInput={() => onPick(isPicked ? picked.filter((p) => p !== id) : [...picked, id])}
            />
            {line}
          </label>
        );
      }}
    />
  );
}

function SearchBox({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const settled = useSettled(typed, 300);
  const sent = useRef(value);
  useEffect(() => {
    if (settled !== sent.current) onInput((sent.current = settled));
  }, [settled]);
  useLayoutEffect(() => {
    // before the person types
    if (value !== sent.current) setTyped((sent.current = value));
  }, [value]);
  return (
    <input
      class="grow"
      type="search"
      aria-label={text.search}
      placeholder={text.search}
      maxLength={200}
      value={typed}
      onInput={(e) => setTyped(e.currentTarget.value)}
    />
  );
}

interface RowProps {
  row: WorkflowSummary;
  now: number;
  names: (model: string) => string;
  isLink: boolean;
}

/** A row is drawn again when its workflow or its age changes, not when the list is scrolled. */
const Row = memo<RowProps>(
  (props) => <RowLine {...props} />,
  (a, b) => a.row === b.row && a.now === b.now && a.names === b.names && a.isLink === b.isLink,
);

/** What the workflow waits for, why it ended without a result, or what it has done. */
function secondLine(row: WorkflowSummary, now: number, names: (model: string) => string): string {
  if (row.waiting && !isOver(row.status)) {
    if (row.waiting.reason !== "cost_approval_required") return inWords(row.waiting.message, names);
    return Date.parse(row.waiting.until ?? "") <= now ? text.approvalExpired : text.approveOrDecline;
  }
  const parts = [text.endReasons[row.reason?.code ?? ""] ?? (row.reason && inWords(row.reason.message, names))];
  if (!row.reason || row.status === "partial_failure") parts.push(text.steps(row.stepsDone, row.steps));
  if (isOver(row.status) && row.artifactCount > 0) parts.push(text.results(row.artifactCount));
  return parts.filter(Boolean).join(" · ");
}

/** How long its steps have run, from the start of the first. */
function took({ status, startedAt, completedAt }: WorkflowSummary, now: number): string {
  if (!startedAt || (!completedAt && status !== "running")) return "";
  const end = completedAt ? Date.parse(completedAt) : now;
  return span(Math.max(0, end - Date.parse(startedAt)) / 1000);
}

/** What the account pays: nothing while the plan covers everything. */
function Cost({ row }: { row: WorkflowSummary }) {
  const paid = Number(row.cost) - Number(row.coveredByPlan);
  const isCovered = Number(row.coveredByPlan) > 0 && (paid === 0 || !isOver(row.status));
  return (
    <span class="workflow-cost small tabular">
      {isCovered ? (
        <span class="muted" title={text.coveredValue(price(row.coveredByPlan))}>
          {text.covered}
        </span>
      ) : (
        <>
          {price(paid.toFixed(6))} <span class="muted">Spark</span>
        </>
      )}
    </span>
  );
}

function RowLine({ row, now, names, isLink }: RowProps) {
  const [failed, setFailed] = useState(false);
  const Line = isLink ? "a" : "span";
  return (
    <Line class="workflow-row" href={isLink ? encoded`/workflows/${row.workflowId}` : undefined}>
      <span class={`workflow-picture kind-${row.kind ?? ""}`}>
        {row.thumbnailUrl && !failed ? (
          <img src={row.thumbnailUrl} alt="" loading="lazy" decoding="async" onError={() => setFailed(true)} />
        ) : (
          <Icon name={row.kind ? kindIcon(row.kind) : "workflow"} />
        )}
      </span>
      <span class="workflow-name">
        <span class="workflow-called">
          <bdi class="cut">{plain(row.title) || text.untitled}</bdi>
          {row.about && <bdi class="cut muted">{plain(row.about)}</bdi>}
        </span>
        <span class="small muted workflow-line">{secondLine(row, now, names)}</span>
      </span>
      <span class="workflow-state">
        {row.status === "running" ? (
          <span class="workflow-running">
            <span class="small tabular">{percent(row.progress)}</span>
            <Progress value={row.progress} label={text.progress} />
          </span>
        ) : (
          <Status status={row.status} />
        )}
      </span>
      <span class="workflow-took small muted tabular">{took(row, now)}</span>
      <Cost row={row} />
      <time class="workflow-age small muted" dateTime={row.createdAt} title={moment(row.createdAt)}>
        {ago(row.createdAt, now)}
      </time>
    </Line>
  );
}
