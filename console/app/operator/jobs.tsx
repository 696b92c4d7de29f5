// Jobs: all of them, one, those that failed, those that were compared, and those that wait for an operator.

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { encoded, get, post } from "../api";
import { ago, amount, count, moment, span, words } from "../format";
import { useData, useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { Status } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
import { Choices } from "../parts/field";
import { Failure } from "../parts/notice";
import { text } from "../texts/operator";
import type { OperatorJob, UnresolvedJob } from "../types";
import { ActionDialog, Table, useList, Wallet } from "./parts";

/** A job by the end of its id, as jobs of one time begin alike, and the whole id to copy: the search takes it. */
export const JobLink = ({ id }: { id: string }) => (
  <span class="row">
    <a href={encoded`/operator/jobs/${id}`} title={id}>
      <code>{id.slice(-12)}</code>
    </a>
    <CopyButton value={id} />
  </span>
);

/** The model of a job, or its tool where that needs none. */
function useJobModel() {
  const names = useModelNames();
  return ({ modelId, toolName }: { modelId: string; toolName?: string }) =>
    modelId === toolName ? words(modelId) : names(modelId);
}

const seconds = (from: string, to: string | null, now: number) =>
  span(Math.max(0, (to ? Date.parse(to) : now) - Date.parse(from)) / 1000);

/** How long a job waited for a worker; one that ended before it had one waited until then. */
const waited = (j: OperatorJob, now: number) => seconds(j.createdAt, j.startedAt ?? j.endedAt, now);

const took = (j: OperatorJob, now: number) => (j.startedAt ? seconds(j.startedAt, j.endedAt, now) : "");

export function Jobs({ wallet }: { wallet?: string }) {
  const { query, path, route } = useLocation();
  const state = query.state ?? "";
  const list = useList(
    (options) => get("/v1/operator/jobs", options),
    (page) => page.jobs,
    { wallet, state: state || undefined, code: query.code, modelId: query.modelId },
  );
  const nameOf = useJobModel();
  const now = useNow();
  const go = (value: string) => {
    const next = new URLSearchParams({ ...query, state: value });
    if (!value) next.delete("state");
    route(`${path}?${next}`, true);
  };
  return (
    <>
      <Choices
        label={text.jobs.state}
        value={state}
        onInput={go}
        options={["", "queued", "leased", "completed", "failed", "cancelled"].map((value) => ({
          value,
          label: value ? words(value) : text.jobs.all,
        }))}
      />
      <Table
        list={list}
        keyOf={(j) => j.jobId}
        none={text.jobs.none}
        columns={[
          { name: text.jobs.job, cell: (j) => <JobLink id={j.jobId} /> },
          { name: text.jobs.state, cell: (j) => <Status status={j.state} /> },
          { name: text.jobs.model, cell: (j) => nameOf(j) },
          ...(wallet
            ? []
            : [
                {
                  name: text.jobs.account,
                  cell: (j: OperatorJob) => <Wallet wallet={j.walletAddress} name={j.username} />,
                },
              ]),
          { name: text.jobs.waited, number: true, cell: (j) => waited(j, now) },
          { name: text.jobs.took, number: true, cell: (j) => took(j, now) },
          {
            name: text.jobs.error,
            cell: (j) =>
              j.code ? (
                <>
                  {j.code}: {j.message}
                </>
              ) : (
                ""
              ),
          },
          { name: text.jobs.created, cell: (j) => moment(j.createdAt) },
        ]}
      />
    </>
  );
}

export function JobPage({ id }: { id: string }) {
  const job = useData((signal) => get("/v1/operator/jobs/{id}", { path: { id }, signal }), [id]);
  const j = job.data?.job;
  const nameOf = useJobModel();
  const now = useNow();
  if (job.error) return <Failure error={job.error} retry={job.reload} />;
  if (!j) return <div class="waiting tall" />;
  const facts: [string, ComponentChildren][] = [
    [
      text.jobs.job,
      <span class="row">
        <code>{j.jobId}</code>
        <CopyButton value={j.jobId} />
      </span>,
    ],
    [text.jobs.account, <Wallet wallet={j.walletAddress} name={j.username} />],
    [text.jobs.model, <span title={j.modelId}>{nameOf(j)}</span>],
    [text.jobs.workflow, j.workflowId],
    [text.jobs.attempt, j.attempt],
    [text.jobs.worker, j.workerId],
    [text.jobs.cost, `${amount(j.cost.spark)} Spark`],
    [text.jobs.error, j.code && `${j.code}: ${j.message}`],
    [text.jobs.created, moment(j.createdAt)],
    [text.jobs.waited, waited(j, now)],
    [text.jobs.took, took(j, now)],
  ];
  return (
    <section class="panel stack">
      <h2>
        {words(j.toolName)} <Status status={j.state} />
      </h2>
      <dl class="facts">
        {facts
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <Fact key={name} name={name}>
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

export function Failures() {
  const { query, path, route } = useLocation();
  const hours = [1, 24, 168, 720].find((n) => String(n) === query.hours) ?? 24;
  const names = useModelNames();
  const list = useData((signal) => get("/v1/operator/failures", { query: { hours }, signal }), [hours]);
  return (
    <section class="stack">
      <Choices
        label={text.failures.range}
        value={String(hours)}
        onInput={(value) => route(`${path}?hours=${value}`, true)}
        options={[1, 24, 168, 720].map((n) => ({ value: String(n), label: text.failures.hours(n) }))}
      />
      <Table
        list={{ ...list, data: list.data?.failures, hasMore: false, more: () => {}, set: () => {} }}
        keyOf={(f) => f.code + f.modelId + f.message}
        none={text.failures.none}
        columns={[
          { name: text.failures.count, number: true, cell: (f) => count(f.count) },
          {
            name: text.failures.code,
            cell: (f) => (
              <a href={`/operator/jobs?${new URLSearchParams({ state: "failed", code: f.code, modelId: f.modelId })}`}>
                {f.code}
              </a>
            ),
          },
          { name: text.failures.message, cell: (f) => f.message },
          { name: text.failures.model, cell: (f) => names(f.modelId) },
          { name: text.failures.last, cell: (f) => ago(f.lastAt) },
          { name: text.failures.sample, cell: (f) => <JobLink id={f.sampleJobId} /> },
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
      <Table
        list={list}
        keyOf={(c) => c.jobId}
        none={text.spotChecks.none}
        columns={[
          { name: text.jobs.job, cell: (c) => <JobLink id={c.jobId} /> },
          { name: text.jobs.model, cell: (c) => names(c.modelId) },
          { name: text.jobs.created, cell: (c) => ago(c.createdAt) },
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
      <Table
        list={list}
        keyOf={(j) => j.jobId}
        none={text.unresolved.none}
        columns={[
          { name: text.jobs.job, cell: (j) => <JobLink id={j.jobId} /> },
          { name: text.jobs.account, cell: (j) => <Wallet wallet={j.walletAddress} name={j.username} /> },
          { name: text.jobs.model, cell: (j) => names(j.modelId) },
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
          }}
        />
      )}
    </section>
  );
}
