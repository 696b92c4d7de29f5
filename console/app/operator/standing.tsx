// What the jobs of a worker have shown that it failed at and that others then completed.

import { ago, clock, lasting, moment, toDate } from "../format";
import { useNow } from "../hooks";
import { useModelNames } from "../models/names";
import { Table } from "../parts/table";
import { text } from "../texts/operator";
import type { WorkerStanding } from "../types";
import { JobLink } from "./jobs";

const t = text.standing;

export function Standing({ standing: s }: { standing: WorkerStanding }) {
  const names = useModelNames();
  const now = useNow();
  const trial = toDate(s.trialAt);
  return (
    <section class="panel stack">
      <h3>{t.title}</h3>
      {s.low ? (
        <>
          <p>{s.reason}</p>
          <p class="small muted">
            {t.low(lasting(s.since, now))} {trial && trial.getTime() > now ? t.trialAt(clock(trial)) : t.trial} {t.well}
          </p>
        </>
      ) : (
        <p class="small muted">{t.good}</p>
      )}
      {s.lapses.length === 0 ? (
        <p class="muted">{t.none}</p>
      ) : (
        <Table
          label={t.title}
          rows={s.lapses}
          keyOf={(l) => l.jobId}
          columns={[
            { name: text.jobs.model, cell: (l) => <JobLink id={l.jobId}>{names(l.modelId)}</JobLink> },
            { name: text.jobs.error, cell: (l) => `${l.code}: ${l.message}` },
            { name: text.worker.ended, cell: (l) => <span title={moment(l.at)}>{ago(l.at, now)}</span> },
          ]}
        />
      )}
    </section>
  );
}
