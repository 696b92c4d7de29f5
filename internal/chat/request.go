package chat

import (
	"cmp"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// The number of rounds of the model that an answer may have.
const (
	MaxRounds    = 5  // of a completion
	MaxRunRounds = 24 // of a run, which pauses and outlives its connection
)

// Request is a conversation to be answered.
type Request struct {
	ID         string // of the completion
	Caller     atelier.Caller
	Model      string // an id; empty for the default model
	Messages   []llm.Message
	Tools      []llm.Tool // the caller's own
	ToolChoice ToolChoice
	Family     string   // of hosted tools to offer; empty for none
	Allowed    []string // the hosted tools of the family that are offered; nil for all, and the templates
	Execute    bool     // whether hosted tools are run here
	Stream     bool
	MaxTokens  int
	Thinking   bool    // whether the model may think before it answers
	Profile    Profile // sets sampling parameters that Params do not have
	Params     map[string]wire.Raw
	Extra      map[string]wire.Raw // other fields of the caller, for servers whose operator allows them
	Media      []Media
	Terms      atelier.PaymentTerms
	Filter     bool
	Session    string                   // whose assets are remembered; empty for none
	Rounds     int                      // of the model, at most; MaxRounds when zero
	Tier       string                   // of quality, which chooses models that calls do not name: fast, hq, pro or empty
	Trim       bool                     // the oldest turns are left out when the conversation is too long
	Made       []atelier.MediaReference // results of earlier conversations, in the order of their indices

	// TemplateArgs are arguments of the model's chat template. Thinking decides
	// about enable_thinking.
	TemplateArgs map[string]wire.Raw
}

func (q *Request) maxRounds() int { return cmp.Or(q.Rounds, MaxRounds) }

// limit applies the limits of the key of the caller: hosted tools that it may not use are not offered.
func (q *Request) limit() {
	if l := q.Caller.Limits; l != nil && l.Tools != nil {
		allowed := []string{}
		for _, name := range l.Tools {
			if q.Allowed == nil || slices.Contains(q.Allowed, name) {
				allowed = append(allowed, name)
			}
		}
		q.Allowed = allowed
	}
}

// Media is a piece of media that a request brings: by its address, or inline.
// What comes inline has no address until a tool first needs it and it is stored.
type Media struct {
	atelier.MediaReference
	ContentType string // of Data
	Data        []byte // nil unless it is inline
	Earlier     bool   // it was sent with an earlier message
}

// Event is something that happens while an answer is made.
type Event struct {
	Model     string              // the id of the model that answers: the first event, and nothing else in it
	Content   string              // more of the answer's text
	ToolCalls []llm.ToolCallDelta // more of calls that the caller is to make
	Progress  *ToolProgress
	Workflow  *WorkflowRef // a workflow that a tool has started or ended
	Beat      bool         // a sign of life
	More      bool         // the next event follows at once: this one may wait for it
	Again     int          // the round whose text begins again, in a recorded answer
}

// ToolProgress is the progress of a tool that runs here.
type ToolProgress struct {
	ToolCallID string  `json:"tool_call_id"`
	Tool       string  `json:"tool"`
	Status     string  `json:"status"` // running, completed, failed, or that of its workflow
	Progress   float64 `json:"progress"`
	Message    string  `json:"message,omitzero"`
	Sequence   int64   `json:"-"` // the event of its workflow that reported it
	Preview    string  `json:"-"` // the URL of a picture of what is being rendered, or empty
}

// WorkflowRef points at the workflow behind a tool call.
type WorkflowRef struct {
	WorkflowID string         `json:"workflowId"`
	Status     atelier.Status `json:"status"`
	URL        string         `json:"url"`
	EventsURL  string         `json:"eventsUrl"`
	StreamURL  string         `json:"streamUrl"`
}

// RefTo points at a workflow.
func RefTo(id string, status atelier.Status) WorkflowRef {
	path := "/v1/creative-agent/workflows/" + id
	return WorkflowRef{WorkflowID: id, Status: status, URL: path, EventsURL: path + "/events", StreamURL: path + "/events/stream"}
}

// Completion is a whole answer.
type Completion struct {
	Model        string // the id of the model that answered
	Content      string
	ToolCalls    []llm.ToolCall // for the caller to make
	FinishReason string
	Usage        llm.Usage
	Workflows    []WorkflowRef
	Results      []map[string]any // of the tools that ran here
}
