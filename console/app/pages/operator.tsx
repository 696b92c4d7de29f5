// The operator's area: one search, and a page for each thing that operators look after.

import { useLocation, useRoute } from "preact-iso/router";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { encoded, get } from "../api";
import { words } from "../format";
import { useData, useListener, useSettled, useTitle } from "../hooks";
import { AccountPage } from "../operator/account";
import { Accounts } from "../operator/accounts";
import { Actions } from "../operator/actions";
import { Claims } from "../operator/claims";
import { areaPath, areas, decisions } from "../operator/areas";
import { Decisions, useWaiting, WaitingBadge, type Waiting } from "../operator/decisions";
import { Connections } from "../operator/connections";
import { Graphs } from "../operator/graphs";
import { Health } from "../operator/health";
import { Failures, JobPage, Jobs, SpotChecks, Unresolved } from "../operator/jobs";
import { workflowPath } from "../operator/parts";
import { FilterReviews, Loras } from "../operator/reviews";
import { WorkerPage } from "../operator/worker";
import { Workers } from "../operator/workers";
import { text } from "../texts/operator";
import type { SearchResult } from "../types";

export default function Operator() {
  const { params } = useRoute();
  const area = [...areas, ...decisions].includes(params.area) ? params.area : "health";
  const isDecision = decisions.includes(area);
  const waiting = useWaiting();
  const strip = useRef<HTMLElement>(null);
  const center = () => {
    // on a phone the areas are a strip
    const open = strip.current!.querySelector<HTMLElement>("[aria-current]");
    if (open) strip.current!.scrollLeft = open.offsetLeft - strip.current!.clientWidth / 2 + open.clientWidth / 2;
  };
  useLayoutEffect(center, [area, waiting]);
  useListener("resize", center);
  useTitle(`${text.areas[area]} · ${text.title}`);
  return (
    <>
      <header class="page-head">
        <h1>{text.title}</h1>
        <Search />
      </header>
      <nav class="areas" aria-label={text.title} ref={strip}>
        {areas.map((name) => (
          <a
            key={name}
            class="choice"
            href={areaPath(name)}
            aria-current={name === area ? "page" : name === "review" && isDecision ? "true" : undefined}>
            {text.areas[name]}
            {name === "review" && <WaitingBadge waiting={waiting} />}
          </a>
        ))}
      </nav>
      <div class="stack">
        {isDecision && <Decisions area={area} waiting={waiting} />}
        {content(area, waiting, params.id)}
      </div>
    </>
  );
}

function content(area: string, waiting: Waiting | undefined, id?: string) {
  switch (area) {
    case "accounts":
      return id ? <AccountPage key={id} wallet={id} /> : <Accounts />;
    case "connections":
      return <Connections />;
    case "graphs":
      return <Graphs />;
    case "workers":
      return id ? <WorkerPage key={id} id={id} /> : <Workers />;
    case "jobs":
      return id ? <JobPage id={id} /> : <Jobs />;
    case "failures":
      return <Failures />;
    case "spot-checks":
      return <SpotChecks />;
    case "unresolved":
      return <Unresolved />;
    case "claims":
      return <Claims />;
    case "loras":
      return <Loras />;
    case "filter":
      return <FilterReviews />;
    case "actions":
      return <Actions />;
  }
  return <Health waiting={waiting} />;
}

const placeOf: Record<SearchResult["kind"], (result: SearchResult) => string> = {
  account: (r) => encoded`/operator/accounts/${r.walletAddress}`,
  key: (r) => encoded`/operator/accounts/${r.walletAddress}`,
  job: (r) => encoded`/operator/jobs/${r.id}`,
  workflow: (r) => workflowPath(r.id, r.walletAddress),
  run: (r) => encoded`/operator/accounts/${r.walletAddress}`,
};

function Search() {
  const { route } = useLocation();
  const [typed, setTyped] = useState("");
  const q = useSettled(typed.trim(), 250);
  const found = useData(
    async (signal) =>
      q ? { q, results: (await get("/v1/operator/search", { query: { q }, signal })).results } : undefined,
    [q],
  );
  const element = useRef<HTMLDivElement>(null);
  const results = q && typed ? found.data?.results : undefined;
  const isOfTyped = found.data?.q === typed.trim();
  /** Opens the only result, or leads to the first of several. */
  const choose = () => {
    if (results?.length !== 1) return element.current!.querySelector<HTMLElement>(".results a")?.focus();
    setTyped("");
    route(placeOf[results[0].kind](results[0]));
  };
  const entered = useRef(false); // before the results were there
  useEffect(() => {
    if (!entered.current || !isOfTyped) return;
    entered.current = false;
    choose();
  }, [found.data, typed]);
  const close = () => {
    setTyped("");
    element.current!.querySelector("input")!.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const stops = [...element.current!.querySelectorAll<HTMLElement>("input, a")];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (event.key === "Escape" && typed) close();
    else if (event.key === "Enter" && at === 0 && typed.trim()) {
      if (isOfTyped) choose();
      else entered.current = true;
    } else if (to !== undefined && at >= 0 && stops.length > 1) stops[(to + stops.length) % stops.length].focus();
    else return;
    event.preventDefault();
  };
  return (
    <div class="search" role="search" ref={element} onKeyDown={onKey}>
      <input
        type="search"
        aria-label={text.search}
        placeholder={text.searchHint}
        value={typed}
        maxLength={128}
        onInput={(e) => {
          entered.current = false;
          setTyped(e.currentTarget.value);
        }}
      />
      <p class="offscreen" role="status">
        {results && text.searchFound(results.length)}
      </p>
      {results && (
        <ul class="results" aria-label={text.searchResults}>
          {results.length === 0 && <li class="muted">{text.searchNone}</li>}
          {results.map((r) => (
            <li key={r.kind + r.id}>
              <a href={placeOf[r.kind](r)} onClick={() => setTyped("")}>
                <span class="muted small">{text.kinds[r.kind] ?? words(r.kind)}</span> {r.label || r.id}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
