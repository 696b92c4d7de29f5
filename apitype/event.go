package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// WorkflowEvent is an event as it is read: the fields of the specification, and the
// names that older clients read.
type WorkflowEvent struct {
	Sequence   int64             `json:"sequence"`
	Type       atelier.EventType `json:"type"`
	At         time.Time         `json:"at"`
	Payload    atelier.Payload   `json:"payload"`
	ID         string            `json:"id"`
	WorkflowID string            `json:"workflowId"`
	Timestamp  time.Time         `json:"timestamp"`
	Message    string            `json:"message,omitzero"`
	Data       atelier.Payload   `json:"data"`
}

// RunEvents are a part of the log of a run.
type RunEvents struct {
	Events  []RunEvent `json:"events"`
	Trimmed bool       `json:"trimmed,omitzero"` // events that were asked for are no longer kept
}

// RunStatus is the frame with the current status of a run.
type RunStatus struct {
	Type          string                `json:"type"`
	RunID         atelier.RunID         `json:"runId"`
	Status        atelier.Status        `json:"status"`
	WaitingReason atelier.WaitingReason `json:"waitingReason,omitzero"`
	Payload       RunStatusPayload      `json:"payload"`
}

// RunStatusPayload is the payload of a status frame.
type RunStatusPayload struct {
	Status atelier.Status `json:"status"`
}

// RunText is the frame with the text that a model is writing. The log does not keep it: when the round has ended, its
// whole text is an event.
type RunText struct {
	Type    string        `json:"type"` // assistant_message_text
	RunID   atelier.RunID `json:"runId"`
	Round   int           `json:"round"`
	IsFirst bool          `json:"first"`   // it is the beginning of the text, and replaces what was read of the round before
	Content string        `json:"content"` // since the frame before
}

// EventsTrimmed is the frame that says that events before the next are no longer kept.
type EventsTrimmed struct {
	Type          string        `json:"type"`
	RunID         atelier.RunID `json:"runId"`
	FirstSequence int64         `json:"firstSequence"`
}

// WorkflowEvents are a part of the log of a workflow.
type WorkflowEvents struct {
	Events []WorkflowEvent `json:"events"`
}

// WorkflowStatus is the frame with the current state of a workflow.
type WorkflowStatus struct {
	WorkflowID           string                `json:"workflowId"`
	Status               atelier.Status        `json:"status"`
	WaitingReason        atelier.WaitingReason `json:"waitingReason,omitzero"`
	AwaitingCostApproval *bool                 `json:"awaitingCostApproval,omitzero"`
}

// RunEvent is one line of the log of a run.
type RunEvent struct {
	Sequence int64             `json:"sequence"`
	Type     atelier.EventType `json:"type"`
	At       time.Time         `json:"at"`
	Payload  atelier.Payload   `json:"payload"`
	ID       string            `json:"id"`
	RunID    atelier.RunID     `json:"runId"`
}
