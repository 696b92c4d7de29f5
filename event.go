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

// Event is one line of a log. The log of one parent has no gap: its sequences
// are 0, 1, 2, and so on.
type Event struct {
	Sequence int64
	Type     EventType
	At       time.Time
	Message  string
	Payload  map[string]any

	// Status and Waiting are the parent's after the event, so that a reader of the
	// log needs to read nothing else.
	Status  Status
	Waiting WaitingReason
}
