package anthropic

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// Prompt is what a model is told: the fields that all requests have.
type Prompt struct {
	Model    string   `wire:"model,required,minlen=1,maxlen=200" doc:"An id of GET /v1/models."`
	Messages wire.Raw `wire:"messages,required,maxbytes=67108864" doc:"The conversation, in Anthropic's shape."`
	System   wire.Raw `wire:"system,maxbytes=4194304" doc:"Instructions: a text, or a list of text blocks."`
	Tools    wire.Raw `wire:"tools,maxbytes=1048576" doc:"Tools of the caller, each with a name and an input_schema."`
	Choice   *choice  `wire:"tool_choice,names=lenient"`
	Thinking *thought `wire:"thinking,names=lenient"`
}

// choice says which tools the model may or must call.
type choice struct {
	Type     string `wire:"type,required,enum=auto|any|tool|none" doc:"any: one of the tools; tool: the one that is named."`
	Name     string `wire:"name,maxlen=200" doc:"The tool that must be called."`
	Parallel bool   `wire:"disable_parallel_tool_use" doc:"Passed on."`
}

// thought says whether the model may think before it answers. What it thinks is not shown.
type thought struct {
	Type string `wire:"type,required,enum=enabled|disabled|adaptive"`
}

// MessageBody is the body of POST /v1/messages.
type MessageBody struct {
	Prompt
	MaxTokens   int      `wire:"max_tokens,required,min=1" doc:"The longest answer; reduced to what the context has left."`
	Stream      bool     `wire:"stream" doc:"Whether the answer comes as server-sent events."`
	Temperature *float64 `wire:"temperature,min=0,max=1" doc:"Passed on."`
	TopP        *float64 `wire:"top_p,min=0,max=1" doc:"Passed on."`
	TopK        *int     `wire:"top_k,min=0" doc:"Passed on."`
	Stop        []string `wire:"stop_sequences,maxlen=16" doc:"Passed on: at most 16 texts, of 256 characters each."`
}

// BodyBounds bounds the body of a conversation, with the images in it.
var BodyBounds = wire.Bounds{Text: 64 << 20}

// The bounds of a conversation. Images have bounds of their own.
const (
	maxMessages   = 4096
	maxBlocks     = 1024    // of one message
	maxText       = 4 << 20 // bytes of everything but images
	maxTools      = 256
	maxStopLength = 256
)

// Request turns the body into a request of the chat engine. It empties the body, so that its bytes can be collected
// while the request is answered.
func (b *MessageBody) Request(caller atelier.Caller, terms atelier.PaymentTerms) (*chat.Request, error) {
	r := &chat.Request{
		ID: "msg_" + mint.UUID(), Caller: caller, Model: b.Model, Stream: b.Stream, MaxTokens: b.MaxTokens, Terms: terms,
		Thinking: b.Thinking != nil && b.Thinking.Type != "disabled", Profile: chat.General, Filter: true,
	}
	var err error
	if r.Messages, r.Tools, err = b.read(); err != nil {
		return nil, err
	}
	if c := b.Choice; c != nil {
		if r.ToolChoice, err = c.read(r.Tools); err != nil {
			return nil, err
		}
	}
	r.Params, err = b.params()
	*b = MessageBody{}
	return r, err
}

// params are the parameters that servers are sent.
func (b *MessageBody) params() (map[string]wire.Raw, error) {
	given := map[string]any{}
	if b.Temperature != nil {
		given["temperature"] = *b.Temperature
	}
	if b.TopP != nil {
		given["top_p"] = *b.TopP
	}
	if b.TopK != nil && *b.TopK > 0 { // 0 is every token, which servers spell in different ways
		given["top_k"] = *b.TopK
	}
	if b.Choice != nil && b.Choice.Parallel {
		given["parallel_tool_calls"] = false
	}
	for i, text := range b.Stop {
		if utf8.RuneCountInString(text) > maxStopLength {
			return nil, atelier.Refuse(fmt.Sprintf("stop_sequences[%d]", i), "has more than %d characters.", maxStopLength)
		}
	}
	if len(b.Stop) > 0 {
		given["stop"] = b.Stop
	}
	out := make(map[string]wire.Raw, len(given))
	for name, v := range given {
		raw, err := wire.Marshal(v)
		if err != nil {
			return nil, err
		}
		out[name] = raw
	}
	return out, nil
}

// Tokens estimates the tokens of a prompt.
func (p *Prompt) Tokens() (int, error) {
	messages, tools, err := p.read()
	return llm.MessageTokens(messages) + llm.ToolTokens(tools), err
}

func (p *Prompt) read() ([]llm.Message, []llm.Tool, error) {
	c := &conversation{}
	if err := c.readSystem(p.System); err != nil {
		return nil, nil, err
	}
	if err := c.readMessages(p.Messages); err != nil {
		return nil, nil, err
	}
	tools, err := readTools(p.Tools)
	return c.messages, tools, err
}

func (c choice) read(tools []llm.Tool) (chat.ToolChoice, error) {
	switch {
	case c.Type == "tool" && !slices.ContainsFunc(tools, func(t llm.Tool) bool { return t.Function.Name == c.Name }):
		return chat.ToolChoice{}, atelier.Refuse("tool_choice.name", "must be the name of one of tools.")
	case c.Type == "tool":
		return chat.ToolChoice{Function: c.Name}, nil
	case c.Type == "any":
		return chat.ToolChoice{Mode: "required"}, nil
	}
	return chat.ToolChoice{Mode: c.Type}, nil
}

// readTools reads the tools of a caller.
func readTools(raw wire.Raw) (tools []llm.Tool, err error) {
	if isAbsent(raw) {
		return nil, nil
	}
	err = wire.Items(raw, maxTools, func(i int, item wire.Raw) error {
		var t struct {
			Type        string   `json:"type"`
			Name        string   `json:"name"`
			Description string   `json:"description"`
			Schema      wire.Raw `json:"input_schema"`
		}
		at := fmt.Sprintf("tools[%d]", i)
		switch err := wire.Unmarshal(item, &t); {
		case err != nil:
			return atelier.Refuse(at, "is not a tool: an object with a name and an input_schema.")
		case t.Type != "" && t.Type != "custom":
			return atelier.Refuse(at+".type", "must be custom: the tools of Anthropic's servers are not here.")
		case t.Name == "":
			return atelier.Refuse(at+".name", "is required.")
		case len(t.Schema) == 0 || t.Schema[0] != '{':
			return atelier.Refuse(at+".input_schema", "must be a JSON Schema: an object.")
		}
		tools = append(tools, llm.Tool{Type: "function", Function: llm.Function{Name: t.Name, Description: t.Description, Parameters: t.Schema.Clone()}})
		return nil
	})
	return tools, wire.ListError(err, "tools", maxTools)
}

func isAbsent(raw wire.Raw) bool { return len(raw) == 0 || string(raw) == "null" }
