package apitype

import "github.com/atelier-project/atelier"

// RunCreated is the payload of run_created.
type RunCreated struct {
	RunID atelier.RunID `json:"runId"`
}

// RunResumed is the payload of run_resumed.
type RunResumed struct {
	Reason string `json:"reason"` // cost_approved or interrupted
}

// RunCompleted is the payload of run_completed.
type RunCompleted struct {
	Status        atelier.Status   `json:"status"`
	FinalResponse RunFinalResponse `json:"finalResponse"`
}

// RunPartialFailure is the payload of run_partial_failure.
type RunPartialFailure struct {
	Status        atelier.Status   `json:"status"`
	FinalResponse RunFinalResponse `json:"finalResponse"`
	Error         *RunFailure      `json:"error,omitzero"` // why the run could not go on
	FailureReason string           `json:"failureReason,omitzero"`
}

// RunFailed is the payload of run_failed.
type RunFailed struct {
	Error         RunFailure `json:"error"`
	FailureReason string     `json:"failureReason"`
}

// RunCancelled is the payload of run_cancelled.
type RunCancelled struct {
	Reason string `json:"reason"`
}

// RunPaused is the payload of run_waiting_for_user.
type RunPaused RunWaiting

// RoundStarted is the payload of llm_round_started.
type RoundStarted struct {
	Round int `json:"round"`
}

// MessageDelta is the payload of assistant_message_delta.
type MessageDelta struct {
	Content string `json:"content"`
}

// MessageCompleted is the payload of assistant_message_completed.
type MessageCompleted struct {
	Round     int               `json:"round,omitzero"`
	Content   string            `json:"content"`
	ToolCalls []PendingToolCall `json:"toolCalls,omitzero"`
}

// CallDispatched is the payload of tool_call_dispatched.
type CallDispatched struct {
	ToolCallID string             `json:"toolCallId"`
	ToolName   string             `json:"toolName"`
	Arguments  any                `json:"arguments"` // an object, or the text that the model has written
	WorkflowID atelier.WorkflowID `json:"workflowId,omitzero"`
}

// CallProgress is the payload of tool_call_progress.
type CallProgress struct {
	ToolCallID       string  `json:"toolCallId"`
	ToolName         string  `json:"toolName"`
	Progress         float64 `json:"progress"`
	Status           string  `json:"status"`
	WorkflowSequence int64   `json:"workflowSequence"` // of the event of its workflow
	StepLabel        string  `json:"stepLabel,omitzero"`
	PreviewURL       string  `json:"previewUrl,omitzero"` // of use while the call runs
}

// CallResolved is the payload of tool_call_resolved.
type CallResolved struct {
	ToolCallID string             `json:"toolCallId"`
	ToolName   string             `json:"toolName"`
	Status     string             `json:"status"` // ok, err or cancelled
	Summary    string             `json:"summary"`
	MediaURLs  []MediaURL         `json:"mediaUrls"`
	Artifacts  []RunArtifact      `json:"artifacts"`
	ErrorCode  string             `json:"errorCode,omitzero"`
	WorkflowID atelier.WorkflowID `json:"workflowId,omitzero"`
}

// MediaURL is media that a call has made.
type MediaURL struct {
	URL       string `json:"url"`
	MediaType string `json:"mediaType"`
	ToolName  string `json:"toolName"`
	ModelKey  string `json:"modelKey,omitzero"`
}

// MediaContextUpdated is the payload of media_context_updated.
type MediaContextUpdated struct{ MediaContext }

// Spend is the payload of llm_spend.
type Spend struct {
	EventID       string              `json:"eventId"`
	ModelName     string              `json:"modelName"`
	TokenType     atelier.TokenChoice `json:"tokenType"`
	CostInToken   atelier.Money       `json:"costInToken"`
	CostInSpark   atelier.Money       `json:"costInSpark"`
	CostInSvc     atelier.Money       `json:"costInSvc"`
	CostInUSD     atelier.Money       `json:"costInUSD"`
	InputTokens   int                 `json:"inputTokens"`
	OutputTokens  int                 `json:"outputTokens"`
	CachedTokens  int                 `json:"cachedTokens"`
	CoveredByPlan bool                `json:"coveredByPlan,omitzero"`
}

// PreviewUpdated is the payload of billing_preview_updated.
type PreviewUpdated struct {
	BillingPreview RunPreview `json:"billingPreview"`
}

// AwaitingCost is the payload of run_awaiting_cost_confirmation.
type AwaitingCost struct {
	ToolCallID       string              `json:"toolCallId"`
	ToolName         string              `json:"toolName"`
	EstimatedCost    float64             `json:"estimatedCost"`
	EstimatedUSDCost float64             `json:"estimatedUsdCost"`
	TokenType        atelier.TokenChoice `json:"tokenType"`
	CapacityUnits    float64             `json:"capacityUnits"`
	ModelKey         string              `json:"modelKey"`
	Width            int                 `json:"width,omitzero"` // in pixels, of what will be made, where that is known
	Height           int                 `json:"height,omitzero"`
	DurationSeconds  float64             `json:"durationSeconds,omitzero"`
	ToolArgs         any                 `json:"toolArgs"`
}

// CostResolved is the payload of run_cost_confirmation_resolved.
type CostResolved struct {
	ToolCallID string `json:"toolCallId"`
	Decision   string `json:"decision"` // confirm or cancel
	Reason     string `json:"reason,omitzero"`
}

// EventType implements atelier.Payload.
func (RunCreated) EventType() atelier.EventType { return atelier.EventRunCreated }

// EventType implements atelier.Payload.
func (RunResumed) EventType() atelier.EventType { return atelier.EventRunResumed }

// EventType implements atelier.Payload.
func (RunCompleted) EventType() atelier.EventType { return atelier.EventRunCompleted }

// EventType implements atelier.Payload.
func (RunPartialFailure) EventType() atelier.EventType { return atelier.EventRunPartialFailure }

// EventType implements atelier.Payload.
func (RunFailed) EventType() atelier.EventType { return atelier.EventRunFailed }

// EventType implements atelier.Payload.
func (RunCancelled) EventType() atelier.EventType { return atelier.EventRunCancelled }

// EventType implements atelier.Payload.
func (RunPaused) EventType() atelier.EventType { return atelier.EventRunWaiting }

// EventType implements atelier.Payload.
func (RoundStarted) EventType() atelier.EventType { return atelier.EventRoundStarted }

// EventType implements atelier.Payload.
func (MessageDelta) EventType() atelier.EventType { return atelier.EventMessageDelta }

// EventType implements atelier.Payload.
func (MessageCompleted) EventType() atelier.EventType { return atelier.EventMessageCompleted }

// EventType implements atelier.Payload.
func (CallDispatched) EventType() atelier.EventType { return atelier.EventCallDispatched }

// EventType implements atelier.Payload.
func (CallProgress) EventType() atelier.EventType { return atelier.EventCallProgress }

// EventType implements atelier.Payload.
func (CallResolved) EventType() atelier.EventType { return atelier.EventCallResolved }

// EventType implements atelier.Payload.
func (MediaContextUpdated) EventType() atelier.EventType { return atelier.EventMediaContext }

// EventType implements atelier.Payload.
func (Spend) EventType() atelier.EventType { return atelier.EventSpend }

// EventType implements atelier.Payload.
func (PreviewUpdated) EventType() atelier.EventType { return atelier.EventBillingPreview }

// EventType implements atelier.Payload.
func (AwaitingCost) EventType() atelier.EventType { return atelier.EventAwaitingCost }

// EventType implements atelier.Payload.
func (CostResolved) EventType() atelier.EventType { return atelier.EventCostConfirmResolved }
