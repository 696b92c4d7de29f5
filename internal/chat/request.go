package chat

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// MaxRounds is how often the model speaks for one request.
const MaxRounds = 5

// Request is a conversation to be answered.
type Request struct {
	ID         string // of the completion
	Caller     atelier.Caller
	Model      llm.Model
	Messages   []llm.Message
	Tools      []llm.Tool // the caller's own
	ToolChoice wire.Raw
	Family     string // of hosted tools to offer; empty for none
	Execute    bool   // whether hosted tools are run here
	Stream     bool
	MaxTokens  int
	Thinking   bool
	Profile    Profile // how freely the model speaks, where Params do not say
	Params     map[string]wire.Raw
	Extra      map[string]wire.Raw      // for the servers that are set to take it
	Media      []atelier.MediaReference // by address, or with a data URI in place of it
	Terms      atelier.PaymentTerms
	Filter     bool
	Session    string // whose assets are remembered; empty for none
}

// Event is something that happens on the way to an answer.
type Event struct {
	Content   string              // more of the answer's text
	ToolCalls []llm.ToolCallDelta // more of calls that the caller is to make
	Progress  *ToolProgress
	Workflow  *WorkflowRef // a workflow that a tool has started or ended
	Beat      bool         // nothing new, but still at work
	More      bool         // the next follows at once: this one may wait for it
}

// ToolProgress is how far a tool is that runs here.
type ToolProgress struct {
	ToolCallID string  `json:"tool_call_id"`
	Tool       string  `json:"tool"`
	Status     string  `json:"status"` // running, completed, failed, or that of its workflow
	Progress   float64 `json:"progress"`
	Message    string  `json:"message,omitzero"`
}

// WorkflowRef points at the workflow behind a tool call.
type WorkflowRef struct {
	WorkflowID string         `json:"workflowId"`
	Status     atelier.Status `json:"status"`
	URL        string         `json:"url"`
	EventsURL  string         `json:"eventsUrl"`
	StreamURL  string         `json:"streamUrl"`
}

// refTo points at a workflow.
func refTo(id string, status atelier.Status) WorkflowRef {
	path := "/v1/creative-agent/workflows/" + id
	return WorkflowRef{id, status, path, path + "/events", path + "/events/stream"}
}

// Completion is a whole answer.
type Completion struct {
	Content      string
	ToolCalls    []llm.ToolCall // for the caller to make
	FinishReason string
	Usage        llm.Usage
	Workflows    []WorkflowRef
	Results      []map[string]any // of the tools that ran here
}
