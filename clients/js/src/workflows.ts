import { type Caller, type CallOptions, newID, type StartOptions, type Update } from "./client.js";
import { hasEnded, type Workflow, type WorkflowResume, type Workflows as Page, type WorkflowStart, type WorkflowUpdate } from "./shapes.js";
import type { Frame } from "./stream.js";
import type { components } from "./types.js";

type Schemas = components["schemas"];

export interface FollowOptions extends CallOptions {
  /** Only events with a greater sequence; all of them by default. */
  after?: number;
}

export interface WaitOptions extends CallOptions {
  /** Decides about a cost that must be approved. Without it, a wait returns the workflow that waits. */
  approve?: (workflow: Workflow) => boolean | Promise<boolean>;
  /** Gets each event. */
  onEvent?: (update: WorkflowUpdate) => void;
}

const root = "/v1/creative-agent/workflows";
const path = (id: string, more = "") => `${root}/${encodeURIComponent(id)}${more}`;

/** Workflows: one to twelve steps that run by themselves. */
export class Workflows {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Starts a workflow. It is tried again when the connection fails, which does not start a second one. */
  async start(body: WorkflowStart, { idempotencyKey = newID(), signal }: StartOptions = {}): Promise<Workflow> {
    return (await this.#caller.call<Schemas["WorkflowReply"]>("POST", root, { body, idempotencyKey, signal })).workflow;
  }

  async get(id: string, options?: CallOptions): Promise<Workflow> {
    return (await this.#caller.call<Schemas["WorkflowReply"]>("GET", path(id), options)).workflow;
  }

  /** Lists workflows, the one that changed last first. `next` is the offset of the next page, or null. */
  list({ offset, limit, signal }: CallOptions & { offset?: number; limit?: number } = {}): Promise<Page> {
    return this.#caller.call("GET", root, { query: { offset, limit }, signal });
  }

  async cancel(id: string, options?: CallOptions): Promise<Workflow> {
    return (await this.#caller.call<Schemas["CancelledWorkflow"]>("POST", path(id, "/cancel"), options)).workflow;
  }

  /** Resumes a workflow that is paused. */
  async resume(id: string, body: WorkflowResume = {}, options?: CallOptions): Promise<Workflow> {
    return (await this.#caller.call<Schemas["ResumedWorkflow"]>("POST", path(id, "/resume"), { ...options, body })).workflow;
  }

  /** Approves or declines the cost that a workflow shows. */
  async confirm(workflow: Workflow, decision: "confirm" | "cancel" = "confirm", { idempotencyKey = newID(), signal }: StartOptions = {}): Promise<Workflow> {
    const body: Schemas["WorkflowDecision"] = { decision };
    if (decision === "confirm") body.acceptedCostPreview = workflow.billingPreview;
    const options = { body, idempotencyKey, signal };
    return (await this.#caller.call<Schemas["ConfirmedWorkflow"]>("POST", path(workflow.workflowId, "/confirm-cost"), options)).workflow;
  }

  /** Reads the events of a workflow until it has ended, each once, also when the connection breaks. */
  events(id: string, { after = -1, signal }: FollowOptions = {}): AsyncGenerator<WorkflowUpdate, void> {
    return this.#caller.follow(path(id, "/events/stream"), readUpdate, after, signal);
  }

  /** Waits until a workflow has ended, or until it waits for its user. */
  async wait(id: string, { approve, onEvent, signal }: WaitOptions = {}): Promise<Workflow> {
    for await (const update of this.events(id, { signal })) {
      onEvent?.(update);
      if (update.type !== "workflow_waiting_for_user" && update.type !== "step_waiting_for_user") continue;
      const workflow = await this.get(id, { signal });
      if (workflow.status !== "waiting_for_user") continue; // an old event
      if (!approve || !workflow.awaitingCostApproval) return workflow;
      await this.confirm(workflow, (await approve(workflow)) ? "confirm" : "cancel", { signal });
    }
    return this.get(id, { signal });
  }

  /** Starts a workflow and waits for it. */
  async run(body: WorkflowStart, options: StartOptions & WaitOptions = {}): Promise<Workflow> {
    return this.wait((await this.start(body, options)).workflowId, options);
  }
}

function readUpdate(frame: Frame): Update<WorkflowUpdate> | undefined {
  if (frame.event === "workflow_status") {
    const status = JSON.parse(frame.data) as Schemas["WorkflowStatus"];
    return { value: { ...status, type: "workflow_status" }, last: hasEnded(status.status) };
  }
  if (frame.id === "") return undefined;
  const value = JSON.parse(frame.data) as Schemas["WorkflowEvent"];
  return { value, sequence: value.sequence };
}
