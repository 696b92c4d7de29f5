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

// Binding hands an artifact of one step, or a piece of the request's media, to
// an argument of another step.
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
	Kind string         `json:"kind"` // image, video, audio or model
	URL  string         `json:"url"`
	Said map[string]any `json:"said"` // all that the caller said about it
}

// WaitingFor says why a step that is queued cannot begin yet. Unlike Waiting,
// which asks the user for something, it ends by itself.
type WaitingFor struct {
	Reason  string    `json:"reason"`  // no_worker: no connected worker offers the model
	Model   string    `json:"model"`   // or the tool, where that needs no model
	Network Network   `json:"network"` // in which it is queued
	Since   time.Time `json:"since"`
}

// WaitNoWorker is the reason of a step whose model no connected worker offers.
const WaitNoWorker = "no_worker"

// String says it to people.
func (w WaitingFor) String() string {
	return fmt.Sprintf("No connected worker offers %s on the %s network.", w.Model, w.Network)
}

// StepError says why a step, or a whole workflow, came to nothing.
type StepError struct {
	Code           string         `json:"code"`
	Message        string         `json:"message"`
	Classification string         `json:"classification"` // validation, auth, billing, rate_limit, transient, provider, policy, cancelled or unknown
	Retryable      bool           `json:"retryable"`
	ToolName       string         `json:"toolName,omitempty"`
	StepID         string         `json:"stepId,omitempty"`
	Details        map[string]any `json:"details,omitempty"`
}
