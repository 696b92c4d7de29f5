package atelier

import "time"

// EventType is the kind of an event.
type EventType string

// The events of workflows.
const (
	EventWorkflowStarted   EventType = "workflow_started"
	EventWorkflowProgress  EventType = "workflow_progress"
	EventWorkflowWaiting   EventType = "workflow_waiting_for_user"
	EventWorkflowCompleted EventType = "workflow_completed"
	EventWorkflowFailed    EventType = "workflow_failed"
	EventWorkflowCancelled EventType = "workflow_cancelled"
	EventStepStarted       EventType = "step_started"
	EventStepCompleted     EventType = "step_completed"
	EventStepFailed        EventType = "step_failed"
	EventStepWaiting       EventType = "step_waiting_for_user"
	EventArtifactCreated   EventType = "artifact_created"
	EventCustom            EventType = "custom"
)

// The events of chat runs.
const (
	EventRunCreated          EventType = "run_created"
	EventRunResumed          EventType = "run_resumed"
	EventRunCompleted        EventType = "run_completed"
	EventRunPartialFailure   EventType = "run_partial_failure"
	EventRunFailed           EventType = "run_failed"
	EventRunCancelled        EventType = "run_cancelled"
	EventRunWaiting          EventType = "run_waiting_for_user"
	EventRoundStarted        EventType = "llm_round_started"
	EventMessageDelta        EventType = "assistant_message_delta"
	EventMessageCompleted    EventType = "assistant_message_completed"
	EventCallDispatched      EventType = "tool_call_dispatched"
	EventCallProgress        EventType = "tool_call_progress"
	EventCallResolved        EventType = "tool_call_resolved"
	EventMediaContext        EventType = "media_context_updated"
	EventSpend               EventType = "llm_spend"
	EventBillingPreview      EventType = "billing_preview_updated"
	EventAwaitingCost        EventType = "run_awaiting_cost_confirmation"
	EventCostConfirmResolved EventType = "run_cost_confirmation_resolved"
)

// The events of the stream of an account.
const (
	EventReady            EventType = "ready"
	EventWorkflow         EventType = "workflow"
	EventRun              EventType = "run"
	EventArtifact         EventType = "artifact"
	EventArtifactsDeleted EventType = "artifacts_deleted"
	EventBalance          EventType = "balance"
	EventLora             EventType = "lora"
	EventNetwork          EventType = "network"
)

// Payload is what an event says besides its type: a struct of package apitype.
type Payload interface{ EventType() EventType }

// Event is one line of a log. The log of one parent has no gap: its sequences
// are 0, 1, 2, and so on. The oldest events of a long log may be deleted.
type Event struct {
	Sequence int64
	Type     EventType
	At       time.Time
	Message  string
	Payload  Payload

	// Status and Waiting are the parent's after the event, so that a reader of the
	// log needs to read nothing else.
	Status  Status
	Waiting WaitingReason
}
