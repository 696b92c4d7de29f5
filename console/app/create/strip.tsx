// The strip: what is being made, and what was made before, newest first.

import type { TargetedEvent } from "preact";
import { useEffect } from "preact/hooks";
import { get } from "../api";
import { percent } from "../format";
import { useChanges, useData, usePages } from "../hooks";
import { visible } from "../library/hidden";
import { Sound } from "../parts/sound-thumbnail";
import { Icon, kindIcon } from "../parts/icon";
import { libraryItem, nameOf } from "../parts/item";
import { Thumbnail } from "../parts/media";
import { Failure } from "../parts/notice";
import { text } from "../texts/create";
import type { Workflow, WorkflowSummary } from "../types";
import { withChange, withStarted } from "./pending";

const words = text.strip;

/** Workflows that are not over, newest first. */
export function usePending() {
  const pending = useData(
    (signal) =>
      get("/v1/creative-agent/workflows/summaries", {
        query: { status: "queued,running,waiting_for_user", limit: 20 },
        signal,
      }),
    [],
  );
  useChanges(["workflow"], (change) => {
    const next = change.kind === "workflow" && pending.data && withChange(pending.data.workflows, change.data);
    if (next) pending.set((old) => old && { ...old, workflows: next });
    else pending.reload();
  });
  /** Shows a workflow that was started here. */
  const add = (workflow: Workflow, kind: string | null) =>
    pending.set((old) => old && { ...old, workflows: withStarted(old.workflows, workflow, kind) });
  return { ...pending, add };
}

export function Strip({
  pending,
  shown,
  onShow,
}: {
  pending: WorkflowSummary[];
  shown: { workflowId: string; artifactId: string };
  onShow: (workflowId: string, artifactId?: string) => void;
}) {
  const made = usePages(
    (cursor, signal) =>
      get("/v1/artifacts", { query: { limit: 40, cursor }, signal }).then((d) => ({
        items: d.artifacts,
        nextCursor: d.nextCursor,
      })),
    [],
  );
  useChanges(["artifact", "artifacts_deleted"], made.reload);
  const items = visible(made.data ?? []);
  useEffect(() => {
    if (made.data && made.hasMore && items.length < 20) made.more(); // the rest of what was read is hidden
  }, [made.data, made.hasMore, items.length]);
  const onScroll = ({ currentTarget: strip }: TargetedEvent<HTMLElement>) => {
    if (made.hasMore && strip.scrollLeft + strip.clientWidth > strip.scrollWidth - 600) made.more();
  };
  return (
    <section class="strip-section" aria-labelledby="strip-title">
      <div class="row">
        <h2 id="strip-title" class="grow">
          {words.title}
        </h2>
        <a href="/library" class="small">
          {words.all}
        </a>
      </div>
      {made.error && !made.data ? (
        <Failure error={made.error} retry={made.reload} />
      ) : (
        <ul class="strip" onScroll={onScroll} tabIndex={0} aria-labelledby="strip-title">
          {pending.map((w) => (
            <li key={w.workflowId}>
              <button
                class="strip-item"
                aria-current={w.workflowId === shown.workflowId && !shown.artifactId ? "true" : undefined}
                title={w.title}
                aria-label={`${w.title} ${words.inProgress}, ${percent(w.progress)}`}
                onClick={() => onShow(w.workflowId)}>
                <span class="thumb strip-pending">
                  <Icon name={kindIcon(w.kind ?? "image")} />
                  <progress class="progress" max={1} value={w.progress || undefined} aria-hidden="true" />
                </span>
              </button>
            </li>
          ))}
          {items.map((a) => {
            const Picture = a.kind === "audio" ? Sound : Thumbnail;
            return (
              <li key={a.artifactId}>
                <button
                  class="strip-item"
                  aria-current={a.artifactId === shown.artifactId ? "true" : undefined}
                  title={nameOf(a)}
                  onClick={() => onShow(a.workflowId, a.artifactId)}>
                  <Picture item={{ ...libraryItem(a), width: 1, height: 1 }} />
                </button>
              </li>
            );
          })}
          {made.data && !items.length && !made.hasMore && !pending.length && <li class="muted small">{words.empty}</li>}
        </ul>
      )}
    </section>
  );
}
