package atelier

import (
	"fmt"
	"time"
)

// MaxSteps is how many steps a workflow may have.
const MaxSteps = 12

// StepInput is a step as a caller writes it.
type StepInput struct {
	ID        string         `json:"id"`
	ToolName  string         `json:"toolName"`
	Arguments map[string]any `json:"arguments"`
	DependsOn []Binding      `json:"dependsOn,omitempty"`
}

// Binding passes an artifact of one step, or a piece of the request's media, to an
// argument of another step.
type Binding struct {
	SourceStepID        string `json:"sourceStepId"`
	SourceArtifactIndex int    `json:"sourceArtifactIndex"`
	SourceArtifactID    string `json:"sourceArtifactId,omitempty"`
	TargetArgument      string `json:"targetArgument"`
	Transform           string `json:"transform"`
	MediaType           string `json:"mediaType,omitempty"`
	Required            bool   `json:"required"`
}

// InputMedia is the source of bindings that take the request's own media.
const InputMedia = "$input_media"

// MediaReference is a piece of media that a request brings.
type MediaReference struct {
	Kind     string // image, video, audio or model
	URL      string
	Original map[string]any // the reference as the caller wrote it
}

// WaitingFor says why a queued step cannot begin yet. Unlike a WaitingReason, it
// needs nothing from the user.
type WaitingFor struct {
	Reason  string    `json:"reason"`  // no_worker: no connected worker offers the model
	Model   string    `json:"model"`   // or the tool, where that needs no model
	Network Network   `json:"network"` // in which it is queued
	Since   time.Time `json:"since"`
}

// WaitNoWorker is the reason of a step whose model no connected worker offers.
const WaitNoWorker = "no_worker"

// String is the sentence that a user reads.
func (w WaitingFor) String() string {
	return fmt.Sprintf("No connected worker offers %s on the %s network.", w.Model, w.Network)
}

// Minutes is a time in words: whole minutes, or as Go spells it.
func Minutes(d time.Duration) string {
	switch {
	case d == time.Minute:
		return "1 minute"
	case d > 0 && d%time.Minute == 0:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return d.String()
}

// StepError says why a step, or a whole workflow, failed.
type StepError struct {
	Code           string         `json:"code"`
	Message        string         `json:"message"`
	Classification string         `json:"classification"` // validation, auth, billing, rate_limit, transient, provider, policy, cancelled or unknown
	Retryable      bool           `json:"retryable"`
	ToolName       string         `json:"toolName,omitempty"`
	StepID         string         `json:"stepId,omitempty"`
	Details        map[string]any `json:"details,omitempty"`
}

// CostPreview is an estimated cost that a user is asked to approve.
type CostPreview struct {
	TotalEstimatedCapacityUnits float64     `json:"totalEstimatedCapacityUnits"`
	TokenType                   TokenChoice `json:"tokenType"`
	ValidityUntil               time.Time   `json:"validityUntil"`
}

// Equal reports whether two previews are the same, field by field.
func (p CostPreview) Equal(q CostPreview) bool {
	return p.TotalEstimatedCapacityUnits == q.TotalEstimatedCapacityUnits && p.TokenType == q.TokenType && p.ValidityUntil.Equal(q.ValidityUntil)
}
