package apitype

import "github.com/atelier-project/atelier"

// WorkflowStarted is the payload of workflow_started.
type WorkflowStarted struct {
	WorkflowID string `json:"workflowId"`
	StepCount  int    `json:"stepCount"`
	Title      string `json:"title"`
}

// WorkflowProgress is the payload of workflow_progress.
type WorkflowProgress struct {
	Progress     float64 `json:"progress"` // of the workflow, from 0 to 1
	StepID       string  `json:"stepId"`
	StepProgress float64 `json:"stepProgress"`
	Message      string  `json:"message"`
	PreviewURL   string  `json:"previewUrl,omitzero"` // a picture of what is being rendered

	// WaitingFor is what the step begins to wait for; null when it no longer waits.
	WaitingFor Nullable[atelier.WaitingFor] `json:"waitingFor,omitzero"`
}

// WorkflowWaiting is the payload of workflow_waiting_for_user.
type WorkflowWaiting struct {
	StepID  string                `json:"stepId,omitzero"`
	Reason  atelier.WaitingReason `json:"reason"`
	Message string                `json:"message"`
	Preview *atelier.CostPreview  `json:"preview,omitzero"` // the cost to approve before anything starts
	Details WaitingDetails        `json:"details"`
}

// WorkflowCompleted is the payload of workflow_completed.
type WorkflowCompleted struct {
	Status    atelier.Status `json:"status"` // completed or partial_failure
	Artifacts []Artifact     `json:"artifacts"`
}

// WorkflowFailed is the payload of workflow_failed.
type WorkflowFailed struct {
	Status    atelier.Status `json:"status"`
	Error     EventError     `json:"error"`
	Retryable bool           `json:"retryable"`
}

// WorkflowCancelled is the payload of workflow_cancelled.
type WorkflowCancelled struct {
	Reason string `json:"reason"`
}

// StepStarted is the payload of step_started.
type StepStarted struct {
	StepID   string `json:"stepId"`
	ToolName string `json:"toolName"`
	Sequence int    `json:"sequence"`
	Attempt  int    `json:"attempt"`
}

// StepCompleted is the payload of step_completed.
type StepCompleted struct {
	StepID    string     `json:"stepId"`
	ToolName  string     `json:"toolName"`
	Artifacts []Artifact `json:"artifacts"`
}

// StepFailed is the payload of step_failed.
type StepFailed struct {
	StepID    string     `json:"stepId"`
	ToolName  string     `json:"toolName"`
	ErrorType string     `json:"errorType"`
	Retryable bool       `json:"retryable"`
	Error     EventError `json:"error"`
}

// StepWaiting is the payload of step_waiting_for_user.
type StepWaiting struct {
	StepID  string                `json:"stepId"`
	Reason  atelier.WaitingReason `json:"reason"`
	Message string                `json:"message"`
	Details WaitingDetails        `json:"details"`
}

// ArtifactCreated is the payload of artifact_created.
type ArtifactCreated struct {
	ArtifactID string `json:"artifactId"`
	Artifact
}

// Custom is the payload of custom.
type Custom struct {
	Kind                    string              `json:"kind"` // workflow_resumed, cost_confirmation_resolved, step_retry or step_requeued
	StepID                  string              `json:"stepId,omitzero"`
	Attempt                 *int                `json:"attempt,omitzero"`
	ResumeCount             int                 `json:"resumeCount,omitzero"`
	Decision                string              `json:"decision,omitzero"`
	AuthorizedCapacityUnits *float64            `json:"authorizedCapacityUnits,omitzero"`
	TokenType               atelier.TokenChoice `json:"tokenType,omitzero"`
}

// EventError is an error in the payload of an event.
type EventError struct {
	Code           string `json:"code"`
	Message        string `json:"message"`
	Classification string `json:"classification"` // validation, auth, billing, rate_limit, transient, provider, policy, cancelled or unknown
	Retryable      bool   `json:"retryable"`
}

// NewEventError is the part of an error that events have.
func NewEventError(e atelier.StepError) EventError {
	return EventError{Code: e.Code, Message: e.Message, Classification: e.Classification, Retryable: e.Retryable}
}

// EventType implements atelier.Payload.
func (WorkflowStarted) EventType() atelier.EventType { return atelier.EventWorkflowStarted }

// EventType implements atelier.Payload.
func (WorkflowProgress) EventType() atelier.EventType { return atelier.EventWorkflowProgress }

// EventType implements atelier.Payload.
func (WorkflowWaiting) EventType() atelier.EventType { return atelier.EventWorkflowWaiting }

// EventType implements atelier.Payload.
func (WorkflowCompleted) EventType() atelier.EventType { return atelier.EventWorkflowCompleted }

// EventType implements atelier.Payload.
func (WorkflowFailed) EventType() atelier.EventType { return atelier.EventWorkflowFailed }

// EventType implements atelier.Payload.
func (WorkflowCancelled) EventType() atelier.EventType { return atelier.EventWorkflowCancelled }

// EventType implements atelier.Payload.
func (StepStarted) EventType() atelier.EventType { return atelier.EventStepStarted }

// EventType implements atelier.Payload.
func (StepCompleted) EventType() atelier.EventType { return atelier.EventStepCompleted }

// EventType implements atelier.Payload.
func (StepFailed) EventType() atelier.EventType { return atelier.EventStepFailed }

// EventType implements atelier.Payload.
func (StepWaiting) EventType() atelier.EventType { return atelier.EventStepWaiting }

// EventType implements atelier.Payload.
func (ArtifactCreated) EventType() atelier.EventType { return atelier.EventArtifactCreated }

// EventType implements atelier.Payload.
func (Custom) EventType() atelier.EventType { return atelier.EventCustom }
