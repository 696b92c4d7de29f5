import type { Caller, CallOptions, StartOptions } from "./client.js";
import type { Template, Templates as Page, Workflow, WorkflowStart } from "./shapes.js";
import type { components } from "./types.js";
import type { WaitOptions, Workflows } from "./workflows.js";

type Schemas = components["schemas"];

export interface ListOptions extends CallOptions {
  /** All that the account can start by default. */
  visibility?: "own" | "public" | "all";
  offset?: number;
  limit?: number;
}

const root = "/v1/creative-agent/workflows/templates";

/** Templates: plans with inputs. */
export class Templates {
  readonly #caller: Caller;
  readonly #workflows: Workflows;

  constructor(caller: Caller, workflows: Workflows) {
    this.#caller = caller;
    this.#workflows = workflows;
  }

  /** Lists templates. `next` is the offset of the next page, or null. */
  list({ visibility, offset, limit, signal }: ListOptions = {}): Promise<Page> {
    return this.#caller.call("GET", root, { query: { visibility, offset, limit }, signal });
  }

  async get(id: string, options?: CallOptions): Promise<Template> {
    return (await this.#caller.call<Schemas["TemplateReply"]>("GET", `${root}/${encodeURIComponent(id)}`, options)).template;
  }

  /** Starts a template and waits for its workflow. Its cost must be approved: without `approve`, the workflow is returned as it waits for that. */
  run(id: string, inputs: NonNullable<WorkflowStart["inputs"]> = {}, options?: StartOptions & WaitOptions): Promise<Workflow> {
    return this.#workflows.run({ workflow_id: id, inputs }, options);
  }
}
