package atelier

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Workflow is the snapshot of a workflow, as it is read.
type Workflow struct {
	WorkflowID           string          `json:"workflowId"`
	Status               Status          `json:"status"`
	Title                string          `json:"title,omitzero"`
	Input                WorkflowInput   `json:"input"`
	Steps                []Step          `json:"steps"`
	Artifacts            []ArtifactRef   `json:"artifacts"`
	Events               []EventRecord   `json:"events"`
	WaitingReason        WaitingReason   `json:"waitingReason,omitzero"`
	Waiting              *Waiting        `json:"waiting,omitzero"`
	AwaitingCostApproval *bool           `json:"awaitingCostApproval,omitzero"`
	SafeContentFilter    bool            `json:"safeContentFilter"`
	TokenType            TokenChoice     `json:"tokenType"`
	BillingMode          BillingMode     `json:"billingMode"`
	AppSource            string          `json:"appSource,omitzero"`
	MediaReferences      []any           `json:"mediaReferences,omitzero"`
	Template             *WorkflowOrigin `json:"template,omitzero"`
	Backbone             Backbone        `json:"backbone"`
	Plan                 *WorkflowPlan   `json:"plan,omitzero"`
	BillingPreview       *CostPreview    `json:"billingPreview,omitzero"`
	BillingPreviews      []CostPreview   `json:"billingPreviews,omitzero"`
	Authorization        *Authorization  `json:"authorization,omitzero"`
	EstimatedCapacity    int             `json:"estimatedCapacityUnits"`
	Usage                map[string]int  `json:"usage,omitzero"`
	Error                *StepError      `json:"error,omitzero"`
	Recovery             Recovery        `json:"recovery"`
	CreateTime           int64           `json:"createTime"`
	UpdateTime           int64           `json:"updateTime"`
	Timestamps           Timestamps      `json:"timestamps"`
}

// Waiting says what a paused workflow or step waits for and what its user can do.
type Waiting struct {
	Reason  WaitingReason  `json:"reason"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitzero"`
}

// WorkflowInput is a plan as its caller wrote it.
type WorkflowInput struct {
	Title string      `json:"title,omitzero"`
	Steps []StepInput `json:"steps"`
}

// WorkflowOrigin names the template that a workflow was made from.
type WorkflowOrigin struct {
	ID      string `json:"id"`
	Version string `json:"version"`
}

// WorkflowPlan is the run contract: the same facts under one roof.
type WorkflowPlan struct {
	WorkflowID string        `json:"workflowId"`
	Status     Status        `json:"status"`
	Backbone   Backbone      `json:"backbone"`
	Title      string        `json:"title,omitzero"`
	Input      WorkflowInput `json:"input"`
	Steps      []Step        `json:"steps"`
	Events     []EventRecord `json:"events"`
	Artifacts  []ArtifactRef `json:"artifacts"`
	Timestamps Timestamps    `json:"timestamps"`
}

// Backbone says which versions of the service's own knowledge made something.
type Backbone struct {
	SchemaVersion         string `json:"schemaVersion"`
	ModelKnowledgeVersion string `json:"modelKnowledgeVersion"`
	RoutingPolicyVersion  string `json:"routingPolicyVersion"`
}

// Timestamps are when things happened.
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

// Step is the state of a step.
type Step struct {
	ID             string         `json:"id"`
	Sequence       int            `json:"sequence"`
	ToolName       string         `json:"toolName"`
	Arguments      map[string]any `json:"arguments"`
	DependsOn      []Binding      `json:"dependsOn"`
	Status         Status         `json:"status"`
	WaitingReason  WaitingReason  `json:"waitingReason,omitzero"`
	Waiting        *Waiting       `json:"waiting,omitzero"`
	WaitingFor     *WaitingFor    `json:"waitingFor,omitzero"`
	Progress       float64        `json:"progress"`
	Artifacts      []ArtifactRef  `json:"artifacts"`
	Error          *StepError     `json:"error,omitzero"`
	Retry          StepRetry      `json:"retry"`
	Input          StepArguments  `json:"input"`
	Generation     *Generation    `json:"generation,omitzero"`
	Routing        any            `json:"routing,omitzero"`
	Cost           StepCost       `json:"cost"`
	Seed           *int64         `json:"seed,omitzero"`
	ProjectID      string         `json:"projectId,omitzero"`
	IdempotencyKey string         `json:"idempotencyKey"`
	Tool           StepTool       `json:"tool"`
	Backbone       Backbone       `json:"backbone"`
	Implementation Implementation `json:"implementation"`
	Timestamps     StepTimes      `json:"timestamps"`
}

// StepRetry says how often a step was tried again, and why.
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

// StepCost is what a step is estimated to cost, and what it did.
type StepCost struct {
	Estimate any         `json:"estimate"`
	Actual   *ActualCost `json:"actual,omitzero"`
}

// ActualCost is what was charged.
type ActualCost struct {
	Spark  Money `json:"costInSpark"`
	USD    Money `json:"costInUSD"`
	ByPlan bool  `json:"byPlan"`
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

// StepTimes are when a step was worked on.
type StepTimes struct {
	StartedAt   *time.Time `json:"startedAt,omitzero"`
	CompletedAt *time.Time `json:"completedAt,omitzero"`
}

// ArtifactRef is something that a step made. Its URL is signed when it is
// read.
type ArtifactRef struct {
	ID              string         `json:"id"`
	Kind            string         `json:"kind"`
	MediaType       string         `json:"mediaType"` // the same, for older clients
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
	Preview         bool           `json:"preview,omitzero"`       // a fallback worker made it, in place of one that has the model
	NotUnderstood   []string       `json:"notUnderstood,omitzero"` // what of the request the renderer passed over
	Metadata        map[string]any `json:"metadata,omitzero"`
}

// Caveat says in one line what keeps an artifact from being what was asked for;
// empty when nothing is known to.
func (a ArtifactRef) Caveat() string {
	var said []string
	if a.Preview {
		said = append(said, fmt.Sprintf("Preview made by %s: no other connected worker offers the model.", cmp.Or(a.Renderer, "a fallback worker")))
	}
	if len(a.NotUnderstood) > 0 {
		said = append(said, "Not understood: "+strings.TrimSuffix(strings.Join(a.NotUnderstood, "; "), ".")+".")
	}
	return strings.Join(said, " ")
}

// CostPreview is an estimate that a user is asked to approve.
type CostPreview struct {
	TotalEstimatedCapacityUnits float64     `json:"totalEstimatedCapacityUnits"`
	TokenType                   TokenChoice `json:"tokenType"`
	ValidityUntil               time.Time   `json:"validityUntil"`
}

// Equal reports whether two previews are the same, field by field.
func (p CostPreview) Equal(q CostPreview) bool {
	return p.TotalEstimatedCapacityUnits == q.TotalEstimatedCapacityUnits && p.TokenType == q.TokenType && p.ValidityUntil.Equal(q.ValidityUntil)
}

// Authorization is the approval of a cost and what has come of it.
type Authorization struct {
	WorkflowRunID           string            `json:"workflowRunId"`
	AuthorizedCapacityUnits float64           `json:"authorizedCapacityUnits"`
	TokenType               TokenChoice       `json:"tokenType"`
	AuthorizedAt            time.Time         `json:"authorizedAt"`
	ExpiresAt               time.Time         `json:"expiresAt"`
	CumulativeSettledUnits  float64           `json:"cumulativeSettledUnits"`
	CumulativeReservedUnits float64           `json:"cumulativeReservedUnits"`
	StageSettlements        []StageSettlement `json:"stageSettlements"`
}

// StageSettlement is what became of one step's share of an approved cost.
type StageSettlement struct {
	StageID        string   `json:"stageId"`
	ProjectID      string   `json:"projectId,omitzero"`
	JobIDs         []string `json:"jobIds,omitzero"`
	EstimatedUnits float64  `json:"estimatedUnits"`
	SettledUnits   *float64 `json:"settledUnits,omitzero"`
	Status         string   `json:"status"` // pending, in_flight, settled, failed or cancelled
}

// EventRecord is an event as it is read: the specification's frame, and beside
// it the names that older clients know.
type EventRecord struct {
	Sequence   int64          `json:"sequence"`
	Type       EventType      `json:"type"`
	At         time.Time      `json:"at"`
	Payload    map[string]any `json:"payload"`
	ID         string         `json:"id"`
	WorkflowID string         `json:"workflowId"`
	Timestamp  time.Time      `json:"timestamp"`
	Message    string         `json:"message,omitzero"`
	Data       map[string]any `json:"data"`
}
