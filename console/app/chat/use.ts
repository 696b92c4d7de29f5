// A conversation that is read, followed and continued.

import { useEffect, useReducer, useRef } from "preact/hooks";
import { encoded, get, post, randomId } from "../api";
import { useChanges } from "../hooks";
import { follow } from "../sse";
import { isOver } from "../status";
import { nothing, reduce, requestOf, startedRun, type Outgoing, type RunFrame } from "./conversation";

/** A new conversation has nothing to load until its first message was sent. */
export function useConversation(sessionId: string, isNew: boolean) {
  const [state, dispatch] = useReducer(reduce, nothing);
  const following = useRef(new Map<string, AbortController>());

  const load = async () => {
    try {
      const { conversation } = await get("/v1/chat/conversations/{sessionId}", { path: { sessionId } });
      dispatch({ type: "read", title: conversation.title, runs: conversation.runs });
    } catch (error) {
      dispatch({ type: "failed", error: error as Error });
    }
  };

  // Follows every run that is not over, from its beginning: events repeat harmlessly.
  useEffect(() => {
    for (const { runId, status } of state.runs) {
      if (isOver(status) || following.current.has(runId)) continue;
      const abort = new AbortController();
      following.current.set(runId, abort);
      // What comes between two drawn frames is drawn at once.
      let waiting: RunFrame[] = [];
      let drawing = 0;
      const flush = () => {
        const frames = waiting;
        [waiting, drawing] = [[], 0];
        if (frames.length && !abort.signal.aborted) dispatch({ type: "sent", runId, frames });
      };
      follow<RunFrame>(encoded`/v1/chat/runs/${runId}/events/stream`, {
        signal: abort.signal,
        onEvent: ({ data }) => {
          waiting.push(data);
          drawing ||= requestAnimationFrame(flush);
        },
        isComplete: ({ event }) => /^run_(completed|failed|partial_failure|cancelled)$/.test(event),
      })
        .catch(() => {})
        .finally(() => {
          flush();
          following.current.delete(runId);
          if (!abort.signal.aborted) void load();
        });
    }
  }, [state.runs]);

  useEffect(() => {
    dispatch({ type: "opened", isNew });
    if (!isNew) void load();
    return () => {
      for (const abort of following.current.values()) abort.abort();
      following.current.clear();
    };
  }, [sessionId]);
  useChanges(["run"], (changed) => {
    const isUnseen =
      changed.kind === "run" && changed.data.sessionId === sessionId && !following.current.has(changed.data.runId);
    if ((changed.kind === "ready" && !isNew) || isUnseen) void load();
  });

  /** Starts a run after another one with the messages before it. */
  const send = async (message: Outgoing) => {
    const body = requestOf(state, sessionId, message, randomId().slice(0, 12));
    const { run } = await post("/v1/chat/runs", body, { idempotencyKey: randomId() });
    dispatch({ type: "started", run: startedRun(run, message), after: message.after });
  };

  const choose = (after: string, runId: string) => dispatch({ type: "chosen", after, runId });
  const setTitle = (title: string) => dispatch({ type: "titled", title });
  return { state, load, send, choose, setTitle };
}
