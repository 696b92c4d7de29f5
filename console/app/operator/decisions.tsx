// What waits for a decision of an operator: how much of each kind, and the way to it.

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get } from "../api";
import { useData, useEvery } from "../hooks";
import { sumOf, type Waiting } from "./waiting";
import { text } from "../texts/operator";
import { decisions } from "./areas";

export type { Waiting };

const limit = 50;

const decided = signal(0); // decisions of this page, which the counts below then leave out

/** Has the counts read again after a decision. */
export const noteDecision = () => {
  decided.value++;
};

/** How many of each kind wait; those of the first page only, which the + says. */
export function useWaiting(): Waiting | undefined {
  const waiting = useData(async (signal) => {
    const [unresolved, claims, loras, filter] = await Promise.all([
      get("/v1/operator/unresolved", { query: { limit }, signal }),
      get("/v1/operator/claims", { signal }),
      get("/v1/operator/loras", { query: { status: "review", limit }, signal }),
      get("/v1/operator/filter-reviews", { query: { limit }, signal }),
    ]);
    const counts: [string, number, boolean][] = [
      ["unresolved", unresolved.jobs.length, !!unresolved.nextCursor],
      ["claims", claims.claims.length, false],
      ["loras", loras.loras.length, !!loras.nextCursor],
      ["filter", filter.filterReviews.filter((r) => !r.verdict).length, !!filter.nextCursor],
    ];
    return Object.fromEntries(
      counts.filter(([, n]) => n > 0).map(([area, n, more]) => [area, more ? `${n}+` : `${n}`]),
    );
  }, []);
  const made = decided.value;
  useEffect(() => {
    if (made > 0) waiting.reload();
  }, [made]);
  useEvery(60_000, waiting.reload);
  return waiting.data;
}

/** How many things wait in all, at the name of the area. */
export function WaitingBadge({ waiting }: { waiting: Waiting | undefined }) {
  const sum = sumOf(waiting ?? {});
  return sum ? (
    <>
      {" "}
      <span class="badge">{sum}</span>
    </>
  ) : null;
}

/** A line of links for the dashboard. */
export function ToDecide({ waiting }: { waiting: Waiting | undefined }) {
  const kinds = Object.entries(waiting ?? {});
  if (!kinds.length) return <>{waiting && text.health.nothingToDecide}</>;
  return (
    <>
      {kinds.map(([area, n], i) => (
        <>
          {i > 0 && ", "}
          <a href={`/operator/${area}`}>{text.decisions[area](n)}</a>
        </>
      ))}
    </>
  );
}

/** The way to each kind, with how many of it wait. */
export function Decisions({ area, waiting }: { area: string; waiting: Waiting | undefined }) {
  return (
    <nav class="areas" aria-label={text.areas.review}>
      {decisions.map((name) => (
        <a
          key={name}
          class="choice"
          href={name === "loras" ? "/operator/loras?status=review" : `/operator/${name}`}
          aria-current={name === area ? "page" : undefined}>
          {text.areas[name]} {waiting?.[name] && <span class="badge">{waiting[name]}</span>}
        </a>
      ))}
    </nav>
  );
}
