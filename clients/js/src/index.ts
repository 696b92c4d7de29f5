import { Caller, type ClientOptions } from "./client.js";
import { Runs } from "./runs.js";
import { Templates } from "./templates.js";
import { Uploads } from "./uploads.js";
import { Workflows } from "./workflows.js";

/** A client of one service, with one credential. */
export class Atelier {
  readonly workflows: Workflows;
  readonly runs: Runs;
  readonly uploads: Uploads;
  readonly templates: Templates;

  constructor(options: ClientOptions) {
    const caller = new Caller(options);
    this.workflows = new Workflows(caller);
    this.runs = new Runs(caller);
    this.uploads = new Uploads(caller);
    this.templates = new Templates(caller, this.workflows);
  }
}

export { AtelierError, type CallOptions, type ClientOptions, type StartOptions } from "./client.js";
export type { ConfirmOptions, Runs, RunWaitOptions } from "./runs.js";
export * from "./shapes.js";
export type { ListOptions, Templates as TemplatesAPI } from "./templates.js";
export type { components } from "./types.js";
export type { Media, UploadOptions, Uploads } from "./uploads.js";
export { verifyWebhook, type VerifyOptions, type WebhookEvent, WebhookVerificationError } from "./webhook.js";
export type { FollowOptions, WaitOptions } from "./workflows.js";
