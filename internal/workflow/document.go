package workflow

import (
	"time"

	"github.com/atelier-project/atelier"
)

// The parts of the stored plan and state that the rest of the service knows by
// types of the root package. Their JSON names belong to the rows of existing
// installations, not to the API. Fields have the order and types of the root's
// types, so that Go converts one into the other.

type bindingDocument struct {
	SourceStepID        string `json:"sourceStepId"`
	SourceArtifactIndex int    `json:"sourceArtifactIndex"`
	SourceArtifactID    string `json:"sourceArtifactId,omitempty"`
	TargetArgument      string `json:"targetArgument"`
	Transform           string `json:"transform"`
	MediaType           string `json:"mediaType,omitempty"`
	Required            bool   `json:"required"`
}

type mediaDocument struct {
	Kind     string         `json:"kind"`
	URL      string         `json:"url"`
	Original map[string]any `json:"said"`
}

type costDocument struct {
	Spark   atelier.Money `json:"spark"`
	USD     atelier.Money `json:"usd"`
	Premium bool          `json:"premium"`
	Render  bool          `json:"render,omitzero"`
	NoPlan  bool          `json:"noPlan,omitzero"`

	Free atelier.FreeReason `json:"free,omitempty"`
}

// heldDocument is what was set aside for a job, in Spark.
type heldDocument struct {
	Spark atelier.Money `json:"spark"`
	Price atelier.Money `json:"price"` // without the discount of the plan
}

type termsDocument struct {
	Token atelier.TokenChoice `json:"token"`
	Mode  atelier.BillingMode `json:"mode"`
	App   string              `json:"app,omitempty"`
	Key   string              `json:"key,omitempty"`
}

type previewDocument struct {
	TotalEstimatedCapacityUnits float64             `json:"totalEstimatedCapacityUnits"`
	TokenType                   atelier.TokenChoice `json:"tokenType"`
	ValidityUntil               time.Time           `json:"validityUntil"`
}

type errorDocument struct {
	Code           string         `json:"code"`
	Message        string         `json:"message"`
	Classification string         `json:"classification"`
	Retryable      bool           `json:"retryable"`
	ToolName       string         `json:"toolName,omitempty"`
	StepID         string         `json:"stepId,omitempty"`
	Details        map[string]any `json:"details,omitempty"`
}

type waitingForDocument struct {
	Reason     string          `json:"reason"`
	Model      string          `json:"model"`
	Network    atelier.Network `json:"network"`
	Since      time.Time       `json:"since"`
	FallbackAt time.Time       `json:"fallbackAt,omitzero"`
}

type chargedDocument struct {
	Spark  atelier.Money `json:"costInSpark"`
	USD    atelier.Money `json:"costInUSD"`
	ByPlan bool          `json:"byPlan"`

	Free atelier.FreeReason `json:"free,omitempty"`
}

// input is a step as its caller wrote it.
func (s planStep) input() atelier.StepInput {
	return atelier.StepInput{ID: s.ID, ToolName: s.ToolName, Arguments: s.Arguments, DependsOn: s.bindings()}
}

// bindings are the bindings of a step.
func (s planStep) bindings() (out []atelier.Binding) {
	for _, b := range s.DependsOn {
		out = append(out, atelier.Binding(b))
	}
	return out
}

// planned is a step of a plan in the making.
func planned(in atelier.StepInput) planStep {
	s := planStep{ID: in.ID, ToolName: in.ToolName, Arguments: in.Arguments}
	for _, b := range in.DependsOn {
		s.DependsOn = append(s.DependsOn, bindingDocument(b))
	}
	return s
}

// media is the media that the request brought.
func (p plan) media() (out []atelier.MediaReference) {
	for _, m := range p.Media {
		out = append(out, atelier.MediaReference(m))
	}
	return out
}

// previews are the cost previews that the user was shown.
func (s state) previews() (out []atelier.CostPreview) {
	for _, p := range s.Previews {
		out = append(out, atelier.CostPreview(p))
	}
	return out
}
