package apitype

import (
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
	Artifacts            []Artifact            `json:"artifacts"`
	Events               []WorkflowEvent       `json:"events"`
	WaitingReason        atelier.WaitingReason `json:"waitingReason,omitzero"`
	Waiting              *Waiting              `json:"waiting,omitzero"`
	AwaitingCostApproval *bool                 `json:"awaitingCostApproval,omitzero"`
	SafeContentFilter    bool                  `json:"safeContentFilter"`
	TokenType            atelier.TokenChoice   `json:"tokenType"`
	BillingMode          atelier.BillingMode   `json:"billingMode"`
	AppSource            string                `json:"appSource,omitzero"`
	MediaReferences      []any                 `json:"mediaReferences,omitzero"`
	Template             *WorkflowOrigin       `json:"template,omitzero"`
	RemakeOf             *RemakeOf             `json:"remakeOf,omitzero"`
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
	Note                 []byte                `json:"-"` // JSON of the protocol that has started it
}

// WaitingForWorker is what a workflow waits for because no connected worker serves it, or nil.
func (w Workflow) WaitingForWorker() *atelier.WaitingFor {
	for _, s := range w.Steps {
		if s.WaitingFor != nil {
			return s.WaitingFor
		}
	}
	return nil
}

// Waiting says what a workflow or step waits for: its user, who can do something about
// it, or what is before it.
type Waiting struct {
	Reason   atelier.WaitingReason `json:"reason"`
	Message  string                `json:"message"`
	Until    *time.Time            `json:"until,omitzero"`    // when the wait ends at the latest: an approval expires, or the job fails
	Position int                   `json:"position,omitzero"` // in the queue, from 1; approximate
	Details  *WaitingDetails       `json:"details,omitzero"`
}

// WaitingDetails are what is known about a wait for the user.
type WaitingDetails struct {
	StepID              string               `json:"stepId,omitzero"`
	CostApprovalPreview *atelier.CostPreview `json:"costApprovalPreview,omitzero"`
	Help                string               `json:"help,omitzero"`       // what the user can do after a review of the content
	Source              string               `json:"source,omitzero"`     // of the review: content_filter or renderer
	Categories          []string             `json:"categories,omitzero"` // that the content filter has found
}

// WorkflowSummary is a workflow in a list.
type WorkflowSummary struct {
	WorkflowID    string         `json:"workflowId"`
	Status        atelier.Status `json:"status"`
	Title         string         `json:"title"` // its title, or the beginning of its first prompt
	About         string         `json:"about"` // what tells it from others of its title: the inputs of its template, or its first prompt
	Kind          *string        `json:"kind"`  // of its result
	Steps         int            `json:"steps"`
	StepsDone     int            `json:"stepsDone"`
	Progress      float64        `json:"progress"`
	Cost          atelier.Money  `json:"cost"`          // in Spark: what was charged, and the estimate of the steps that are not over
	CoveredByPlan atelier.Money  `json:"coveredByPlan"` // the part of the cost that the plan pays
	ArtifactCount int            `json:"artifactCount"`
	ThumbnailURL  *string        `json:"thumbnailUrl"`
	TemplateID    *string        `json:"templateId"`
	AppSource     *string        `json:"appSource"`
	CreatedAt     time.Time      `json:"createdAt"`
	UpdatedAt     time.Time      `json:"updatedAt"`
	StartedAt     *time.Time     `json:"startedAt"`   // when its first step started
	CompletedAt   *time.Time     `json:"completedAt"` // when it ended
	Waiting       *Waiting       `json:"waiting"`
	Reason        *EndReason     `json:"reason"` // of the end of one that failed or was cancelled
}

// EndReason says why a workflow ended without all its results.
type EndReason struct {
	Code    string `json:"code"` // of the error; of a cancelled one the reason of the cancel, or what it waited for
	Message string `json:"message"`
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

// RemakeOf names the step that a workflow makes again free of charge.
type RemakeOf struct {
	WorkflowID string `json:"workflowId"`
	StepID     string `json:"stepId"`
}

// WorkflowPlan is the run contract of a workflow: fields of Workflow again, under
// the names of the contract.
type WorkflowPlan struct {
	WorkflowID string          `json:"workflowId"`
	Status     atelier.Status  `json:"status"`
	Backbone   Backbone        `json:"backbone"`
	Title      string          `json:"title,omitzero"`
	Input      WorkflowInput   `json:"input"`
	Steps      []Step          `json:"steps"`
	Events     []WorkflowEvent `json:"events"`
	Artifacts  []Artifact      `json:"artifacts"`
	Timestamps Timestamps      `json:"timestamps"`
}

// Backbone is the versions of schema, catalog and routing that a workflow or run was made
// with.
type Backbone struct {
	SchemaVersion         string `json:"schemaVersion"`
	ModelKnowledgeVersion string `json:"modelKnowledgeVersion"`
	RoutingPolicyVersion  string `json:"routingPolicyVersion"`
}

// Timestamps are when a workflow or run was created, changed and completed.
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

// NewSeed is the seed of a step of the new workflow, under the names of old and
// new clients.
type NewSeed struct {
	StepID  string `json:"stepId"`
	NewSeed int64  `json:"newSeed"`
	ID      string `json:"id"`
	Seed    int64  `json:"seed"`
}

// WorkflowReply carries a workflow.
type WorkflowReply struct {
	Workflow               Workflow             `json:"workflow"`
	Idempotent             *bool                `json:"idempotent,omitzero"`
	WaitingForCostApproval *bool                `json:"waitingForCostApproval,omitzero"`
	Preview                *atelier.CostPreview `json:"preview,omitzero"`
}

// Workflows are a page of workflows.
type Workflows struct {
	Workflows []Workflow `json:"workflows"`
	Next      *int       `json:"next"`
}

// CancelledWorkflow is the answer to a cancellation.
type CancelledWorkflow struct {
	Workflow     Workflow `json:"workflow"`
	Transitioned bool     `json:"transitioned"`
	InFlight     bool     `json:"inFlight"`
}

// ResumedWorkflow is the answer to a resume.
type ResumedWorkflow struct {
	Workflow Workflow `json:"workflow"`
	Resumed  bool     `json:"resumed"`
}

// ReseededWorkflow is the answer to a reseed.
type ReseededWorkflow struct {
	Workflow   Workflow `json:"workflow"`
	Idempotent *bool    `json:"idempotent,omitzero"`
	Reseed     Reseed   `json:"reseed"`
}

// Reseed is what a reseeded workflow was made from.
type Reseed struct {
	ClonedFrom atelier.WorkflowID `json:"cloned_from_run_id"`
	Steps      []NewSeed          `json:"steps"`
}

// ConfirmedWorkflow is the answer to a decision about a cost.
type ConfirmedWorkflow struct {
	Workflow      Workflow       `json:"workflow"`
	Decision      string         `json:"decision,omitzero"`
	Authorization *Authorization `json:"authorization,omitzero"`
	Idempotent    *bool          `json:"idempotent,omitzero"`
}

// WorkflowSummaries are a page of summaries.
type WorkflowSummaries struct {
	Workflows  []WorkflowSummary `json:"workflows"`
	NextCursor *string           `json:"nextCursor"`
}

// WorkflowCounts are how many workflows have which status.
type WorkflowCounts struct {
	Counts   map[atelier.Status]int `json:"counts"`
	Total    int                    `json:"total"`
	Complete bool                   `json:"complete"` // whether all were counted: of a search only the newest are

	// What workflows of the account can be filtered by, whatever the filter.
	Tools   []string `json:"tools"`
	Models  []string `json:"models"`
	Reasons []string `json:"reasons"`
}
