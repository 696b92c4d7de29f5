package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// AccountEventKinds are the events of the stream of an account.
var AccountEventKinds = []EventKind{
	kind[Ready]("The stream begins, or may have missed something: read everything again."),
	kind[ChangedWorkflow]("A workflow has changed."),
	kind[ChangedRun]("The status of a chat run has changed."),
	kind[NewArtifact]("The library has a new artifact."),
	kind[ArtifactsDeleted]("Artifacts were deleted from the library."),
	kind[BalanceChanged]("The balance has changed."),
	kind[ChangedLora]("A personal LoRA has changed."),
	kind[NetworkChanged]("The connected workers or their jobs have changed."),
}

// Ready is the payload of ready.
type Ready struct{}

// ArtifactsDeleted is the payload of artifacts_deleted.
type ArtifactsDeleted struct{}

// BalanceChanged is the payload of balance.
type BalanceChanged struct{}

// NetworkChanged is the payload of network.
type NetworkChanged struct{}

// ChangedWorkflow is a workflow that has changed.
type ChangedWorkflow struct {
	WorkflowID atelier.WorkflowID `json:"workflowId"`
	Status     atelier.Status     `json:"status"`
	Progress   float64            `json:"progress"`
	UpdatedAt  time.Time          `json:"updatedAt"`
}

// ChangedRun is a chat run whose status has changed.
type ChangedRun struct {
	RunID     atelier.RunID  `json:"runId"`
	SessionID string         `json:"sessionId,omitzero"`
	Status    atelier.Status `json:"status"`
}

// NewArtifact is a new artifact in the library.
type NewArtifact struct {
	ArtifactID string             `json:"artifactId"`
	WorkflowID atelier.WorkflowID `json:"workflowId"`
	Kind       string             `json:"kind"`
}

// ChangedLora is a personal LoRA that has changed.
type ChangedLora struct {
	LoraID   atelier.LoraID     `json:"loraId"`
	Status   atelier.LoraStatus `json:"status"`
	Progress float64            `json:"progress"`
}

// EventType implements atelier.Payload.
func (Ready) EventType() atelier.EventType { return atelier.EventReady }

// EventType implements atelier.Payload.
func (ChangedWorkflow) EventType() atelier.EventType { return atelier.EventWorkflow }

// EventType implements atelier.Payload.
func (ChangedRun) EventType() atelier.EventType { return atelier.EventRun }

// EventType implements atelier.Payload.
func (NewArtifact) EventType() atelier.EventType { return atelier.EventArtifact }

// EventType implements atelier.Payload.
func (ArtifactsDeleted) EventType() atelier.EventType { return atelier.EventArtifactsDeleted }

// EventType implements atelier.Payload.
func (BalanceChanged) EventType() atelier.EventType { return atelier.EventBalance }

// EventType implements atelier.Payload.
func (ChangedLora) EventType() atelier.EventType { return atelier.EventLora }

// EventType implements atelier.Payload.
func (NetworkChanged) EventType() atelier.EventType { return atelier.EventNetwork }
