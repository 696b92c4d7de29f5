package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/openai"
)

// completionRequest is the body of POST /v1/chat/completions.
type completionRequest struct {
	openai.CompletionBody
	endpoint.Source
}

// complete answers a conversation, whole or as a stream.
func (s *Server) complete(c *endpoint.Call, q completionRequest) (*openai.CompletionReply, error) {
	ownUsage := q.StreamOptions != nil && q.StreamOptions.IncludeUsage
	r, err := q.Request(c.Caller, q.AppSource)
	if err != nil {
		return nil, err
	}
	c.ReleaseValues() // messages take little more memory than their text, and may be held for minutes
	if r.Stream {
		return nil, s.completeStream(c, r, ownUsage)
	}
	done, err := s.chat.Complete(c, r, func(chat.Event) error { return c.Err() })
	if err != nil {
		return nil, err
	}
	return openai.NewReply(r, c.Now, done), nil
}

// executeRequest is the body of POST /v1/creative-agent/tools/execute.
type executeRequest struct {
	Tool      string              `wire:"tool,required,alias=tool_name" doc:"A synchronous tool."`
	Arguments map[string]any      `wire:"arguments,required" doc:"Its exact arguments."`
	Token     atelier.TokenChoice `wire:"token_type,alias=tokenType,enum=spark|svc|auto,default=auto" doc:"The token that pays."`
	Mode      atelier.BillingMode `wire:"billing_mode,alias=billingMode,enum=auto|subscription|tokens,default=auto" doc:"Whether a plan may or must pay."`
	Filter    bool                `wire:"safe_content_filter,alias=safeContentFilter,default=true" doc:"Whether content is filtered. False needs an eligible account."`
	endpoint.Source
}

func (s *Server) executeTool(c *endpoint.Call, q executeRequest) (chat.Executed, error) {
	return s.chat.Execute(c, chat.Execution{
		Caller: c.Caller, Tool: q.Tool, Arguments: q.Arguments, Filter: q.Filter,
		Terms: atelier.PaymentTerms{Token: q.Token, Mode: q.Mode, App: q.AppSource},
	})
}
