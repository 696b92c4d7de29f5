package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// completionRequest is the body of POST /v1/chat/completions. What is not
// declared here is ignored, unless the operator has a model server take it.
type completionRequest struct {
	Messages      wire.Raw            `wire:"messages,required,maxbytes=314572800" doc:"The conversation, in OpenAI's shape."`
	Model         string              `wire:"model" doc:"An id of GET /v1/models. A default applies when omitted."`
	Stream        bool                `wire:"stream" doc:"Whether the answer comes as server-sent events."`
	StreamOptions *streamOptions      `wire:"stream_options,mood=open"`
	MaxTokens     int                 `wire:"max_tokens,alias=max_completion_tokens,min=1" doc:"The longest answer; reduced to what the context has left."`
	Temperature   *float64            `wire:"temperature,min=0,max=2" doc:"Passed on."`
	TopP          *float64            `wire:"top_p,min=0,max=1" doc:"Passed on."`
	N             int                 `wire:"n,default=1,min=1,max=1" doc:"One answer is given."`
	Tools         wire.Raw            `wire:"tools,maxbytes=1048576" doc:"Function tools of the caller."`
	ToolChoice    wire.Raw            `wire:"tool_choice,maxbytes=4096" doc:"auto, none, required, or a function by name."`
	SvcTools      family              `wire:"svc_tools" doc:"creative-tools (the default), creative-agent, or none."`
	Execute       bool                `wire:"svc_tool_execution,default=true" doc:"Whether hosted tools are run by the service."`
	TaskProfile   chat.Profile        `wire:"task_profile,enum=general|coding|reasoning" doc:"What sort of task it is. coding when a message has the role developer."`
	Token         atelier.TokenChoice `wire:"token_type,enum=spark|svc|auto,default=auto,fallback,header=X-Token-Type" doc:"The token that pays."`
	Mode          atelier.BillingMode `wire:"billing_mode,enum=auto|subscription|tokens,default=auto" doc:"Whether a plan may or must pay."`
	Filter        bool                `wire:"safe_content_filter,default=true" doc:"Whether content is filtered. False needs an eligible account."`
	Media         []chatReference     `wire:"media_references,maxlen=64,mood=open" doc:"Media that hosted tools can address."`
	TemplateArgs  map[string]wire.Raw `wire:"chat_template_kwargs,maxbytes=65536" doc:"Passed on. enable_thinking decides whether the model thinks."`
	Effort        string              `wire:"reasoning_effort,enum=minimal|low|medium|high" doc:"minimal turns thinking off."`
	Reasoning     *reasoningOptions   `wire:"reasoning,mood=open"`
	Format        map[string]wire.Raw `wire:"response_format" doc:"Passed on."`
	Session       string              `wire:"session_id,maxlen=200" doc:"A session of the caller's naming, whose assets the creative agent remembers."`
	Extra         map[string]wire.Raw `wire:",extra,maxbytes=65536"`
	sampling
	source
}

type streamOptions struct {
	IncludeUsage bool `wire:"include_usage"`
}

// family is which hosted tools a request wants: a name, or a boolean.
type family struct {
	name string
	set  bool
}

// ReadWire implements wire.Reader. What is not known acts as creative-tools.
func (f *family) ReadWire(raw wire.Raw) error {
	f.set = true
	f.name = catalog.CreativeTools
	var yes bool
	var name string
	switch {
	case wire.Unmarshal(raw, &yes) == nil:
		if !yes {
			f.name = ""
		}
	case wire.Unmarshal(raw, &name) == nil:
		switch name {
		case "none":
			f.name = ""
		case catalog.CreativeAgent:
			f.name = catalog.CreativeAgent
		}
	}
	return nil
}

// WireSchema implements wire.Described.
func (family) WireSchema() wire.Schema { return wire.Schema{"type": []string{"string", "boolean"}} }

func (f family) family() string {
	if !f.set {
		return catalog.CreativeTools
	}
	return f.name
}

// request makes of a body what the engine answers.
func (s *Server) request(c *call, q *completionRequest) (*chat.Request, error) {
	r := &chat.Request{
		ID: "chatcmpl-" + atelier.NewUUID(), Caller: c.caller, Family: q.SvcTools.family(), Execute: q.Execute, Stream: q.Stream, MaxTokens: q.MaxTokens,
		Thinking: q.thinking(), Terms: atelier.PaymentTerms{Token: q.Token, Mode: q.Mode, App: q.AppSource}, Filter: q.Filter, Session: q.Session,
	}
	var err error
	if r.Model, err = s.chat.Model(q.Model); err != nil {
		return r, err
	}
	if r.Messages, err = llm.ReadMessages(q.Messages); err != nil {
		return r, err
	}
	if err := llm.CheckVision(r.Messages); err != nil {
		return r, err
	}
	if r.Media, err = chatReferences(q.Media); err != nil {
		return r, err
	}
	if r.Tools, err = readTools(q.Tools); err != nil {
		return r, err
	}
	if r.ToolChoice, err = s.readChoice(q.ToolChoice, r); err != nil {
		return r, err
	}
	r.Profile = q.profile()
	if r.Params, err = q.params(r.Model); err != nil {
		return r, err
	}
	r.Extra = q.Extra
	q.letGo(r)
	return r, nil
}

// letGo lets the body of a request be collected while the request is answered: it
// may be hundreds of megabytes, and what is wanted of it was copied.
func (q *completionRequest) letGo(r *chat.Request) {
	r.ToolChoice = r.ToolChoice.Clone()
	for _, params := range []map[string]wire.Raw{r.Params, r.Extra} {
		for name, value := range params {
			params[name] = value.Clone()
		}
	}
	*q = completionRequest{Stream: q.Stream, StreamOptions: q.StreamOptions}
}

// complete answers a conversation, whole or as a stream.
func (s *Server) complete(c *call, q completionRequest) (*completionReply, error) {
	r, err := s.request(c, &q)
	if err != nil {
		return nil, err
	}
	c.values.release() // messages are hardly more than their text, and may be held for minutes
	if q.Stream {
		s.completeStream(c, r, q.StreamOptions != nil && q.StreamOptions.IncludeUsage)
		c.written = true
		return nil, nil
	}
	done, err := s.chat.Complete(c, r, func(chat.Event) error { return c.Err() })
	if err != nil {
		return nil, err
	}
	message := completionMessage{Role: "assistant", ToolCalls: done.ToolCalls}
	if done.Content != "" || len(done.ToolCalls) == 0 {
		message.Content = &done.Content
	}
	return &completionReply{
		ID: r.ID, Object: "chat.completion", Created: c.now.Unix(), Model: r.Model.ID,
		Choices: []completionChoice{{FinishReason: done.FinishReason, Message: message}}, Usage: usageOf(done.Usage),
		Workflows: done.Workflows, Results: done.Results,
	}, nil
}

// completionReply is one completion.
type completionReply struct {
	ID        string             `json:"id"`
	Object    string             `json:"object"`
	Created   int64              `json:"created"`
	Model     string             `json:"model"`
	Choices   []completionChoice `json:"choices"`
	Usage     completionUsage    `json:"usage"`
	Workflows []chat.WorkflowRef `json:"creative_workflows,omitzero"`
	Results   []map[string]any   `json:"svc_tool_results,omitzero"`
}

type completionChoice struct {
	Index        int               `json:"index"`
	FinishReason string            `json:"finish_reason"`
	Message      completionMessage `json:"message"`
}

type completionMessage struct {
	Role      string         `json:"role"`
	Content   *string        `json:"content"`
	ToolCalls []llm.ToolCall `json:"tool_calls,omitzero"`
}

type completionUsage struct {
	PromptTokens     int          `json:"prompt_tokens"`
	CompletionTokens int          `json:"completion_tokens"`
	TotalTokens      int          `json:"total_tokens"`
	Details          usageDetails `json:"prompt_tokens_details"`
}

type usageDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

func usageOf(u llm.Usage) completionUsage {
	return completionUsage{u.PromptTokens, u.CompletionTokens, u.PromptTokens + u.CompletionTokens, usageDetails{u.CachedTokens}}
}
