package atelier

import (
	"fmt"
	"time"
)

// MaxSteps is how many steps a workflow may have.
const MaxSteps = 12

// StepInput is a step as a caller writes it.
type StepInput struct {
	ID        string         `json:"id" wire:"id,required,minlen=1,maxlen=128" doc:"Names the step in bindings."`
	ToolName  string         `json:"toolName" wire:"toolName,required" doc:"The tool to run."`
	Arguments map[string]any `json:"arguments" wire:"arguments,required" doc:"Arguments of the tool."`
	DependsOn []Binding      `json:"dependsOn,omitempty" wire:"dependsOn,maxlen=64" doc:"Inputs taken from other steps."`
}

// WireExample is a valid step, for answers to requests that are not.
func (StepInput) WireExample() string {
	return `{"id": "fox", "toolName": "generate_image", "arguments": {"prompt": "a red fox in the snow"}}`
}

// Binding passes an artifact of one step, or a piece of the request's media, to an
// argument of another step.
type Binding struct {
	SourceStepID        string `json:"sourceStepId" wire:"sourceStepId,required,minlen=1" doc:"The step whose artifact is taken, or $input_media for the request's media."`
	SourceArtifactIndex int    `json:"sourceArtifactIndex" wire:"sourceArtifactIndex,min=0,max=1000" doc:"Which artifact, from 0."`
	SourceArtifactID    string `json:"sourceArtifactId,omitempty" wire:"sourceArtifactId" doc:"The artifact by its id."`
	TargetArgument      string `json:"targetArgument" wire:"targetArgument,required,minlen=1" doc:"The argument that receives it."`
	Transform           string `json:"transform" wire:"transform,required,minlen=1" doc:"The value to pass, such as image_index."`
	MediaType           string `json:"mediaType,omitempty" wire:"mediaType,enum=image|video|audio" doc:"The kind of media, when the transform does not determine it."`
	Required            bool   `json:"required" wire:"required,default=true" doc:"Whether the step fails when the artifact is missing."`
}

// InputMedia is the source of bindings that take the request's own media.
const InputMedia = "$input_media"

// MediaReference is a piece of media that a request brings.
type MediaReference struct {
	Kind     string // image, video, audio or model
	URL      string
	Original map[string]any // the reference as the caller wrote it
}

// MediaAt is a reference of which nothing but its kind and address is known.
func MediaAt(kind, url string) MediaReference {
	return MediaReference{Kind: kind, URL: url, Original: map[string]any{"kind": kind, "url": url}}
}

// WaitingFor says why a queued step cannot begin yet. Unlike a WaitingReason, it
// needs nothing from the user.
type WaitingFor struct {
	Reason  string    `json:"reason"`  // no_worker: no connected worker offers the model
	Model   string    `json:"model"`   // or the tool, where that needs no model
	Network Network   `json:"network"` // in which it is queued
	Since   time.Time `json:"since"`

	// FallbackAt is when a fallback worker may take the job, if no worker with the model is back.
	FallbackAt time.Time `json:"fallbackAt,omitzero"`
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
