package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Step is a step as it is read.
type Step struct {
	ID             string                `json:"id"`
	Sequence       int                   `json:"sequence"`
	ToolName       string                `json:"toolName"`
	Arguments      map[string]any        `json:"arguments"`
	DependsOn      []atelier.Binding     `json:"dependsOn"`
	Status         atelier.Status        `json:"status"`
	WaitingReason  atelier.WaitingReason `json:"waitingReason,omitzero"`
	Waiting        *Waiting              `json:"waiting,omitzero"`
	WaitingFor     *atelier.WaitingFor   `json:"waitingFor,omitzero"`
	Wait           *Waiting              `json:"wait,omitzero"` // what a queued or paused step waits for; Waiting is for paused ones only
	Progress       float64               `json:"progress"`
	PreviewURL     string                `json:"previewUrl,omitzero"` // a picture of what is being rendered
	Artifacts      []Artifact            `json:"artifacts"`
	Error          *atelier.StepError    `json:"error,omitzero"`
	Retry          StepRetry             `json:"retry"`
	Remake         *StepRemake           `json:"remake,omitzero"`
	Input          StepArguments         `json:"input"`
	Generation     *Generation           `json:"generation,omitzero"`
	Routing        *Routing              `json:"routing,omitzero"`
	Cost           StepCost              `json:"cost"`
	Seed           *int64                `json:"seed,omitzero"`
	ProjectID      string                `json:"projectId,omitzero"`
	IdempotencyKey string                `json:"idempotencyKey"`
	Tool           StepTool              `json:"tool"`
	Backbone       Backbone              `json:"backbone"`
	Implementation Implementation        `json:"implementation"`
	Timestamps     StepTimes             `json:"timestamps"`
}

// StepRetry says how often a step was retried, and why.
type StepRetry struct {
	Count          int    `json:"count"`
	Classification string `json:"classification"` // none, transient, permanent or unknown
}

// StepRemake says that a fallback worker has made the step, and that it can be made again free of
// charge by a worker with its model, or was.
type StepRemake struct {
	State      string `json:"state" doc:"available or used."`
	WorkflowID string `json:"workflowId,omitzero" doc:"The workflow that makes it again, or has."`
}

// The states.
const (
	RemakeAvailable = "available" // it can be made again now
	RemakeUsed      = "used"      // it was, or is being made again
)

// StepArguments are the arguments as they were sent and as they are used.
type StepArguments struct {
	Arguments  map[string]any `json:"arguments"`
	Normalized map[string]any `json:"normalizedArguments"`
}

// Generation is what renders a step.
type Generation struct {
	SelectedModel string         `json:"selectedModel"`
	Params        map[string]any `json:"params"`
}

// Routing reports how a step got its model.
type Routing struct {
	SelectedBy   string        `json:"selectedBy"` // caller, default or inputs
	Reasons      []string      `json:"reasons"`
	Alternatives []Alternative `json:"alternatives"`
}

// Alternative is another model that could have done the step.
type Alternative struct {
	ModelID   string `json:"modelId"`
	Available *bool  `json:"available,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// StepCost is the estimated and the actual cost of a step.
type StepCost struct {
	Estimate       any           `json:"estimate"`
	EstimatedSpark atelier.Money `json:"estimatedSpark"`          // what is held for it; before that, what would be now
	BeforeDiscount atelier.Money `json:"beforeDiscount,omitzero"` // the price of a vendor's model, where the plan has a discount on it
	Actual         *ActualCost   `json:"actual,omitzero"`
}

// ActualCost is what was charged.
type ActualCost struct {
	Spark  atelier.Money `json:"costInSpark"`
	USD    atelier.Money `json:"costInUSD"`
	ByPlan bool          `json:"byPlan"`

	Free atelier.FreeReason `json:"free,omitzero" doc:"Why it costs nothing: remake, for what is made again because a fallback worker made it before."`
}

// StepTool names the tool and the version of its schema.
type StepTool struct {
	Name          string `json:"name"`
	SchemaVersion string `json:"schemaVersion"`
}

// Implementation says what runs a step.
type Implementation struct {
	Runtime string `json:"runtime"`
	Version string `json:"version"`
}

// StepTimes are when a step started and ended.
type StepTimes struct {
	StartedAt   *time.Time `json:"startedAt,omitzero"`
	CompletedAt *time.Time `json:"completedAt,omitzero"`
}
