// Package snapshot has the shapes in which a workflow is read: what the workflow
// engine answers, the API sends and the client receives. Their JSON names are the
// API's. Type names are part of the OpenAPI document.
//
// It imports the root package only, so that clients do not import the service.
package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
)

// Workflow is a workflow as it is read.
type Workflow struct {
	WorkflowID           string                `json:"workflowId"`
	Status               atelier.Status        `json:"status"`
	Title                string                `json:"title,omitzero"`
	Input                WorkflowInput         `json:"input"`
	Steps                []Step                `json:"steps"`
	Artifacts            []ArtifactRef         `json:"artifacts"`
	Events               []EventRecord         `json:"events"`
	WaitingReason        atelier.WaitingReason `json:"waitingReason,omitzero"`
	Waiting              *Waiting              `json:"waiting,omitzero"`
	AwaitingCostApproval *bool                 `json:"awaitingCostApproval,omitzero"`
	SafeContentFilter    bool                  `json:"safeContentFilter"`
	TokenType            atelier.TokenChoice   `json:"tokenType"`
	BillingMode          atelier.BillingMode   `json:"billingMode"`
	AppSource            string                `json:"appSource,omitzero"`
	MediaReferences      []any                 `json:"mediaReferences,omitzero"`
	Template             *WorkflowOrigin       `json:"template,omitzero"`
	Backbone             Backbone              `json:"backbone"`
	Plan                 *WorkflowPlan         `json:"plan,omitzero"`
	BillingPreview       *atelier.CostPreview  `json:"billingPreview,omitzero"`
	BillingPreviews      []atelier.CostPreview `json:"billingPreviews,omitzero"`
	Authorization        *Authorization        `json:"authorization,omitzero"`
	EstimatedCapacity    int                   `json:"estimatedCapacityUnits"`
	Usage                map[string]int        `json:"usage,omitzero"`
	Error                *atelier.StepError    `json:"error,omitzero"`
	Recovery             Recovery              `json:"recovery"`
	CreateTime           int64                 `json:"createTime"`
	UpdateTime           int64                 `json:"updateTime"`
	Timestamps           Timestamps            `json:"timestamps"`
}

// Waiting says what a workflow or step waits for: its user, who can do something about
// it, or what is before it.
type Waiting struct {
	Reason   atelier.WaitingReason `json:"reason"`
	Message  string                `json:"message"`
	Until    *time.Time            `json:"until,omitzero"`    // when the wait ends at the latest: an approval expires, or the job fails
	Position int                   `json:"position,omitzero"` // in the queue, from 1; approximate
	Details  map[string]any        `json:"details,omitzero"`
}

// Summary is a workflow in a list.
type Summary struct {
	WorkflowID    string         `json:"workflowId"`
	Status        atelier.Status `json:"status"`
	Title         string         `json:"title"` // its title, or the beginning of its first prompt
	Kind          *string        `json:"kind"`  // of its result
	Steps         int            `json:"steps"`
	StepsDone     int            `json:"stepsDone"`
	Progress      float64        `json:"progress"`
	Cost          atelier.Money  `json:"cost"` // in Spark: what was charged, and the estimate of the steps that are not over
	ArtifactCount int            `json:"artifactCount"`
	ThumbnailURL  *string        `json:"thumbnailUrl"`
	TemplateID    *string        `json:"templateId"`
	AppSource     *string        `json:"appSource"`
	CreatedAt     time.Time      `json:"createdAt"`
	UpdatedAt     time.Time      `json:"updatedAt"`
	Waiting       *Waiting       `json:"waiting"`
}

// Estimate is what a plan would cost if it were started now, and how it would be paid.
type Estimate struct {
	Cost          EstimateCost    `json:"cost"`
	CoveredByPlan bool            `json:"coveredByPlan"` // the subscription covers all that costs something
	Payment       EstimatePayment `json:"payment"`
	BalanceAfter  EstimateBalance `json:"balanceAfter"`
	Sufficient    bool            `json:"sufficient"`
	Steps         []EstimateStep  `json:"steps"`
	Warnings      []string        `json:"warnings"`
}

// EstimateCost is a price, less the discounts of the plan.
type EstimateCost struct {
	Spark         atelier.Money `json:"spark"`
	USD           atelier.Money `json:"usd"`
	CapacityUnits int           `json:"capacityUnits"`
}

// EstimatePayment is what each token would pay.
type EstimatePayment struct {
	TokenType   atelier.TokenChoice `json:"tokenType"`
	BillingMode atelier.BillingMode `json:"billingMode"`
	Parts       []EstimatePart      `json:"parts"`
}

// EstimatePart is what one token would pay.
type EstimatePart struct {
	Token  atelier.Token `json:"token"`
	Amount atelier.Money `json:"amount"`
}

// Add adds what a charge takes from the balance.
func (p *EstimatePayment) Add(c atelier.Charge) {
	for _, part := range c.Parts {
		i := slices.IndexFunc(p.Parts, func(e EstimatePart) bool { return e.Token == part.Token })
		if i < 0 {
			i = len(p.Parts)
			p.Parts = append(p.Parts, EstimatePart{Token: part.Token})
		}
		p.Parts[i].Amount += part.Amount
	}
}

// EstimateBalance is what could be spent afterwards.
type EstimateBalance struct {
	Spark        atelier.Money `json:"spark"` // without Premium Spark
	PremiumSpark atelier.Money `json:"premiumSpark"`
	Svc          atelier.Money `json:"svc"`
}

// EstimateStep is the share of a step.
type EstimateStep struct {
	StepID        string       `json:"stepId"`
	ToolName      string       `json:"toolName"`
	ModelID       *string      `json:"modelId"`
	Cost          EstimateCost `json:"cost"`
	CoveredByPlan bool         `json:"coveredByPlan"`
	ServedBy      *string      `json:"servedBy"` // workers, vendor, preview or nobody; null for what the service does itself
}

// WorkflowInput is a plan as its caller wrote it.
type WorkflowInput struct {
	Title string              `json:"title,omitzero"`
	Steps []atelier.StepInput `json:"steps"`
}

// WorkflowOrigin names the template that a workflow was made from.
type WorkflowOrigin struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// WorkflowPlan is the run contract of a workflow: fields of Workflow again, under
// the names of the contract.
type WorkflowPlan struct {
	WorkflowID string         `json:"workflowId"`
	Status     atelier.Status `json:"status"`
	Backbone   Backbone       `json:"backbone"`
	Title      string         `json:"title,omitzero"`
	Input      WorkflowInput  `json:"input"`
	Steps      []Step         `json:"steps"`
	Events     []EventRecord  `json:"events"`
	Artifacts  []ArtifactRef  `json:"artifacts"`
	Timestamps Timestamps     `json:"timestamps"`
}

// Backbone is the versions of schema, catalog and routing that a workflow was made
// with.
type Backbone struct {
	SchemaVersion         string `json:"schemaVersion"`
	ModelKnowledgeVersion string `json:"modelKnowledgeVersion"`
	RoutingPolicyVersion  string `json:"routingPolicyVersion"`
}

// Timestamps are when a workflow was created, changed and completed.
type Timestamps struct {
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	CompletedAt *time.Time `json:"completedAt,omitzero"`
}

// Recovery says how often a workflow was resumed.
type Recovery struct {
	ResumeCount  int        `json:"resumeCount"`
	LastResumeAt *time.Time `json:"lastResumeAt,omitzero"`
	Reason       string     `json:"reason,omitzero"`
}

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
	Artifacts      []ArtifactRef         `json:"artifacts"`
	Error          *atelier.StepError    `json:"error,omitzero"`
	Retry          StepRetry             `json:"retry"`
	Input          StepArguments         `json:"input"`
	Generation     *Generation           `json:"generation,omitzero"`
	Routing        any                   `json:"routing,omitzero"`
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

// StepCost is the estimated and the actual cost of a step.
type StepCost struct {
	Estimate       any           `json:"estimate"`
	EstimatedSpark atelier.Money `json:"estimatedSpark"`
	Actual         *ActualCost   `json:"actual,omitzero"`
}

// ActualCost is what was charged.
type ActualCost struct {
	Spark  atelier.Money `json:"costInSpark"`
	USD    atelier.Money `json:"costInUSD"`
	ByPlan bool          `json:"byPlan"`
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

// ArtifactRef is an artifact of a step. Its URL is signed for each read.
type ArtifactRef struct {
	ID              string         `json:"id"`
	Kind            string         `json:"kind"`
	MediaType       string         `json:"mediaType"` // Kind again, for older clients
	URL             string         `json:"url"`
	MimeType        string         `json:"mimeType,omitzero"`
	Width           int            `json:"width,omitzero"`
	Height          int            `json:"height,omitzero"`
	DurationSeconds float64        `json:"durationSeconds,omitzero"`
	SizeBytes       int64          `json:"sizeBytes,omitzero"`
	Seed            *int64         `json:"seed,omitzero"`
	ToolName        string         `json:"toolName"`
	StepID          string         `json:"stepId"`
	Renderer        string         `json:"renderer,omitzero"`      // what made it
	Preview         bool           `json:"preview,omitzero"`       // rendered by a fallback worker that does not have the model
	NotUnderstood   []string       `json:"notUnderstood,omitzero"` // parts of the request that the renderer ignored
	Metadata        map[string]any `json:"metadata,omitzero"`
}

// Caveat says in one line how an artifact differs from what was asked for; empty
// when no difference is known.
func (a ArtifactRef) Caveat() string {
	var parts []string
	if a.Preview {
		parts = append(parts, fmt.Sprintf("Preview made by %s: no other connected worker offers the model.", cmp.Or(a.Renderer, "a fallback worker")))
	}
	if len(a.NotUnderstood) > 0 {
		parts = append(parts, "Not understood: "+strings.TrimSuffix(strings.Join(a.NotUnderstood, "; "), ".")+".")
	}
	return strings.Join(parts, " ")
}

// Authorization is the approval of a cost, and what was reserved and settled of it.
type Authorization struct {
	WorkflowRunID           string              `json:"workflowRunId"`
	AuthorizedCapacityUnits float64             `json:"authorizedCapacityUnits"`
	TokenType               atelier.TokenChoice `json:"tokenType"`
	AuthorizedAt            time.Time           `json:"authorizedAt"`
	ExpiresAt               time.Time           `json:"expiresAt"`
	CumulativeSettledUnits  float64             `json:"cumulativeSettledUnits"`
	CumulativeReservedUnits float64             `json:"cumulativeReservedUnits"`
	StageSettlements        []StageSettlement   `json:"stageSettlements"`
}

// StageSettlement is how one step's share of an approved cost was settled.
type StageSettlement struct {
	StageID        string   `json:"stageId"`
	ProjectID      string   `json:"projectId,omitzero"`
	JobIDs         []string `json:"jobIds,omitzero"`
	EstimatedUnits float64  `json:"estimatedUnits"`
	SettledUnits   *float64 `json:"settledUnits,omitzero"`
	Status         string   `json:"status"` // pending, in_flight, settled, failed or cancelled
}

// EventRecord is an event as it is read: the fields of the specification, and the
// names that older clients read.
type EventRecord struct {
	Sequence   int64             `json:"sequence"`
	Type       atelier.EventType `json:"type"`
	At         time.Time         `json:"at"`
	Payload    map[string]any    `json:"payload"`
	ID         string            `json:"id"`
	WorkflowID string            `json:"workflowId"`
	Timestamp  time.Time         `json:"timestamp"`
	Message    string            `json:"message,omitzero"`
	Data       map[string]any    `json:"data"`
}
