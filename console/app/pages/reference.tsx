// The page "reference", drawn from the OpenAPI document that the service generates from its
// route table, and from its list of tools. The address names what is shown: one group at a
// time, at one of its endpoints or tools.

import { useLocation } from "preact-iso/router";
import { useEffect, useMemo, useState } from "preact/hooks";
import { get, randomId } from "../api";
import { useData, useListener, useTitle } from "../hooks";
import { Failure } from "../parts/notice";
import { groups, operationWords, type Group, type Operation } from "../reference/document";
import { Prose } from "../reference/fields";
import { Method, OperationSection, Path } from "../reference/operation";
import { languages, type Language } from "../reference/samples";
import type { Doc } from "../reference/schema";
import { Sidebar, type Block } from "../reference/sidebar";
import { toolId } from "../reference/tool-id";
import { callOf, loadTools, ToolSection, toolWords, type ToolGroup } from "../reference/tools";
import { bodyId } from "../reference/trial";
import { text } from "../texts/reference";
import type { ToolEntry } from "../types";

export default function Page() {
  useTitle(text.title);
  const doc = useData((signal) => get("/openapi.json", { signal }).then((doc) => withOwnProject(doc as Doc)), []);
  const tools = useData(loadTools, []);
  const arranged = useMemo(() => (doc.data ? groups(doc.data) : []), [doc.data]);
  const blocks = useMemo(
    () => [...operationBlocks(doc.data ?? {}, arranged), ...toolBlocks(tools.data ?? [])],
    [arranged, tools.data],
  );
  const place = usePlace();
  const { query, route } = useLocation();
  const change = (name: string, value: string) => {
    const params = new URLSearchParams(location.search);
    if (value) params.set(name, value);
    else params.delete(name);
    route(`/docs${params.size ? "?" + params : ""}${location.hash}`, true);
  };
  const shown =
    blocks.find((block) => block.id === place || block.entries.some((entry) => entry.id === place))?.id ?? "";
  const reading = useReading(place, shown);

  // The browser looks for the anchor before its group is drawn. A tool that is tried has its form filled in.
  const called = tools.data?.flatMap((each) => each.tools).find((tool) => tool.name === query.tool);
  const tried = called && callOf(called).operation === place ? called.name : "";
  const isReady = Boolean(doc.data) && (shown !== "" || !tools.loading);
  useEffect(() => {
    if (!isReady || !place) return;
    const body = tried ? document.getElementById(bodyId(place)) : null;
    const goal = body?.closest("form") ?? document.getElementById(place) ?? document.querySelector(".ref-main");
    goal?.scrollIntoView();
    body?.focus({ preventScroll: true });
  }, [place, isReady, tried]);

  if (doc.error && !doc.data) return <Failure error={doc.error} retry={doc.reload} />;
  if (!doc.data) return <div class="waiting" role="status" aria-label={text.loading} />;
  const language = languages.find((each) => each === query.lang) ?? "curl";
  const group = arranged.find((each) => each.id === shown);
  const toolGroup = tools.data?.find((each) => each.id === shown);
  return (
    <div class="reference">
      <Sidebar blocks={blocks} current={reading} shown={shown} query={query.q ?? ""} onQuery={(q) => change("q", q)} />
      <div class="ref-main">
        {group ? (
          <GroupView
            key={group.id}
            doc={doc.data}
            group={group}
            called={called}
            language={language}
            onLanguage={(lang) => change("lang", lang === "curl" ? "" : lang)}
          />
        ) : toolGroup ? (
          <ToolGroupView group={toolGroup} />
        ) : (
          <Overview
            doc={doc.data}
            arranged={arranged}
            tools={tools.data}
            toolError={tools.error}
            retry={tools.reload}
          />
        )}
      </div>
    </div>
  );
}

// The examples share one project id, which the first account that names it owns: every
// reader gets another one.
function withOwnProject(doc: Doc): Doc {
  const hex = randomId();
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  return JSON.parse(JSON.stringify(doc).replaceAll("3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604", id));
}

/** What the address points at. */
function usePlace(): string {
  const read = () => decodeURIComponent(location.hash.slice(1));
  const [place, setPlace] = useState(read);
  const { url } = useLocation();
  useListener("hashchange", () => setPlace(read()));
  useEffect(() => setPlace(read()), [url]); // a link with a query changes the hash without that event
  return place;
}

/** The section at the top of the window, until another one is chosen. */
function useReading(place: string, shown: string): string {
  const [reading, setReading] = useState(place);
  useEffect(() => {
    setReading(place);
    const observer = new IntersectionObserver(
      (seen) => {
        const top = seen.find((entry) => entry.isIntersecting);
        if (top) setReading(top.target.id);
      },
      { rootMargin: "-20% 0px -75% 0px" },
    );
    for (const section of document.querySelectorAll(".ref-operation")) observer.observe(section);
    return () => observer.disconnect();
  }, [place, shown]);
  return reading;
}

function operationBlocks(doc: Doc, arranged: Group[]): Block[] {
  return arranged.map(({ id, name, operations }) => ({
    id,
    name,
    entries: operations.map((operation) => ({
      id: operation.id,
      title: `${operation.method} ${operation.path}`,
      words: operationWords(doc, operation),
      name: `${operation.method} ${operation.path} ${operation.summary}`.toLowerCase(),
      label: (
        <>
          <span class="ref-purpose">{operation.summary}</span>{" "}
          <span class="ref-call">
            <Method method={operation.method} />{" "}
            <span class="ref-path">
              <Path path={operation.path} />
            </span>
          </span>
        </>
      ),
    })),
  }));
}

function toolBlocks(tools: ToolGroup[]): Block[] {
  return tools.map((group) => ({
    id: group.id,
    name: group.name,
    entries: group.tools.map((tool) => ({
      id: toolId(tool),
      title: tool.description,
      words: toolWords(tool, group),
      name: tool.name,
      label: <span class="ref-path">{tool.name}</span>,
    })),
  }));
}

function GroupView({
  doc,
  group,
  called,
  language,
  onLanguage,
}: {
  doc: Doc;
  group: Group;
  called?: ToolEntry;
  language: Language;
  onLanguage: (language: Language) => void;
}) {
  const call = called && callOf(called);
  const isCalled = (operation: Operation) => call?.operation === operation.id;
  return (
    <>
      <header class="ref-group" id={group.id}>
        <h1>{group.name}</h1>
        {group.description && (
          <p class="muted">
            <Prose>{group.description}</Prose>
          </p>
        )}
      </header>
      {group.operations.map((operation) => (
        <OperationSection
          key={isCalled(operation) ? `${operation.id} ${called!.name}` : operation.id}
          body={isCalled(operation) ? call!.body : undefined}
          doc={doc}
          operation={operation}
          language={language}
          onLanguage={onLanguage}
        />
      ))}
    </>
  );
}

function ToolGroupView({ group }: { group: ToolGroup }) {
  return (
    <>
      <header class="ref-group" id={group.id}>
        <h1>{group.name}</h1>
        <p class="muted">
          {text.toolGroupHelp[group.kind]} {group.kind !== "sync" && text.stepHelp}
        </p>
      </header>
      {group.tools.map((tool) => (
        <ToolSection key={tool.name} tool={tool} />
      ))}
    </>
  );
}

function Overview({
  doc,
  arranged,
  tools,
  toolError,
  retry,
}: {
  doc: Doc;
  arranged: Group[];
  tools?: ToolGroup[];
  toolError?: Error;
  retry: () => void;
}) {
  const { info = {}, components = {} } = doc;
  const schemes = Object.values(components?.securitySchemes ?? {});
  return (
    <div class="ref-overview" id="overview">
      <p class="eyebrow">
        {info.title} {info.version}
      </p>
      <h1>{text.title}</h1>
      <p class="lead">
        <Prose>{info.description ?? ""}</Prose>
      </p>
      <p class="muted">
        {text.base} <code>{location.origin}</code>. {text.document}{" "}
        <a href="/openapi.json" target="_blank">
          openapi.json
        </a>
        .
      </p>
      <section id="authentication">
        <h2>{text.authentication}</h2>
        <p>{text.credentials}</p>
        <dl class="ref-credentials">
          {schemes.map((scheme, i) => (
            <div key={i}>
              <dt>
                <code>
                  {scheme.type === "http" ? "Authorization: Bearer CREDENTIAL" : `${scheme.name}: CREDENTIAL`}
                </code>
              </dt>
              <dd>
                <Prose>{scheme.description ?? ""}</Prose>
              </dd>
            </div>
          ))}
        </dl>
        <p class="muted">{text.samplesNote}</p>
      </section>
      <section>
        <h2>{text.contents}</h2>
        <ul class="ref-contents">
          {arranged.map((group) => (
            <li key={group.id}>
              <a href={`#${group.id}`}>{group.name}</a>{" "}
              <span class="muted small">{text.endpoints(group.operations.length)}</span>
              <p class="small muted">
                <Prose>{group.description}</Prose>
              </p>
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{text.tools}</h2>
        {toolError && <Failure error={toolError} retry={retry} />}
        <ul class="ref-contents">
          {tools?.map((group) => (
            <li key={group.id}>
              <a href={`#${group.id}`}>{group.name}</a>{" "}
              <span class="muted small">{text.toolCount(group.tools.length)}</span>
              <p class="small muted">{group.tools.map(({ name }) => name).join(", ")}</p>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
