// Jobs, failures, spot checks, unresolved jobs, LoRAs, refusals of the content filter, and actions.

import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { encoded, get, post, type SendOptions } from "../api";
import { ago, amount, count, lasting, moment, words } from "../format";
import { useChanges, useData, usePages } from "../hooks";
import { useModelNames } from "../models/names";
import { Chip, Progress, Status } from "../parts/chip";
import { CopyButton } from "../parts/copy";
import { Fact } from "../parts/fact";
import { Choices } from "../parts/field";
import { Failure } from "../parts/notice";
import { toastError } from "../parts/toast";
import { text } from "../texts/operator";
import type { Action, OperatorJob, OperatorLora, OperatorWorker, UnresolvedJob } from "../types";
import { ActionDialog, Table, Wallet } from "./parts";

/** A list of an operator endpoint, page by page. */
function useList<P extends { nextCursor: string | null }, T>(
  read: (options: SendOptions) => Promise<P>,
  items: (page: P) => T[],
  query: Record<string, string | undefined> = {},
) {
  return usePages(
    async (cursor, signal) => {
      const page = await read({ query: { ...query, cursor }, signal });
      return { items: items(page), nextCursor: page.nextCursor };
    },
    [JSON.stringify(query)],
  );
}

/** A job by the end of its id, as jobs of one time begin alike, and the whole id to copy: the search takes it. */
const JobLink = ({ id }: { id: string }) => (
  <span class="row">
    <a href={encoded`/operator/jobs/${id}`} title={id}>
      <code>{id.slice(-12)}</code>
    </a>
    <CopyButton value={id} />
  </span>
);

export function Jobs({ wallet }: { wallet?: string }) {
  const { query, path, route } = useLocation();
  const state = query.state ?? "";
  const list = useList(
    (options) => get("/v1/operator/jobs", options),
    (page) => page.jobs,
    { wallet, state: state || undefined, code: query.code, modelId: query.modelId },
  );
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
          { name: text.jobs.model, cell: (j) => j.modelId },
          ...(wallet
            ? []
            : [{ name: text.jobs.account, cell: (j: OperatorJob) => <Wallet wallet={j.walletAddress} /> }]),
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
    [text.jobs.account, <Wallet wallet={j.walletAddress} />],
    [text.jobs.model, j.modelId],
    [text.jobs.workflow, j.workflowId],
    [text.jobs.attempt, j.attempt],
    [text.jobs.worker, j.workerId],
    [text.jobs.cost, `${amount(j.cost.spark)} Spark`],
    [text.jobs.error, j.code && `${j.code}: ${j.message}`],
    [text.jobs.created, moment(j.createdAt)],
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
          { name: text.failures.model, cell: (f) => f.modelId },
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
          { name: text.spotChecks.fault, cell: (c) => c.atFault && <Wallet wallet={c.atFault} /> },
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
  return (
    <section class="stack">
      <p class="muted">{text.unresolved.about}</p>
      <Table
        list={list}
        keyOf={(j) => j.jobId}
        none={text.unresolved.none}
        columns={[
          { name: text.jobs.job, cell: (j) => <JobLink id={j.jobId} /> },
          { name: text.jobs.account, cell: (j) => <Wallet wallet={j.walletAddress} /> },
          { name: text.jobs.model, cell: (j) => j.modelId },
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
            await post(
              "/v1/operator/unresolved/{jobId}/resolve",
              { reason: reason || undefined },
              { path: { jobId: job.jobId } },
            );
            list.reload();
          }}
        />
      )}
    </section>
  );
}

export function Loras() {
  const { query, path, route } = useLocation();
  const status = query.status ?? "review";
  const list = useList(
    (options) => get("/v1/operator/loras", options),
    (page) => page.loras,
    { status: status === "all" ? undefined : status },
  );
  const [open, setOpen] = useState<{ lora: OperatorLora; action: "hold" | "release" | "revoke" }>();
  const run = async (reason: string) => {
    const { lora, action } = open!;
    if (action === "revoke")
      await post("/v1/operator/loras/{id}/revoke", { reason: reason || undefined }, { path: { id: lora.id } });
    else
      await post(
        "/v1/operator/loras/{id}/review",
        { release: action === "release", reason: reason || undefined },
        { path: { id: lora.id } },
      );
    list.reload();
  };
  return (
    <section class="stack">
      <Choices
        label={text.loras.status}
        value={status}
        onInput={(value) => route(`${path}?status=${value}`, true)}
        options={["review", "ready", "queued", "validating", "rejected", "revoked", "all"].map((value) => ({
          value,
          label: value === "all" ? text.jobs.all : words(value),
        }))}
      />
      <Table
        list={list}
        keyOf={(l) => l.id}
        none={text.loras.none}
        columns={[
          {
            name: text.loras.name,
            cell: (l) => (
              <>
                {l.name}
                <br />
                <span class="small muted">{l.link}</span>
              </>
            ),
          },
          { name: text.loras.status, cell: (l) => <Status status={l.status} /> },
          { name: text.loras.model, cell: (l) => l.modelId || l.family },
          { name: text.loras.owner, cell: (l) => <Wallet wallet={l.walletAddress} /> },
          {
            name: "",
            cell: (l) => (
              <span class="row">
                {l.status === "ready" && (
                  <button class="quiet" onClick={() => setOpen({ lora: l, action: "hold" })}>
                    {text.loras.hold}
                  </button>
                )}
                {l.status === "review" && (
                  <button class="quiet" onClick={() => setOpen({ lora: l, action: "release" })}>
                    {text.loras.release}
                  </button>
                )}
                {["ready", "review"].includes(l.status) && (
                  <button class="quiet" onClick={() => setOpen({ lora: l, action: "revoke" })}>
                    {text.loras.revoke}
                  </button>
                )}
              </span>
            ),
          },
        ]}
      />
      {open && (
        <ActionDialog
          title={`${text.loras[open.action]}: ${open.lora.name}`}
          about={open.action === "revoke" ? text.loras.revokeText : undefined}
          confirm={text.loras[open.action]}
          danger={open.action === "revoke"}
          onClose={() => setOpen(undefined)}
          run={run}
        />
      )}
    </section>
  );
}

export function FilterReviews() {
  const list = useList(
    (options) => get("/v1/operator/filter-reviews", options),
    (page) => page.filterReviews,
  );
  const judge = async (id: string, verdict: string) => {
    try {
      await post("/v1/operator/filter-reviews/{id}", { verdict }, { path: { id } });
      list.reload();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <section class="stack">
      <p class="muted">{text.filter.about}</p>
      <Table
        list={list}
        keyOf={(r) => r.id}
        none={text.filter.none}
        columns={[
          { name: text.actions.when, cell: (r) => moment(r.at) },
          { name: text.filter.excerpt, cell: (r) => <span class="excerpt">{r.excerpt}</span> },
          { name: text.filter.categories, cell: (r) => r.categories.map((c) => <Chip key={c}>{words(c)}</Chip>) },
          { name: text.jobs.account, cell: (r) => <Wallet wallet={r.walletAddress} /> },
          {
            name: text.filter.verdict,
            cell: (r) =>
              r.verdict ? (
                <Chip tone={r.verdict === "upheld" ? "good" : "warn"}>{text.filter[r.verdict]}</Chip>
              ) : (
                <span class="row">
                  <button class="quiet" onClick={() => void judge(r.id, "upheld")}>
                    {text.filter.upheld}
                  </button>
                  <button class="quiet" onClick={() => void judge(r.id, "overturned")}>
                    {text.filter.overturned}
                  </button>
                </span>
              ),
          },
        ]}
      />
    </section>
  );
}

export function Actions({ wallet }: { wallet?: string }) {
  const list = useList(
    (options) => get("/v1/operator/actions", options),
    (page) => page.actions,
    { wallet },
  );
  return (
    <Table
      list={list}
      keyOf={(a) => a.id}
      none={text.actions.none}
      columns={[
        { name: text.actions.when, cell: (a) => moment(a.at) },
        {
          name: text.actions.who,
          cell: (a) => (a.operator.startsWith("0x") ? <Wallet wallet={a.operator} /> : a.operator),
        },
        {
          name: text.actions.what,
          cell: (a) => (
            <>
              {words(a.action)} <span class="muted">{a.detail}</span>
            </>
          ),
        },
        ...(wallet
          ? []
          : [
              {
                name: text.actions.whom,
                cell: (a: Action) => (a.walletAddress ? <Wallet wallet={a.walletAddress} /> : a.targetId),
              },
            ]),
        { name: text.actions.why, cell: (a) => a.reason },
      ]}
    />
  );
}

export function Workers() {
  const list = useList(
    (options) => get("/v1/operator/workers", options),
    (page) => page.workers,
  );
  useChanges(["network"], list.reload);
  const drain = async (worker: OperatorWorker) => {
    try {
      await post("/v1/operator/workers/{id}/drain", { draining: !worker.draining }, { path: { id: worker.workerId } });
      list.reload();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Table
      list={list}
      keyOf={(w) => w.workerId}
      none={text.workers.none}
      columns={[
        {
          name: text.workers.name,
          cell: (w) => (
            <>
              <strong>{w.name}</strong> {w.draining && <Chip tone="warn">{text.workers.draining}</Chip>}
              {w.unavailable && (
                <>
                  <Chip tone="warn">{text.workers.unavailable}</Chip>
                  <br />
                  <span class="small">{w.unavailable}</span>
                </>
              )}
              {w.notClaimingSince && <Chip tone="warn">{text.workers.notClaiming(lasting(w.notClaimingSince))}</Chip>}
              <br />
              <Wallet wallet={w.walletAddress} />{" "}
              <span class="small muted">{[w.gpu, w.version].filter(Boolean).join(" · ")}</span>
            </>
          ),
        },
        { name: text.workers.network, cell: (w) => w.network },
        { name: text.workers.models, number: true, cell: (w) => count(w.models.length) },
        {
          name: text.workers.loaded,
          cell: (w) => (
            <>
              {w.loadedModels.join(", ")}
              {w.modelSwitches > 0 && <div class="small muted">{text.workers.switches(w.modelSwitches)}</div>}
            </>
          ),
        },
        {
          name: text.workers.jobs,
          cell: (w) => (
            <>
              {text.workers.of(w.jobs.length, w.capacity)}
              {w.jobs.map((j) => (
                <div key={j.jobId} class="small">
                  <a href={encoded`/operator/jobs/${j.jobId}`}>{words(j.toolName)}</a>
                  <Progress label={words(j.toolName)} value={j.progress} />
                </div>
              ))}
            </>
          ),
        },
        { name: text.workers.seen, cell: (w) => ago(w.lastSeenAt) },
        {
          name: "",
          cell: (w) => (
            <button class="quiet" onClick={() => void drain(w)}>
              {w.draining ? text.workers.resume : text.workers.drain}
            </button>
          ),
        },
      ]}
    />
  );
}
