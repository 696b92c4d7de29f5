package api

import (
	"net/http"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/run"
)

// runRequest is the body of POST /v1/chat/runs.
type runRequest struct {
	openai.RunBody
	MaxUnits        *float64             `wire:"max_estimated_capacity_units,min=0" doc:"Recorded."`
	ConfirmCost     *bool                `wire:"confirm_cost" doc:"Recorded."`
	ClientMessageID string               `wire:"client_message_id,maxlen=200" doc:"The caller's id of the message."`
	Runtime         openai.RuntimeConfig `wire:"runtime_config,names=lenient" doc:"How the service works on the run."`
	Key             string               `wire:"idempotency_key" doc:"The idempotency key, for clients that cannot send the header."`
	Webhook         requestWebhook       `wire:"webhook" doc:"An address that gets the events of this run: a URL, or url and events. The secret of the webhook with the id requests signs them."`
	payment
}

func (s *Server) startRun(c *endpoint.Call, q runRequest) (apitype.RunReply, error) {
	chat, sampling, err := q.Request(c.Caller)
	if err != nil {
		return apitype.RunReply{}, err
	}
	config, err := q.Runtime.Shown()
	if err != nil {
		return apitype.RunReply{}, err
	}
	chat.Terms, chat.Filter, chat.Tier = q.terms(), q.Runtime.Filter, q.Runtime.QualityTier
	key := c.Key
	if key == "" {
		key = endpoint.DropOver200.Apply(q.Key)
	}
	started, err := s.runs.Start(c, run.StartRequest{
		Chat: *chat, Key: key, Confirm: q.Runtime.Confirm, ConfirmSpending: q.Runtime.ConfirmSpending, ClientMessageID: q.ClientMessageID, MaxUnits: q.MaxUnits, ConfirmCost: q.ConfirmCost,
		Sampling: sampling, RuntimeConfig: config, Webhook: q.Webhook.named(), Weigh: weighStart(c, runUnit),
	})
	if err != nil {
		return apitype.RunReply{}, err
	}
	idempotent := started.Repeat && started.Run.Status != atelier.StatusQueued
	if started.Repeat {
		c.Refund = true
	}
	if idempotent {
		c.Status = http.StatusOK
	}
	return apitype.RunReply{Run: started.Run, Idempotent: &idempotent}, nil
}

// runID names a run.
type runID struct {
	ID atelier.RunID `path:"id" example:"run_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
}

func (s *Server) readRun(c *endpoint.Call, q runID) (apitype.RunReply, error) {
	r, err := s.runs.Run(c, c.Caller.Wallet, q.ID)
	return apitype.RunReply{Run: r}, err
}

// runEventsRequest is the query of the log of a run.
type runEventsRequest struct {
	ID    atelier.RunID `path:"id" example:"run_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	After *int64        `wire:"after,min=-1" doc:"Only events with a greater sequence."`
}

func (q runEventsRequest) after() int64 {
	if q.After == nil {
		return -1
	}
	return *q.After
}

func (s *Server) runEvents(c *endpoint.Call, q runEventsRequest) (apitype.RunEvents, error) {
	log, err := s.runs.Events(c, c.Caller.Wallet, q.ID, q.after())
	return apitype.RunEvents{Events: log.Events, Trimmed: log.Trimmed}, err
}

func newRunStatus(id atelier.RunID, at journal.Standing) apitype.RunStatus {
	return apitype.RunStatus{Type: "run_status", RunID: id, Status: at.Status, WaitingReason: at.Waiting, Payload: apitype.RunStatusPayload{Status: at.Status}}
}

const runTextType = "assistant_message_text"

func (s *Server) streamRun(c *endpoint.Call, q runEventsRequest) error {
	after, err := c.LastEventID(q.after())
	if err != nil {
		return err
	}
	ctx, stop := c.Streaming()
	defer stop()
	news, err := s.runs.Follow(ctx, c.Caller.Wallet, q.ID, after, s.heartbeat)
	if err != nil {
		return err
	}
	endpoint.Follow(c, news, func(out *endpoint.EventStream, n run.Update) bool {
		switch {
		case n.Event != nil:
			if n.Missed && !out.Frame(nil, "events_trimmed", apitype.EventsTrimmed{Type: "events_trimmed", RunID: q.ID, FirstSequence: n.Event.Sequence}) {
				return false
			}
			return out.Frame(&n.Event.Sequence, string(n.Event.Type), n.Event)
		case n.Standing != nil:
			return out.Frame(nil, "run_status", newRunStatus(q.ID, *n.Standing))
		case n.Text != nil:
			return out.Frame(nil, runTextType, apitype.RunText{Type: runTextType, RunID: q.ID, Round: n.Text.Round, IsFirst: n.Text.IsFirst, Content: n.Text.Content})
		}
		return out.Heartbeat()
	})
	return nil
}

type cancelRunRequest struct {
	ID     atelier.RunID `path:"id" example:"run_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	Reason string        `wire:"reason,truncate=500,default=user_cancelled" doc:"Why; recorded."`
}

func (s *Server) cancelRun(c *endpoint.Call, q cancelRunRequest) (apitype.CancelledRunReply, error) {
	done, err := s.runs.Cancel(c, c.Caller.Wallet, q.ID, q.Reason)
	return apitype.CancelledRunReply{Run: apitype.CancelledRun{RunID: done.ID, Status: done.Status}, Aborted: done.Aborted}, err
}

type confirmRunRequest struct {
	ID         atelier.RunID      `path:"id" example:"run_3f1c2a9e-7b64-4d0e-9a53-5c8e21d7f604"`
	ToolCallID string             `wire:"tool_call_id,required,minlen=1,maxlen=200" doc:"A call that waits, from waiting.details.toolCallId."`
	Decision   string             `wire:"decision,required,enum=confirm|cancel" doc:"Whether the cost is approved."`
	Preview    *runPreviewRequest `wire:"accepted_cost_preview" doc:"The cost preview to confirm, exactly as shown."`
	Overrides  *runOverrides      `wire:"overrides,names=lenient" doc:"Changes of the named call. What would make it cost more is left out."`
	Reason     string             `wire:"reason,truncate=500" doc:"Why; recorded."`
	Key        string             `wire:"idempotency_key" doc:"The idempotency key, for clients that cannot send the header."`
}

// runPreviewRequest is a preview of a run that is sent back. Its breakdown may be left
// out.
type runPreviewRequest struct {
	Units    float64             `wire:"totalEstimatedCapacityUnits,required"`
	Token    atelier.TokenChoice `wire:"tokenType,required"`
	Validity time.Time           `wire:"validityUntil,required"`
	Tools    []toolCostRequest   `wire:"perToolBreakdown"`
}

// toolCostRequest is a line of a preview that is sent back.
type toolCostRequest struct {
	ToolCallID string  `wire:"toolCallId,required"`
	ToolName   string  `wire:"toolName,required"`
	Units      float64 `wire:"capacityUnits,required"`
}

type runOverrides struct {
	QualityTier string   `wire:"qualityTier,alias=quality_tier,enum=fast|hq|pro"`
	Filter      *bool    `wire:"safeContentFilter,alias=safe_content_filter"`
	Prompt      *string  `wire:"prompt,maxlen=20000"`
	Prompts     []string `wire:"prompts,maxlen=16"`
}

// confirmableRun refuses a run that has no cost to confirm, whatever the body is.
func (s *Server) confirmableRun(c *endpoint.Call) error {
	return s.runs.Confirmable(c, c.Caller.Wallet, atelier.RunID(c.Request.PathValue("id")))
}

func (s *Server) confirmRun(c *endpoint.Call, q confirmRunRequest) (apitype.RunReply, error) {
	d := run.Decision{Key: c.Key, ToolCallID: q.ToolCallID, Confirm: q.Decision == "confirm", Reason: q.Reason, Arrived: c.Now}
	if d.Key == "" {
		d.Key = endpoint.DropOver200.Apply(q.Key)
	}
	if q.Preview != nil {
		d.Preview = &atelier.CostPreview{TotalEstimatedCapacityUnits: q.Preview.Units, TokenType: q.Preview.Token, ValidityUntil: q.Preview.Validity}
		if q.Preview.Tools != nil {
			d.Breakdown = []apitype.ToolCost{}
		}
		for _, t := range q.Preview.Tools {
			d.Breakdown = append(d.Breakdown, apitype.ToolCost{ToolCallID: t.ToolCallID, ToolName: t.ToolName, CapacityUnits: t.Units})
		}
	}
	if o := q.Overrides; o != nil {
		d.Overrides = run.Overrides{QualityTier: o.QualityTier, Filter: o.Filter, Prompt: o.Prompt, Prompts: o.Prompts}
	}
	decided, err := s.runs.Confirm(c, c.Caller.Wallet, q.ID, d)
	if err != nil {
		return apitype.RunReply{}, err
	}
	return apitype.RunReply{Run: decided.Run, Idempotent: &decided.Idempotent}, nil
}
