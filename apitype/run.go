package apitype

import (
	"time"

	"github.com/atelier-project/atelier"
)

// Run is a chat run as it is read.
type Run struct {
	RunID              atelier.RunID     `json:"runId"`
	OwnerWalletAddress atelier.Wallet    `json:"ownerWalletAddress"`
	Status             atelier.Status    `json:"status"`
	SchemaVersion      string            `json:"schemaVersion"`
	Backbone           Backbone          `json:"backbone"`
	Timestamps         Timestamps        `json:"timestamps"`
	Scope              RunScope          `json:"scope"`
	Request            RunRequest        `json:"request"`
	Messages           []RunMessage      `json:"messages"`
	ToolCalls          []RunToolCall     `json:"toolCalls"`
	ToolResults        []RunToolResult   `json:"toolResults"`
	MediaContext       MediaContext      `json:"mediaContext"`
	Artifacts          []RunArtifact     `json:"artifacts"`
	ChildWorkflowIDs   []string          `json:"childWorkflowIds"`
	Events             []RunEvent        `json:"events"`
	BillingPreview     *RunPreview       `json:"billingPreview,omitzero"`
	BillingPreviews    []RunPreview      `json:"billingPreviews,omitzero"`
	Waiting            *RunWaiting       `json:"waiting,omitzero"`
	FinalResponse      *RunFinalResponse `json:"finalResponse,omitzero"`
	FailureReason      string            `json:"failureReason,omitzero"`
	CancellationReason string            `json:"cancellationReason,omitzero"`
	Error              *RunFailure       `json:"error,omitzero"`
	Usage              *RunUsage         `json:"usage,omitzero"`
	Recovery           RunRecovery       `json:"recovery"`
	CreateTime         int64             `json:"createTime"`
	UpdateTime         int64             `json:"updateTime"`
}

// RunUsage is what language models have used for a run so far, and what was paid for that. What its tools make is not
// in it.
type RunUsage struct {
	Model            string        `json:"model"` // that answers
	PromptTokens     int           `json:"promptTokens"`
	CompletionTokens int           `json:"completionTokens"`
	CachedTokens     int           `json:"cachedTokens"` // of the prompt
	Seconds          float64       `json:"seconds"`      // that the rounds of the model took
	CostInSpark      atelier.Money `json:"costInSpark"`
	CostInSvc        atelier.Money `json:"costInSvc"`
	CostInUSD        atelier.Money `json:"costInUSD"`
	CoveredByPlan    bool          `json:"coveredByPlan"` // a plan covers some of it
}

// RunScope says whose a run is.
type RunScope struct {
	OwnerWalletAddress atelier.Wallet      `json:"ownerWalletAddress"`
	AppSource          string              `json:"appSource"`
	TokenType          atelier.TokenChoice `json:"tokenType"`
	BillingMode        atelier.BillingMode `json:"billingMode"`
}

// RunRequest is the request that started a run.
type RunRequest struct {
	SessionID       string           `json:"sessionId,omitzero"`
	ClientMessageID string           `json:"clientMessageId,omitzero"`
	Model           string           `json:"model,omitzero"`
	Messages        []RunMessage     `json:"messages"`
	Tools           []any            `json:"tools,omitzero"`
	ToolChoice      any              `json:"toolChoice,omitzero"`
	Sampling        map[string]any   `json:"sampling"`
	MediaReferences []map[string]any `json:"mediaReferences,omitzero"`
	MaxUnits        *float64         `json:"maxEstimatedCapacityUnits,omitzero"`
	ConfirmCost     *bool            `json:"confirmCost,omitzero"`
	IdempotencyKey  string           `json:"idempotencyKey,omitzero"`
	RuntimeConfig   map[string]any   `json:"runtimeConfig"`
}

// RunMessage is a message of a conversation, in OpenAI's shape.
type RunMessage struct {
	Role       string           `json:"role"`
	Content    any              `json:"content"` // a string, or a list of parts
	Name       string           `json:"name,omitzero"`
	ToolCalls  []RunMessageCall `json:"tool_calls,omitzero"`
	ToolCallID string           `json:"tool_call_id,omitzero"`
}

// RunMessageCall is a tool call inside a message.
type RunMessageCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function RunFunctionCall `json:"function"`
}

// RunFunctionCall names a function and its arguments.
type RunFunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// RunToolCall is a call that the model has made.
type RunToolCall struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Arguments  any    `json:"arguments"`
	Sequence   int    `json:"sequence"`
}

// RunToolResult is the outcome of a call.
type RunToolResult struct {
	ToolCallID string `json:"toolCallId"`
	Status     string `json:"status"` // ok, err, cancelled or waiting_for_user
	Summary    string `json:"summary,omitzero"`
	ErrorCode  string `json:"errorCode,omitzero"`
	Sequence   int    `json:"sequence"`
}

// MediaContext lists the media of a run by its URLs: results by kind, then uploads.
type MediaContext struct {
	Images         []string `json:"images"`
	Videos         []string `json:"videos"`
	Audio          []string `json:"audio"`
	UploadedImages []string `json:"uploadedImages"`
	UploadedVideos []string `json:"uploadedVideos"`
	UploadedAudio  []string `json:"uploadedAudio"`
}

// RunArtifact is something that a run has made.
type RunArtifact struct {
	ID               string         `json:"id"`
	WorkflowID       string         `json:"workflowId,omitzero"`
	StepID           string         `json:"stepId,omitzero"`
	URL              string         `json:"url,omitzero"`
	MediaType        string         `json:"mediaType,omitzero"`
	MimeType         string         `json:"mimeType,omitzero"`
	ModelKey         string         `json:"modelKey,omitzero"`
	ModelDisplayName string         `json:"modelDisplayName,omitzero"`
	ToolName         string         `json:"toolName,omitzero"`
	ToolCallID       string         `json:"toolCallId,omitzero"`
	Metadata         map[string]any `json:"metadata,omitzero"`
}

// RunPreview is a cost that the user is asked to approve.
type RunPreview struct {
	TotalEstimatedCapacityUnits float64             `json:"totalEstimatedCapacityUnits"`
	TokenType                   atelier.TokenChoice `json:"tokenType"`
	ValidityUntil               time.Time           `json:"validityUntil"`
	PerToolBreakdown            []ToolCost          `json:"perToolBreakdown"`
}

// ToolCost is the share of one call in a preview.
type ToolCost struct {
	ToolCallID    string  `json:"toolCallId"`
	ToolName      string  `json:"toolName"`
	CapacityUnits float64 `json:"capacityUnits"`
}

// RunWaiting says what a paused run waits for.
type RunWaiting struct {
	Reason  atelier.WaitingReason `json:"reason"`
	Message string                `json:"message"`
	Details RunWaitingDetails     `json:"details"`
}

// RunWaitingDetails name the calls that wait, and their cost.
type RunWaitingDetails struct {
	ToolCallID          string          `json:"toolCallId"`
	PendingToolCallIDs  []string        `json:"pendingToolCallIds"`
	CostApprovalPreview *RunPreview     `json:"costApprovalPreview,omitzero"`
	Flavor              string          `json:"flavor,omitzero"`
	WorkflowID          string          `json:"workflowId,omitzero"`
	Review              *WaitingDetails `json:"review,omitzero"`
}

// RunFinalResponse is the answer of a run that is over.
type RunFinalResponse struct {
	Content          string            `json:"content,omitzero"`
	PendingToolCalls []PendingToolCall `json:"pendingToolCalls,omitzero"`
	FinishReason     string            `json:"finishReason"`
}

// PendingToolCall is a call of a tool of the caller, for the caller to make.
type PendingToolCall struct {
	ToolCallID string `json:"toolCallId"`
	ToolName   string `json:"toolName"`
	Arguments  any    `json:"arguments"`
}

// RunFailure says why a run has failed.
type RunFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// RunRecovery says how often a run was continued.
type RunRecovery struct {
	ResumeCount int `json:"resumeCount"`
}

// RunReply is the answer of endpoints about one run.
type RunReply struct {
	Run        Run   `json:"run"`
	Idempotent *bool `json:"idempotent,omitzero"`
}

// CancelledRunReply is the answer to a cancellation.
type CancelledRunReply struct {
	Run     CancelledRun `json:"run"`
	Aborted bool         `json:"aborted"`
}

// CancelledRun is what a cancellation has done.
type CancelledRun struct {
	RunID  atelier.RunID  `json:"runId"`
	Status atelier.Status `json:"status"`
}
