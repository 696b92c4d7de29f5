// How the installation is: its parts, nodes, queues and failures now, and the work of the last days.

import { useState } from "preact/hooks";
import { encoded, get } from "../api";
import { ago, bytes, count, lasting, span, words } from "../format";
import { useChanges, useData, useEvery, useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { History, rangeOf } from "../network/history";
import { Chip } from "../parts/chip";
import { Fact } from "../parts/fact";
import { Failure } from "../parts/notice";
import { text } from "../texts/operator";
import type * as api from "../types";
import { OverTime } from "./over-time";

export function Health() {
  const [days, setDays] = useState("");
  const health = useData(async (signal) => ({ ...(await get("/v1/operator/health", { signal })), at: Date.now() }), []);
  const now = useNow();
  useChanges(["network"], health.reload);
  useEvery(30_000, health.reload); // nodes are seen again
  const names = useModelNames();
  const h = health.data?.health;
  if (health.error) return <Failure error={health.error} retry={health.reload} />;
  if (!h) return <div class="waiting tall" />;
  return (
    <>
      <div class="panels">
        <section class="panel stack">
          <h2>{h.status === "ok" ? text.health.ok : text.health.failing}</h2>
          <ul class="row">
            {Object.entries(h.parts).map(([name, state]) => (
              <li key={name}>
                <Chip tone={state === "ok" ? "good" : "bad"}>
                  {name}: {state}
                </Chip>
              </li>
            ))}
          </ul>
          <dl class="facts">
            <Fact name={text.health.version}>{h.version}</Fact>
            <Fact name={text.health.uptime}>{span(h.uptimeSeconds + Math.max(0, now - health.data!.at) / 1000)}</Fact>
            <Fact name={text.health.memory}>{bytes(h.memoryBytes)}</Fact>
            {h.freeBytes !== null && <Fact name={text.health.free}>{bytes(h.freeBytes)}</Fact>}
            <Fact name={text.health.unresolved}>
              {h.unresolved ? <a href="/operator/unresolved">{count(h.unresolved)}</a> : 0}
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
      <OverTime />
      <div class="panels">
        <Nodes nodes={h.nodes} now={now} />
        <Failing />
      </div>
      <History days={rangeOf(days)} onDays={setDays} />
    </>
  );
}

function Queues({ networks }: { networks: api.NetworkHealth[] }) {
  return (
    <section class="panel stack">
      <h2>{text.health.queues}</h2>
      <table>
        <thead>
          <tr>
            <th>{text.health.network}</th>
            <th class="number-cell">{text.health.queued}</th>
            <th class="number-cell">{text.health.active}</th>
            <th class="number-cell">{text.health.workers}</th>
          </tr>
        </thead>
        <tbody>
          {networks.map((n) => (
            <tr key={n.network}>
              <th scope="row">{words(n.network)}</th>
              <td class="number-cell figure-small">{count(n.queued)}</td>
              <td class="number-cell figure-small">{count(n.active)}</td>
              <td class="number-cell figure-small">{count(n.workers)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="small muted">{text.health.queuesHelp}</p>
    </section>
  );
}

function Nodes({ nodes, now }: { nodes: api.NodeHealth[]; now: number }) {
  return (
    <section class="panel stack wide">
      <h2>
        {text.health.nodes} <span class="muted">{count(nodes.length)}</span>
      </h2>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={text.health.nodes}>
        <table>
          <thead>
            <tr>
              <th>{text.health.node}</th>
              <th>{text.health.version}</th>
              <th>{text.health.uptime}</th>
              <th class="number-cell">{text.history.memory}</th>
              <th class="number-cell">{text.health.free}</th>
              <th class="number-cell">{text.health.tasks}</th>
              <th>{text.workers.seen}</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <tr key={node.name}>
                <th scope="row">{node.name}</th>
                <td>{node.version}</td>
                <td>{span(Math.max(0, now - Date.parse(node.since)) / 1000)}</td>
                <td class="number-cell">{node.memoryBytes === null ? "–" : bytes(node.memoryBytes)}</td>
                <td class="number-cell">{node.freeBytes === null ? "–" : bytes(node.freeBytes)}</td>
                <td class="number-cell">{count(node.tasks)}</td>
                <td>{ago(node.lastSeenAt, now)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The most frequent failures of the last day. */
function Failing() {
  const list = useData((signal) => get("/v1/operator/failures", { query: { hours: 24 }, signal }), []);
  const names = useModelNames();
  const groups = list.data?.failures ?? [];
  return (
    <section class="panel stack wide">
      <h2>
        {text.health.failures} <span class="muted">{count(groups.reduce((n, group) => n + group.count, 0))}</span>
      </h2>
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {list.data && !groups.length && <p class="muted">{text.failures.none}</p>}
      <ul class="stack">
        {groups.slice(0, 5).map((group) => (
          <li key={group.code + group.modelId + group.message} class="small">
            <strong>{count(group.count)}</strong> {names(group.modelId)}: {group.message}
          </li>
        ))}
      </ul>
      {groups.length > 0 && (
        <p class="small">
          <a href="/operator/failures">{text.health.allFailures}</a>
        </p>
      )}
    </section>
  );
}
