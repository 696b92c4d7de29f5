// How the installation is: its parts, nodes, queues and failures now, and the work of the last days.

import { useState } from "preact/hooks";
import { encoded, get } from "../api";
import { ago, bytes, clock, count, lasting, words } from "../format";
import { useChanges, useData, useEvery, useNow, type Resource } from "../hooks";
import { useJobNames } from "../models/names";
import { History, rangeOf } from "../network/history";
import { Chip } from "../parts/chip";
import { Fact } from "../parts/fact";
import { Failure } from "../parts/notice";
import { Table } from "../parts/table";
import { useNarrow } from "../query";
import { lostAt } from "../reach";
import { text } from "../texts/operator";
import type * as api from "../types";
import { isConnected } from "./connection-draft";
import { ToDecide, type Waiting } from "./decisions";
import { jobsPath } from "./jobs";
import { unknownSince } from "./known";
import { OverTime } from "./over-time";

export function Health({ waiting: decisions }: { waiting: Waiting | undefined }) {
  const isPhone = useNarrow("40rem");
  const [days, setDays] = useState("");
  const health = useData(async (signal) => ({ ...(await get("/v1/operator/health", { signal })), at: Date.now() }), []);
  const time = useNow();
  useChanges(["network"], health.reload);
  useEvery(30_000, health.reload); // nodes are seen again
  const waiting = useData(async (signal) => unserved((await get("/v1/network", { signal })).models), []);
  useChanges(["network"], waiting.reload);
  const connections = useData(async (signal) => (await get("/v1/operator/connections", { signal })).connections, []);
  useEvery(30_000, connections.reload);
  const failures = useData((signal) => get("/v1/operator/failures", { query: { hours: 24 }, signal }), []);
  const names = useJobNames();
  const h = health.data?.health;
  const connected = connections.data?.filter(isConnected);
  const down = connections.data?.filter(isDown) ?? [];
  const unservedTitle = text.health.unserved((waiting.data ?? []).reduce((n, m) => n + m.waitingForWorker, 0));
  const failed = failures.data?.failures ?? [];
  if (!h && health.error) return <Failure error={health.error} retry={health.reload} />;
  if (!h) return <div class="waiting tall" />;
  const lost = unknownSince(health.data!.at, time, lostAt.value?.getTime() ?? null, health.error !== undefined);
  const now = lost ?? time;
  const drained = h.networks.reduce((n, network) => n + network.draining, 0);
  const title =
    lost !== null
      ? text.health.unknown(clock(lost))
      : h.status !== "ok"
        ? text.health.failing
        : down.length
          ? text.health.down(down.length)
          : waiting.data?.length
            ? unservedTitle
            : text.health.ok;
  return (
    <div class={lost !== null ? "stack stale" : "stack"}>
      {health.error && !lostAt.value && <Failure error={health.error} retry={health.reload} />}
      <div class="panels">
        <section class="panel stack">
          <h2>{title}</h2>
          {drained > 0 && (
            <p class="small">
              <a href="/operator/workers">{text.health.drained(drained)}</a>
            </p>
          )}
          {down.map((c) => (
            <p key={c.connectionId} class="error-text">
              <a href="/operator/connections">{c.name}</a>: {c.problem ?? c.health?.message}
            </p>
          ))}
          {!!waiting.data?.length && (
            <p class="small">
              {down.length > 0 && `${unservedTitle}. `}
              {text.health.unservedHelp}{" "}
              {waiting.data.map((m, i) => (
                <>
                  {i > 0 && ", "}
                  <a href={encoded`/models/${m.modelId}`}>{names(m.modelId)}</a>
                </>
              ))}
            </p>
          )}
          <ul class="row">
            {Object.entries(h.parts).map(([name, state]) => (
              <li key={name}>
                <Chip tone={lost !== null ? "" : state === "ok" ? "good" : "bad"}>
                  {name}: {lost !== null ? text.health.unknownPart : state}
                </Chip>
              </li>
            ))}
          </ul>
          <dl class="facts">
            <Fact name={text.health.version}>{h.version}</Fact>
            <Fact name={text.health.uptime}>{lasting(health.data!.at - h.uptimeSeconds * 1000, now)}</Fact>
            <Fact name={text.health.memory}>{bytes(h.memoryBytes)}</Fact>
            {h.freeBytes !== null && <Fact name={text.health.free}>{bytes(h.freeBytes)}</Fact>}
            {connected && (
              <Fact name={text.areas.connections}>
                <a href="/operator/connections">
                  {text.health.answering(connected.length, connected.filter(isDown).length)}
                </a>
              </Fact>
            )}
            <Fact name={text.areas.review}>
              <ToDecide waiting={decisions} />
            </Fact>
            <Fact name={text.health.oldest}>
              {h.oldestWaiting ? (
                <a href={encoded`/operator/jobs/${h.oldestWaiting.jobId}`}>
                  {names(h.oldestWaiting.modelId)}, {text.health.lasting(lasting(h.oldestWaiting.createdAt, now))}
                </a>
              ) : (
                text.health.noneWaiting
              )}
            </Fact>
          </dl>
        </section>
        <Queues networks={h.networks} />
      </div>
      {(isPhone || failed.length > 0) && <Failing list={failures} />}
      {isPhone && <Nodes nodes={h.nodes} now={now} />}
      <OverTime />
      <div class="panels">
        {!isPhone && <Nodes nodes={h.nodes} now={now} />}
        {!isPhone && failed.length === 0 && <Failing list={failures} />}
      </div>
      <History days={rangeOf(days)} onDays={setDays} />
    </div>
  );
}

/** What is used and does not answer, or cannot be used. */
const isDown = (c: api.Connection) => c.problem !== null || c.health?.state === "failing";

/** The models that jobs wait for although no worker that is connected renders them. */
const unserved = (models: api.NetworkModel[]) => models.filter((m) => m.waitingForWorker > 0);

function Queues({ networks }: { networks: api.NetworkHealth[] }) {
  return (
    <section class="panel stack">
      <h2>{text.health.queues}</h2>
      <Table
        label={text.health.queues}
        rows={networks}
        keyOf={(n) => n.network}
        columns={[
          { name: text.health.network, cell: (n) => words(n.network) },
          { name: text.health.queued, number: true, class: "figure-small", cell: (n) => count(n.queued) },
          { name: text.health.active, number: true, class: "figure-small", cell: (n) => count(n.active) },
          {
            name: text.health.workers,
            number: true,
            class: "figure-small",
            cell: (n) => text.health.claiming(n.workers - n.draining, n.draining),
          },
        ]}
      />
      <p class="small muted">{text.health.queuesHelp}</p>
    </section>
  );
}

const bytesOrNone = (n: number | null) => (n === null ? "–" : bytes(n));

function Nodes({ nodes, now }: { nodes: api.NodeHealth[]; now: number }) {
  return (
    <section class="panel stack wide">
      <h2>
        {text.health.nodes} <span class="muted">{count(nodes.length)}</span>
      </h2>
      <Table
        label={text.health.nodes}
        rows={nodes}
        keyOf={(node) => node.name}
        columns={[
          { name: text.health.node, cell: (node) => node.name },
          { name: text.health.version, cell: (node) => node.version },
          { name: text.health.uptime, cell: (node) => lasting(node.since, now) },
          { name: text.history.memory, number: true, cell: (node) => bytesOrNone(node.memoryBytes) },
          { name: text.health.free, number: true, cell: (node) => bytesOrNone(node.freeBytes) },
          { name: text.health.tasks, number: true, cell: (node) => count(node.tasks) },
          { name: text.workers.seen, cell: (node) => ago(node.lastSeenAt, now) },
        ]}
      />
    </section>
  );
}

const sum = (groups: api.FailureGroup[]) => groups.reduce((n, group) => n + group.count, 0);

/** The most frequent failures of the last day: of renders, which the plots count too, and of the service's own tasks. */
function Failing({ list }: { list: Resource<api.Failures> }) {
  const all = list.data?.failures ?? [];
  const renders = all.filter((group) => !group.isTask);
  const tasks = all.filter((group) => group.isTask);
  return (
    <section class="panel stack wide">
      <h2>
        {text.health.failures} <span class="muted">{count(sum(renders))}</span>
      </h2>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {list.data && !renders.length && <p class="muted">{text.health.noneFailed}</p>}
      <Groups of={renders} />
      {tasks.length > 0 && (
        <>
          <p class="small muted">{text.health.tasksFailed(sum(tasks))}</p>
          <Groups of={tasks} />
        </>
      )}
      {all.length > 0 && (
        <p class="small">
          <a href="/operator/failures">{text.health.allFailures}</a>
        </p>
      )}
    </section>
  );
}

function Groups({ of: groups }: { of: api.FailureGroup[] }) {
  const names = useJobNames();
  return (
    <ul class="stack">
      {groups.slice(0, 5).map((group) => (
        <li key={group.code + group.modelId + group.message} class="small">
          <a href={jobsPath({ state: "failed", failedLike: group.sampleJobId, hours: "24" })}>
            <strong>{count(group.count)}</strong> {names(group.modelId)}
          </a>
          : {group.message}
        </li>
      ))}
    </ul>
  );
}
