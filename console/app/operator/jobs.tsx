// Jobs: all of them, one, those that failed, those that were compared, and those that wait for an operator.

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { amount, count, lasting, moment, span, unit, words } from "../format";
import { useData, useNow } from "../hooks";
import { useJobNames, useMediaTypes, useModelIds, useModelNames } from "../models/names";
import { Status } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
import { Choices, Field, SelectField } from "../parts/field";
import { Icon } from "../parts/icon";
import { Empty, Failure, Notice } from "../parts/notice";
import { PagedTable } from "../parts/table";
import { text as models } from "../texts/models";
import { text } from "../texts/operator";
import type { OperatorJob, UnresolvedJob } from "../types";
import { noteDecision } from "./decisions";
import { ActionDialog, useList, Wallet, When, WorkerLink, workflowPath } from "./parts";
import { nameOf as nameOfWorker } from "./workers";

/** The way to a job, by what it makes. */
export const JobLink = ({ id, children }: { id: string; children: ComponentChildren }) => (
  <a href={encoded`/operator/jobs/${id}`} title={id}>
    {children}
  </a>
);

/** The list of the jobs that a query selects. */
export const jobsPath = (query: Partial<Record<"state" | (typeof narrowings)[number], string>>) =>
  `/operator/jobs?${new URLSearchParams(query)}`;

const CopiedId = ({ id }: { id: string }) => (
  <span class="row copied-id">
    <code>{id}</code>
    <CopyButton value={id} />
  </span>
);

/** The end of an id, as jobs of one time begin alike; the whole one is the title, and on the page of the job. */
const JobId = ({ id }: { id: string }) => (
  <a class="job-id small" href={encoded`/operator/jobs/${id}`} title={id}>
    <code>{id.slice(-6)}</code>
  </a>
);

const State = ({ of: { state } }: { of: OperatorJob }) => <Status status={state} name={text.jobs.states[state]} />;

const seconds = (from: string, to: string | null, now: number) =>
  span(Math.max(0, (to ? Date.parse(to) : now) - Date.parse(from)) / 1000);

/** How long a job waited for a worker; one that ended before it had one waited until then. */
const waited = (j: OperatorJob, now: number) => seconds(j.createdAt, j.startedAt ?? j.endedAt, now);

const took = (j: OperatorJob, now: number) => (j.startedAt ? seconds(j.startedAt, j.endedAt, now) : "");

/** What filters and links narrow the list to, besides the state. */
const narrowings = ["code", "modelId", "wallet", "workerId", "workflowId", "failedLike", "hours"] as const;

export function Jobs({ wallet }: { wallet?: string }) {
  const { query, path, route } = useLocation();
  const state = query.state ?? "";
  const { code, modelId, workerId, workflowId, failedLike, hours } = query;
  const [isOpen, setOpen] = useState(false);
  const list = useList(
    (options) => get("/v1/operator/jobs", options),
    (page) => page.jobs,
    {
      wallet: wallet ?? query.wallet,
      state: state || undefined,
      code,
      modelId,
      workerId,
      workflowId,
      failedLike,
      hours,
    },
  );
  const nameOf = useJobNames();
  const now = useNow();
  const leave = (...names: string[]) => Object.entries(query).filter(([name, value]) => value && !names.includes(name));
  const open = (entries: string[][]) => route(entries.length ? `${path}?${new URLSearchParams(entries)}` : path, true);
  // All is all of them. Only what failed, or was cancelled, has an error.
  const go = (value: string) => {
    if (!value) open(leave("state", ...narrowings));
    else
      open([
        ...leave(
          "state",
          ...(["failed", "cancelled"].includes(value) ? [] : ["code", "hours"]),
          ...(value === "failed" ? [] : ["failedLike"]),
        ),
        ["state", value],
      ]);
  };
  const workerName = list.data?.find((j) => j.workerId === workerId)?.workerName;
  const hasError = ["failed", "cancelled"].includes(state);
  const change = (name: string, value: string) =>
    open([...leave(name, name === "code" && !hasError ? "state" : ""), ...(value ? [[name, value]] : [])]);
  const shown = {
    code: code && (text.jobs.codes[code] ?? code),
    wallet: query.wallet,
    modelId: modelId && nameOf(modelId),
    workerId: workerId && (workerName ?? workerId.slice(-6)),
    workflowId: workflowId?.slice(-6),
    failedLike: failedLike && (list.data?.[0]?.message ?? failedLike.slice(-6)),
    hours: hours && text.failures.hours(Number(hours)),
  };
  return (
    <>
      <div class="row job-filters">
        <Choices
          label={text.jobs.state}
          value={state}
          onInput={go}
          options={["", "queued", "leased", "completed", "failed", "cancelled"].map((value) => ({
            value,
            label: value ? (text.jobs.states[value] ?? words(value)) : text.jobs.all,
          }))}
        />
        <button class="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name="filter" size={16} /> {text.jobs.filters}
        </button>
      </div>
      {isOpen && (
        <JobFilters
          query={query}
          models={list.data?.map((j) => j.modelId) ?? []}
          ofAccount={!wallet}
          onInput={change}
        />
      )}
      {narrowings.some((name) => query[name]) && (
        <ul class="row" aria-label={text.jobs.only}>
          {narrowings.map(
            (name) =>
              query[name] && (
                <li key={name}>
                  <button
                    class="filter-chip"
                    aria-label={text.jobs.lift(text.jobs.narrowed[name], shown[name]!)}
                    title={query[name]}
                    onClick={() => open(leave(name))}>
                    {text.jobs.narrowed[name]}: <strong>{shown[name]}</strong> <Icon name="close" />
                  </button>
                </li>
              ),
          )}
        </ul>
      )}
      <PagedTable
        label={text.areas.jobs}
        list={list}
        keyOf={(j) => j.jobId}
        none={text.jobs.none}
        columns={[
          {
            name: text.jobs.model,
            cell: (j) => (
              <span class="nowrap">
                <JobLink id={j.jobId}>{nameOf(j.modelId)}</JobLink>
              </span>
            ),
          },
          { name: text.jobs.state, cell: (j) => <State of={j} /> },
          {
            name: text.jobs.error,
            class: "rest",
            cell: (j) =>
              j.code && (
                <span class="one-line small" title={`${j.message} (${j.code})`}>
                  {j.message}
                </span>
              ),
          },
          !wallet && { name: text.jobs.account, cell: (j) => <Wallet wallet={j.walletAddress} name={j.username} /> },
          {
            name: text.jobs.worker,
            cell: (j) =>
              j.workerId && (
                <span class="one-line" title={j.workerName ?? j.workerId}>
                  <WorkerLink id={j.workerId} name={j.workerName} />
                </span>
              ),
          },
          {
            name: text.jobs.workflow,
            cell: (j) =>
              j.workflowId && (
                <a href={workflowPath(j.workflowId, j.walletAddress)} title={j.workflowId}>
                  {text.jobs.open}
                  <span class="offscreen"> {j.workflowId}</span>
                </a>
              ),
          },
          { name: text.jobs.waited, number: true, class: "nowrap", cell: (j) => waited(j, now) },
          { name: text.jobs.took, number: true, class: "nowrap", cell: (j) => took(j, now) },
          { name: text.jobs.created, cell: (j) => <When at={j.createdAt} /> },
          { name: text.jobs.job, class: "nowrap", cell: (j) => <JobId id={j.jobId} /> },
        ]}
      />
    </>
  );
}

/** The filters that the API has, as controls. Those of a worker are the ones that are connected. */
function JobFilters({
  query,
  models,
  ofAccount,
  onInput,
}: {
  query: Record<string, string>;
  models: string[];
  ofAccount: boolean;
  onInput: (name: (typeof narrowings)[number], value: string) => void;
}) {
  const nameOf = useJobNames();
  const catalog = useModelIds();
  const workers = useData(async (signal) => (await get("/v1/operator/workers", { signal })).workers, []);
  const { modelId = "", workerId = "", code = "", wallet = "" } = query;
  const field = (name: "modelId" | "workerId" | "code", value: string, options: { value: string; label: string }[]) => (
    <SelectField
      label={text.jobs.narrowed[name]}
      value={value}
      onInput={(next) => onInput(name, next)}
      options={[
        { value: "", label: text.jobs.any },
        ...options,
        ...(!value || options.some((option) => option.value === value) ? [] : [{ value, label: value }]),
      ]}
    />
  );
  const ids = [...new Set([...catalog, ...models])];
  return (
    <div class="panel workflow-filter-fields" role="search" aria-label={text.jobs.filters}>
      {field(
        "modelId",
        modelId,
        ids.map((value) => ({ value, label: nameOf(value) })).sort((a, b) => a.label.localeCompare(b.label)),
      )}
      {ofAccount && (
        <Field label={text.jobs.account}>
          {(ids) => (
            <input
              {...ids}
              type="search"
              placeholder={text.jobs.accountHint}
              maxLength={64}
              value={wallet}
              onChange={(e) => onInput("wallet", e.currentTarget.value.trim())}
            />
          )}
        </Field>
      )}
      {field(
        "workerId",
        workerId,
        (workers.data ?? []).map((worker) => ({ value: worker.workerId, label: nameOfWorker(worker) })),
      )}
      {field(
        "code",
        code,
        Object.entries(text.jobs.codes).map(([value, label]) => ({ value, label })),
      )}
    </div>
  );
}

export function JobPage({ id }: { id: string }) {
  const job = useData((signal) => get("/v1/operator/jobs/{id}", { path: { id }, signal }), [id]);
  const j = job.data?.job;
  const nameOf = useJobNames();
  const now = useNow();
  if (job.error) return <Failure error={job.error} retry={job.reload} />;
  if (!j) return <div class="waiting tall" />;
  const facts: [string, ComponentChildren][] = [
    [text.jobs.job, <CopiedId id={j.jobId} />],
    [text.jobs.account, <Wallet wallet={j.walletAddress} name={j.username} />],
    [
      text.jobs.model,
      j.modelId === j.toolName ? words(j.modelId) : <a href={encoded`/models/${j.modelId}`}>{nameOf(j.modelId)}</a>,
    ],
    [
      text.jobs.workflow,
      j.workflowId && (
        <span class="row">
          <a href={workflowPath(j.workflowId, j.walletAddress)}>
            <code title={j.workflowId}>…{j.workflowId.slice(-6)}</code>
          </a>
          <CopyButton value={j.workflowId} />
        </span>
      ),
    ],
    [text.jobs.attempt, j.attempt],
    [text.jobs.worker, j.workerId && <WorkerLink id={j.workerId} name={j.workerName} />],
    [
      text.jobs.cost,
      ["failed", "cancelled"].includes(j.state) ? text.jobs.uncharged : unit(amount(j.cost.spark), "Spark"),
    ],
    [text.jobs.error, j.code && (j.code === "error" ? j.message : `${j.code}: ${j.message}`)],
    [text.jobs.created, moment(j.createdAt)],
    [text.jobs.waited, waited(j, now)],
    [text.jobs.took, took(j, now)],
  ];
  return (
    <section class="panel stack">
      <h2>
        {words(j.toolName)} <State of={j} />
      </h2>
      {j.state === "queued" && (
        <Notice tone={j.unservedSince ? "warn" : "plain"}>
          {j.unservedSince ? text.jobs.unserved(lasting(j.unservedSince, now)) : text.jobs.inQueue}{" "}
          <a href={encoded`/network?model=${j.modelId}`}>{text.jobs.seeNetwork}</a>
          {j.unservedSince && (
            <>
              {" "}
              · <a href={encoded`/models/${j.modelId}`}>{text.jobs.whatItNeeds}</a>
            </>
          )}
        </Notice>
      )}
      <dl class="facts two">
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <Fact key={name} name={name} wide={name === text.jobs.job || name === text.jobs.error}>
              {value}
            </Fact>
          ))}
      </dl>
      <h3>{text.jobs.arguments}</h3>
      <pre class="well" tabIndex={0}>
        <code>{JSON.stringify(j.arguments, null, 2)}</code>
      </pre>
    </section>
  );
}

/** How many failed in each part of the time, as bars of which the highest is the largest. */
function Trend({ parts }: { parts: number[] }) {
  const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
  const said = text.failures.recent(sum(parts.slice(-parts.length / 4)), sum(parts));
  const most = Math.max(1, ...parts);
  return (
    <svg class="trend" role="img" aria-label={said} viewBox={`0 0 ${6 * parts.length} 16`} preserveAspectRatio="none">
      <title>{said}</title>
      {parts.map((n, i) => {
        const height = n ? Math.max(3, (16 * n) / most) : 1;
        return <rect key={i} x={6 * i} y={16 - height} width={4} height={height} opacity={n ? 1 : 0.35} />;
      })}
    </svg>
  );
}

export function Failures() {
  const { query, path, route } = useLocation();
  const hours = [1, 24, 168, 720].find((n) => String(n) === query.hours) ?? 24;
  const names = useJobNames();
  const mediaType = useMediaTypes();
  const list = useData((signal) => get("/v1/operator/failures", { query: { hours }, signal }), [hours]);
  const isCoded = list.data?.failures.some((f) => f.code !== "error");
  return (
    <section class="stack">
      <Choices
        label={text.failures.range}
        value={String(hours)}
        onInput={(value) => route(`${path}?hours=${value}`, true)}
        options={[1, 24, 168, 720].map((n) => ({ value: String(n), label: text.failures.hours(n) }))}
      />
      <PagedTable
        label={text.areas.failures}
        list={{ ...list, data: list.data?.failures, hasMore: false, more: () => {}, set: () => {} }}
        keyOf={(f) => f.code + f.modelId + f.message}
        none={text.failures.none}
        columns={[
          {
            name: text.failures.message,
            cell: (f) => (
              <a class="excerpt" href={jobsPath({ state: "failed", failedLike: f.sampleJobId, hours: String(hours) })}>
                {f.message}
              </a>
            ),
          },
          { name: text.failures.count, number: true, cell: (f) => count(f.count) },
          { name: text.failures.accounts, number: true, cell: (f) => count(f.accounts) },
          {
            name: text.failures.kind,
            class: "nowrap",
            cell: (f) => (f.isTask ? text.failures.task(names(f.modelId)) : models.kinds[mediaType(f.modelId) ?? ""]),
          },
          { name: text.failures.model, class: "nowrap", cell: (f) => !f.isTask && names(f.modelId) },
          { name: text.failures.trend, cell: (f) => <Trend parts={f.trend} /> },
          {
            name: text.failures.last,
            cell: (f) => (
              <>
                <When at={f.lastAt} />{" "}
                <span class="nowrap">
                  <JobLink id={f.sampleJobId}>{text.failures.newest}</JobLink>
                </span>
              </>
            ),
          },
          {
            name: text.failures.code,
            cell: (f) =>
              isCoded && (
                <span class="small" title={f.code}>
                  {text.jobs.codes[f.code] ?? f.code}
                </span>
              ),
          },
        ]}
      />
    </section>
  );
}

export function SpotChecks() {
  const list = useList(
    (options) => get("/v1/operator/spot-checks", options),
    (page) => page.spotChecks,
  );
  const names = useModelNames();
  return (
    <section class="stack">
      <p class="muted">{text.spotChecks.about}</p>
      <PagedTable
        label={text.areas["spot-checks"]}
        list={list}
        keyOf={(c) => c.jobId}
        none={<Empty title={text.spotChecks.none}>{text.spotChecks.noneHelp}</Empty>}
        columns={[
          { name: text.jobs.model, cell: (c) => <JobLink id={c.jobId}>{names(c.modelId)}</JobLink> },
          { name: text.jobs.created, cell: (c) => <When at={c.createdAt} /> },
          { name: text.spotChecks.result, cell: (c) => text.spotChecks.states[c.status] ?? c.status },
          {
            name: text.spotChecks.workers,
            cell: (c) =>
              c.renders
                .filter((r) => r.walletAddress)
                .map((r) => `${r.worker} (${r.username || r.walletAddress})`)
                .join(", "),
          },
          {
            name: text.spotChecks.fault,
            cell: (c) =>
              c.atFault && (
                <Wallet wallet={c.atFault} name={c.renders.find((r) => r.walletAddress === c.atFault)?.username} />
              ),
          },
          { name: text.spotChecks.reason, cell: (c) => c.reason },
        ]}
      />
    </section>
  );
}

export function Unresolved() {
  const list = useList(
    (options) => get("/v1/operator/unresolved", options),
    (page) => page.jobs,
  );
  const [job, setJob] = useState<UnresolvedJob>();
  const names = useModelNames();
  return (
    <section class="stack">
      <p class="muted">{text.unresolved.about}</p>
      <PagedTable
        label={text.areas.unresolved}
        list={list}
        keyOf={(j) => j.jobId}
        none={<Empty title={text.unresolved.none}>{text.unresolved.noneHelp}</Empty>}
        columns={[
          { name: text.jobs.model, cell: (j) => <JobLink id={j.jobId}>{names(j.modelId)}</JobLink> },
          { name: text.jobs.account, cell: (j) => <Wallet wallet={j.walletAddress} name={j.username} /> },
          { name: text.unresolved.receipt, cell: (j) => <code>{j.receipt}</code> },
          { name: text.unresolved.asked, number: true, cell: (j) => count(j.asked) },
          { name: text.jobs.error, cell: (j) => j.message },
          {
            name: "",
            cell: (j) => (
              <button class="quiet" onClick={() => setJob(j)}>
                {text.unresolved.resolve}
              </button>
            ),
          },
        ]}
      />
      {job && (
        <ActionDialog
          title={text.unresolved.resolve}
          about={text.unresolved.resolveText}
          confirm={text.unresolved.resolve}
          danger
          onClose={() => setJob(undefined)}
          run={async (reason) => {
            await post("/v1/operator/unresolved/{jobId}/resolve", { reason }, { path: { jobId: job.jobId } });
            list.reload();
            noteDecision();
          }}
        />
      )}
    </section>
  );
}
