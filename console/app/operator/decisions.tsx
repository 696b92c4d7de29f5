// What waits for a decision of an operator: how much of each kind, and the way to it.

import { get } from "../api";
import { useData } from "../hooks";
import { text } from "../texts/operator";
import { decisions } from "./areas";

const limit = 50;

/** How many of each kind wait; those of the first page only, which the + says. */
export const useWaiting = () =>
  useData(async (signal) => {
    const [unresolved, claims, loras, filter] = await Promise.all([
      get("/v1/operator/unresolved", { query: { limit }, signal }),
      get("/v1/operator/claims", { signal }),
      get("/v1/operator/loras", { query: { status: "review", limit }, signal }),
      get("/v1/operator/filter-reviews", { query: { limit }, signal }),
    ]);
    const waiting: [string, number, boolean][] = [
      ["unresolved", unresolved.jobs.length, !!unresolved.nextCursor],
      ["claims", claims.claims.length, false],
      ["loras", loras.loras.length, !!loras.nextCursor],
      ["filter", filter.filterReviews.filter((r) => !r.verdict).length, !!filter.nextCursor],
    ];
    return Object.fromEntries(
      waiting.filter(([, n]) => n > 0).map(([area, n, more]) => [area, more ? `${n}+` : `${n}`]),
    );
  }, []);

/** A line of links for the dashboard. */
export function ToDecide() {
  const waiting = useWaiting();
  const kinds = Object.entries(waiting.data ?? {});
  if (!kinds.length) return <>{waiting.data && text.health.nothingToDecide}</>;
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
export function Decisions({ area }: { area: string }) {
  const waiting = useWaiting();
  return (
    <nav class="choices" aria-label={text.areas.review}>
      {decisions.map((name) => (
        <a
          key={name}
          class="choice"
          href={name === "loras" ? "/operator/loras?status=review" : `/operator/${name}`}
          aria-current={name === area ? "page" : undefined}>
          {text.areas[name]} {waiting.data?.[name] && <span class="badge">{waiting.data[name]}</span>}
        </a>
      ))}
    </nav>
  );
}
