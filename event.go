package atelier

import "time"

// EventType names what an event tells of.
type EventType string

// The events of workflows.
const (
	WorkflowStarted   EventType = "workflow_started"
	WorkflowProgress  EventType = "workflow_progress"
	WorkflowWaiting   EventType = "workflow_waiting_for_user"
	WorkflowCompleted EventType = "workflow_completed"
	WorkflowFailed    EventType = "workflow_failed"
	WorkflowCancelled EventType = "workflow_cancelled"
	StepStarted       EventType = "step_started"
	StepCompleted     EventType = "step_completed"
	StepFailed        EventType = "step_failed"
	StepWaiting       EventType = "step_waiting_for_user"
	ArtifactCreated   EventType = "artifact_created"
	CustomEvent       EventType = "custom"
)

// Event is one line of a log. The log of one parent has no gap: its sequences
// are 0, 1, 2, and so on.
type Event struct {
	Sequence int64
	Type     EventType
	At       time.Time
	Message  string
	Payload  map[string]any

	// Status and Waiting are what the parent was once the event had happened,
	// so that a reader of the log needs to read nothing else.
	Status  Status
	Waiting WaitingReason
}
