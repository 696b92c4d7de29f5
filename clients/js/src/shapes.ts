import type { components } from "./types.js";

type Schemas = components["schemas"];

export type Artifact = Schemas["Artifact"];
export type CostPreview = Schemas["CostPreview"];
export type MediaContext = Schemas["MediaContext"];
export type Run = Schemas["Run"];
export type RunDecision = Schemas["RunDecision"];
export type RunEvent = Schemas["RunEvent"];
export type RunPreview = Schemas["RunPreview"];
export type RunStart = Schemas["RunStart"];
export type Step = Schemas["Step"];
export type Template = Schemas["Template"];
export type Templates = Schemas["TemplatesReply"];
export type Workflow = Schemas["Workflow"];
export type WorkflowDecision = Schemas["WorkflowDecision"];
export type WorkflowEvent = Schemas["WorkflowEvent"];
export type WorkflowResume = Schemas["WorkflowResume"];
export type WorkflowStart = Schemas["WorkflowStart"];
export type Workflows = Schemas["Workflows"];

/** An event of a workflow, or its current status. */
export type WorkflowUpdate = WorkflowEvent | (Schemas["WorkflowStatus"] & { type: "workflow_status" });

/** An event of a chat run, its current status, what its model is writing, or that older events are no longer kept. */
export type RunUpdate =
  | RunEvent
  | (Schemas["RunStatus"] & { type: "run_status" })
  | (Schemas["RunText"] & { type: "assistant_message_text" })
  | (Schemas["EventsTrimmed"] & { type: "events_trimmed" });

/** Whether work with this status has ended. */
export function hasEnded(status: Workflow["status"]): boolean {
  return status !== "queued" && status !== "running" && status !== "waiting_for_user";
}
