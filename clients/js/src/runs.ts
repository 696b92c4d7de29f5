import { type Caller, type CallOptions, newID, type StartOptions, type Update } from "./client.js";
import { hasEnded, type Run, type RunDecision, type RunEvent, type RunStart, type RunUpdate } from "./shapes.js";
import type { Frame } from "./stream.js";
import type { components } from "./types.js";
import type { FollowOptions } from "./workflows.js";

type Schemas = components["schemas"];

export interface RunWaitOptions extends CallOptions {
  /** Decides about a cost that must be approved. Without it, a wait returns the run that waits. */
  approve?: (run: Run) => boolean | Promise<boolean>;
  /** Gets each event. */
  onEvent?: (update: RunUpdate) => void;
}

export interface ConfirmOptions extends StartOptions, Pick<RunDecision, "overrides" | "reason"> {}

const root = "/v1/chat/runs";
const path = (id: string, more = "") => `${root}/${encodeURIComponent(id)}${more}`;
const transient = ["run_status", "assistant_message_text", "events_trimmed"];

/** Chat runs: turns of a conversation that the service works on by itself. */
export class Runs {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Starts a chat run. It is tried again when the connection fails, which does not start a second one. */
  async start(body: RunStart, { idempotencyKey = newID(), signal }: StartOptions = {}): Promise<Run> {
    return (await this.#caller.call<Schemas["RunReply"]>("POST", root, { body, idempotencyKey, signal })).run;
  }

  async get(id: string, options?: CallOptions): Promise<Run> {
    return (await this.#caller.call<Schemas["RunReply"]>("GET", path(id), options)).run;
  }

  /** Ends a chat run and what it has under way. It returns whether work was interrupted. */
  async cancel(id: string, { reason, signal }: CallOptions & { reason?: string } = {}): Promise<boolean> {
    return (await this.#caller.call<Schemas["CancelledRunReply"]>("POST", path(id, "/cancel"), { body: { reason }, signal })).aborted;
  }

  /** Approves or declines the cost that a run shows, for all calls that wait. */
  async confirm(run: Run, decision: RunDecision["decision"] = "confirm", options: ConfirmOptions = {}): Promise<Run> {
    const { idempotencyKey = newID(), signal, overrides, reason } = options;
    const details = run.waiting?.details;
    if (!details) throw new Error(`run ${run.runId} waits for no decision`);
    const body: RunDecision = { tool_call_id: details.toolCallId, decision, overrides, reason };
    if (decision === "confirm") body.accepted_cost_preview = details.costApprovalPreview;
    return (await this.#caller.call<Schemas["RunReply"]>("POST", path(run.runId, "/confirm-cost"), { body, idempotencyKey, signal })).run;
  }

  /** Reads the events of a chat run until it has ended, each once, also when the connection breaks. */
  events(id: string, { after = -1, signal }: FollowOptions = {}): AsyncGenerator<RunUpdate, void> {
    return this.#caller.follow(path(id, "/events/stream"), readUpdate, after, signal);
  }

  /** Waits until a run has ended, or until it waits for its user. */
  async wait(id: string, { approve, onEvent, signal }: RunWaitOptions = {}): Promise<Run> {
    for await (const update of this.events(id, { signal })) {
      onEvent?.(update);
      if (update.type !== "run_waiting_for_user") continue;
      const run = await this.get(id, { signal });
      if (run.status !== "waiting_for_user") continue; // an old event
      if (!approve || !isApprovable(run)) return run;
      await this.confirm(run, (await approve(run)) ? "confirm" : "cancel", { signal });
    }
    return this.get(id, { signal });
  }

  /** Starts a chat run and waits for it. */
  async run(body: RunStart, options: StartOptions & RunWaitOptions = {}): Promise<Run> {
    return this.wait((await this.start(body, options)).runId, options);
  }
}

/** A run that lacks credits cannot be confirmed. */
function isApprovable({ waiting }: Run): boolean {
  return waiting?.reason === "cost_approval_required" && waiting.details.flavor !== "insufficient_credits";
}

function readUpdate(frame: Frame): Update<RunUpdate> | undefined {
  if (frame.id !== "") {
    const value = JSON.parse(frame.data) as RunEvent;
    return { value, sequence: value.sequence };
  }
  if (!transient.includes(frame.event)) return undefined;
  const value = { ...JSON.parse(frame.data), type: frame.event } as Exclude<RunUpdate, RunEvent>;
  return { value, last: value.type === "run_status" && hasEnded(value.status) };
}
