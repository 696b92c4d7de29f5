package openai

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// CompletionBody is the body of POST /v1/chat/completions. Fields that are not
// declared are ignored, unless the operator allows a model server to get them.
type CompletionBody struct {
	Messages      wire.Raw            `wire:"messages,required,maxbytes=314572800" doc:"The conversation, in OpenAI's shape."`
	Model         string              `wire:"model" doc:"An id of GET /v1/models. A default applies when omitted."`
	Stream        bool                `wire:"stream" doc:"Whether the answer comes as server-sent events."`
	StreamOptions *StreamOptions      `wire:"stream_options,names=lenient"`
	MaxTokens     int                 `wire:"max_tokens,alias=max_completion_tokens,min=1" doc:"The longest answer; reduced to what the context has left."`
	Temperature   *float64            `wire:"temperature,min=0,max=2" doc:"Passed on."`
	TopP          *float64            `wire:"top_p,min=0,max=1" doc:"Passed on."`
	N             int                 `wire:"n,default=1,min=1,max=1" doc:"Only 1 is supported."`
	Tools         wire.Raw            `wire:"tools,maxbytes=1048576" doc:"Function tools of the caller."`
	ToolChoice    wire.Raw            `wire:"tool_choice,maxbytes=4096" doc:"auto, none, required, or a function by name."`
	SvcTools      toolFamily          `wire:"svc_tools" doc:"creative-tools (the default), creative-agent, or none."`
	Execute       bool                `wire:"svc_tool_execution,default=true" doc:"Whether hosted tools are run by the service."`
	TaskProfile   chat.Profile        `wire:"task_profile,enum=general|coding|reasoning" doc:"The kind of task. coding when a message has the role developer."`
	Token         atelier.TokenChoice `wire:"token_type,enum=spark|svc|auto,default=auto,fallback,header=X-Token-Type" doc:"The token that pays."`
	Mode          atelier.BillingMode `wire:"billing_mode,enum=auto|subscription|tokens,default=auto" doc:"Whether a plan may or must pay."`
	Filter        bool                `wire:"safe_content_filter,default=true" doc:"Whether content is filtered. False needs an eligible account."`
	Media         []mediaReference    `wire:"media_references,maxlen=64,names=lenient" doc:"Media that hosted tools can address."`
	TemplateArgs  map[string]wire.Raw `wire:"chat_template_kwargs,maxbytes=65536" doc:"Passed on. enable_thinking decides whether the model thinks."`
	Effort        string              `wire:"reasoning_effort,enum=minimal|low|medium|high" doc:"minimal turns thinking off."`
	Reasoning     *reasoningOptions   `wire:"reasoning,names=lenient"`
	Format        map[string]wire.Raw `wire:"response_format" doc:"Passed on."`
	Session       string              `wire:"session_id,maxlen=200" doc:"A session of the caller's naming, whose assets the creative agent remembers."`
	Extra         map[string]wire.Raw `wire:",extra,maxbytes=65536"`
	sampling
}

// StreamOptions says what a stream holds besides the answer.
type StreamOptions struct {
	IncludeUsage bool `wire:"include_usage"`
}

// BodyBounds bounds the body of a conversation: its text, and as much inline
// media as a request may show or send.
var BodyBounds = wire.Bounds{Text: maxText, Inline: 20 * 14 << 20, Single: maxInline/3*4 + 1<<10}

// toolFamily is the family of hosted tools that a request asks for: a name, or a
// boolean.
type toolFamily struct {
	name string
	set  bool
}

// ReadWire implements wire.Reader. An unknown value means creative-tools.
func (f *toolFamily) ReadWire(raw wire.Raw) error {
	f.set = true
	f.name = catalog.CreativeTools
	var on bool
	var name string
	switch {
	case wire.Unmarshal(raw, &on) == nil:
		if !on {
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
func (toolFamily) WireSchema() wire.Schema {
	return wire.Schema{"type": []string{"string", "boolean"}}
}

func (f toolFamily) orDefault() string {
	if !f.set {
		return catalog.CreativeTools
	}
	return f.name
}

// Request turns the body into a request of the chat engine. It empties the body,
// so that its bytes can be collected while the request is answered.
func (b *CompletionBody) Request(caller atelier.Caller, app string) (*chat.Request, error) {
	r := &chat.Request{
		ID: "chatcmpl-" + mint.UUID(), Caller: caller, Model: b.Model, Family: b.SvcTools.orDefault(), Execute: b.Execute, Stream: b.Stream,
		MaxTokens: b.MaxTokens, Thinking: b.thinking(), Profile: b.TaskProfile, Terms: atelier.PaymentTerms{Token: b.Token, Mode: b.Mode, App: app},
		Filter: b.Filter, Session: b.Session, TemplateArgs: b.TemplateArgs, Extra: b.Extra,
	}
	conversation, err := readMessages(b.Messages)
	if err != nil {
		return nil, err
	}
	r.Messages = conversation.messages
	if r.Profile == "" {
		r.Profile = conversation.profile()
	}
	if r.Media, err = readMedia(b.Media); err != nil {
		return nil, err
	}
	if r.Tools, err = readTools(b.Tools); err != nil {
		return nil, err
	}
	if r.ToolChoice, err = readToolChoice(b.ToolChoice); err != nil {
		return nil, err
	}
	if r.Params, err = b.params(); err != nil {
		return nil, err
	}
	for _, kept := range []map[string]wire.Raw{r.TemplateArgs, r.Extra} {
		for name, value := range kept {
			kept[name] = value.Clone()
		}
	}
	*b = CompletionBody{}
	return r, nil
}
