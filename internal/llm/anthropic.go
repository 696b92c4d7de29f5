package llm

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// The shapes of a request to a server that speaks Anthropic's API.
type (
	anthropicRequest struct {
		Model       string             `json:"model"`
		MaxTokens   int                `json:"max_tokens"`
		System      string             `json:"system,omitzero"`
		Messages    []anthropicMessage `json:"messages"`
		Tools       []anthropicTool    `json:"tools,omitzero"`
		ToolChoice  *anthropicChoice   `json:"tool_choice,omitzero"`
		Stream      bool               `json:"stream,omitzero"`
		Temperature *float64           `json:"temperature,omitzero"`
		TopP        wire.Raw           `json:"top_p,omitzero"`
		TopK        wire.Raw           `json:"top_k,omitzero"`
		Stop        []string           `json:"stop_sequences,omitzero"`
	}
	anthropicMessage struct {
		Role    string           `json:"role"`
		Content []anthropicBlock `json:"content"`
	}
	anthropicBlock struct {
		Type      string           `json:"type"`
		Text      string           `json:"text,omitzero"`
		Source    *anthropicSource `json:"source,omitzero"`
		ID        string           `json:"id,omitzero"`
		Name      string           `json:"name,omitzero"`
		Input     wire.Raw         `json:"input,omitzero"`
		ToolUseID string           `json:"tool_use_id,omitzero"`
		Content   string           `json:"content,omitzero"` // of a result
	}
	anthropicSource struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	}
	anthropicTool struct {
		Name        string   `json:"name"`
		Description string   `json:"description,omitzero"`
		Schema      wire.Raw `json:"input_schema"`
	}
	anthropicChoice struct {
		Type     string `json:"type"`
		Name     string `json:"name,omitzero"`
		Parallel bool   `json:"disable_parallel_tool_use,omitzero"`
	}
)

// anthropicTokens is the longest answer where a request does not say: that API needs a number.
const anthropicTokens = 8192

// writeAnthropic writes the body of a request in Anthropic's shape. What the model thinks is not asked for: it would
// have to be sent back with the results of tools.
func writeAnthropic(b *bytes.Buffer, model string, r Request, _ []string) error {
	q := anthropicRequest{Model: model, MaxTokens: r.MaxTokens, Stream: r.Stream, TopP: r.Params["top_p"], TopK: r.Params["top_k"]}
	if q.MaxTokens == 0 {
		q.MaxTokens = anthropicTokens
	}
	var format struct {
		Type string `json:"type"`
	}
	if raw := r.Params["response_format"]; raw != nil && (wire.UnmarshalLenient(raw, &format) != nil || format.Type != "text") {
		return atelier.Refuse("response_format", "must be text: the server of the model %s has no other.", r.Model.ID)
	}
	if raw := r.Params["temperature"]; raw != nil {
		var t float64
		if err := wire.Unmarshal(raw, &t); err != nil {
			return err
		}
		t = min(t, 1)
		q.Temperature = &t
	}
	if raw := r.Params["stop"]; raw != nil {
		var one string
		if wire.Unmarshal(raw, &one) == nil {
			q.Stop = []string{one}
		} else if err := wire.Unmarshal(raw, &q.Stop); err != nil {
			return err
		}
	}
	var system []string
	for i := range r.Messages {
		if m := &r.Messages[i]; m.Role == "system" {
			system = append(system, m.Text())
		} else {
			q.add(m)
		}
	}
	q.System = strings.Join(system, "\n\n")
	for _, t := range r.Tools {
		schema := t.Function.Parameters
		if len(schema) == 0 {
			schema = wire.Raw(`{"type":"object"}`)
		}
		q.Tools = append(q.Tools, anthropicTool{t.Function.Name, t.Function.Description, schema})
	}
	if len(q.Tools) > 0 {
		q.ToolChoice = newAnthropicChoice(r)
	}
	return wire.Write(b, q)
}

// add adds a message. Turns alternate in that API: messages of the same role become one, and results of tools are the
// user's.
func (q *anthropicRequest) add(m *Message) {
	role := m.Role
	if role == "tool" {
		role = "user"
	}
	blocks := anthropicBlocks(m)
	if len(blocks) == 0 {
		return
	}
	if n := len(q.Messages); n > 0 && q.Messages[n-1].Role == role {
		q.Messages[n-1].Content = append(q.Messages[n-1].Content, blocks...)
		return
	}
	q.Messages = append(q.Messages, anthropicMessage{role, blocks})
}

func anthropicBlocks(m *Message) (blocks []anthropicBlock) {
	if m.Role == "tool" {
		return []anthropicBlock{{Type: "tool_result", ToolUseID: m.ToolCallID, Content: m.Text()}}
	}
	for i := range m.Content {
		switch p := &m.Content[i]; {
		case p.Type != "text":
			data := base64.StdEncoding.EncodeToString(p.Image.Data)
			blocks = append(blocks, anthropicBlock{Type: "image", Source: &anthropicSource{"base64", strings.Replace(p.Image.Type, "jpg", "jpeg", 1), data}})
		case strings.TrimSpace(p.Text) != "": // empty texts are refused
			blocks = append(blocks, anthropicBlock{Type: "text", Text: p.Text})
		}
	}
	for _, c := range m.ToolCalls {
		input := wire.Raw(c.Function.Arguments)
		if !wire.Valid(input) || !bytes.HasPrefix(bytes.TrimSpace(input), []byte("{")) {
			input = wire.Raw("{}")
		}
		blocks = append(blocks, anthropicBlock{Type: "tool_use", ID: c.ID, Name: c.Function.Name, Input: input})
	}
	return blocks
}

// newAnthropicChoice is the choice among tools.
func newAnthropicChoice(r Request) *anthropicChoice {
	c := &anthropicChoice{Type: "auto", Parallel: string(r.Params["parallel_tool_calls"]) == "false"}
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	switch string(r.ToolChoice) {
	case "", `"auto"`:
	case `"none"`:
		return &anthropicChoice{Type: "none"}
	case `"required"`:
		c.Type = "any"
	default:
		if wire.Unmarshal(r.ToolChoice, &named) == nil && named.Function.Name != "" {
			c.Type, c.Name = "tool", named.Function.Name
		}
	}
	return c
}

// The shapes of an answer.
type (
	anthropicAnswer struct {
		Content    []anthropicContent `json:"content"`
		StopReason string             `json:"stop_reason"`
		Usage      *anthropicUsage    `json:"usage"`
	}
	anthropicContent struct {
		Type     string   `json:"type"`
		Text     string   `json:"text"`
		Thinking string   `json:"thinking"`
		ID       string   `json:"id"`
		Name     string   `json:"name"`
		Input    wire.Raw `json:"input"`
		JSON     string   `json:"partial_json"` // of a delta
	}
	anthropicUsage struct {
		Input         int `json:"input_tokens"`
		CacheCreation int `json:"cache_creation_input_tokens"`
		CacheRead     int `json:"cache_read_input_tokens"`
		Output        int `json:"output_tokens"`
	}
	anthropicEvent struct {
		Type    string           `json:"type"`
		Message anthropicAnswer  `json:"message"`
		Index   int              `json:"index"`
		Block   anthropicContent `json:"content_block"`
		Delta   struct {
			anthropicContent
			StopReason string `json:"stop_reason"`
		} `json:"delta"`
		Usage *anthropicUsage `json:"usage"`
		Error wire.Raw        `json:"error"`
	}
)

func (u anthropicUsage) usage() *Usage {
	return &Usage{PromptTokens: u.Input + u.CacheCreation + u.CacheRead, CachedTokens: u.CacheRead, CompletionTokens: u.Output}
}

// anthropicReasons are the reasons for the end of an answer. Any other is an ordinary end.
var anthropicReasons = map[string]string{"max_tokens": "length", "model_context_window_exceeded": "length", "tool_use": "tool_calls", "refusal": "content_filter"}

func finishOf(reason string) string {
	if known := anthropicReasons[reason]; known != "" {
		return known
	}
	return "stop"
}

// readAnthropic reads an answer that comes in one piece.
func readAnthropic(data []byte) (d Delta, err error) {
	var a anthropicAnswer
	if err := wire.UnmarshalLenient(data, &a); err != nil {
		return d, invalidAnswer("it is not JSON")
	}
	if a.StopReason == "" {
		return d, invalidAnswer("it has no reason for its end")
	}
	var content, reasoning Gathering
	for _, c := range a.Content {
		switch c.Type {
		case "text":
			d.Content = content.Add(d.Content, c.Text)
		case "thinking":
			d.Reasoning = reasoning.Add(d.Reasoning, c.Thinking)
		case "tool_use":
			if len(d.ToolCalls) == MaxToolCalls {
				return d, invalidAnswer("it has too many tool calls")
			}
			d.ToolCalls = append(d.ToolCalls, ToolCallDelta{Index: len(d.ToolCalls), ID: c.ID, Name: c.Name, Arguments: string(c.Input)})
		}
	}
	d.FinishReason = finishOf(a.StopReason)
	if a.Usage != nil {
		d.Usage = a.Usage.usage()
	}
	return d, nil
}

// anthropicReader reads the events of an answer.
type anthropicReader struct {
	usage anthropicUsage
	calls []int // the indices of the blocks that are calls
}

// appendText implements eventReader.
func (r *anthropicReader) appendText(text, _ []byte) ([]byte, bool) { return text, false }

func (r *anthropicReader) read(data []byte) (d Delta, err error) {
	var ev anthropicEvent
	if err := wire.UnmarshalLenient(data, &ev); err != nil {
		return d, invalidAnswer("an event of it is not JSON")
	}
	switch ev.Type {
	case "message_start":
		if ev.Message.Usage != nil {
			r.usage = *ev.Message.Usage
		}
	case "content_block_start":
		switch ev.Block.Type {
		case "text":
			d.Content = ev.Block.Text
		case "tool_use":
			if len(r.calls) == MaxToolCalls {
				return d, invalidAnswer("it has too many tool calls")
			}
			d.ToolCalls = []ToolCallDelta{{Index: len(r.calls), ID: ev.Block.ID, Name: ev.Block.Name}}
			r.calls = append(r.calls, ev.Index)
		}
	case "content_block_delta":
		d.Content, d.Reasoning = ev.Delta.Text, ev.Delta.Thinking
		if at := slices.Index(r.calls, ev.Index); at >= 0 && ev.Delta.JSON != "" {
			d.ToolCalls = []ToolCallDelta{{Index: at, Arguments: ev.Delta.JSON}}
		}
	case "message_delta":
		if ev.Usage != nil {
			r.usage.Output = ev.Usage.Output
			if ev.Usage.Input > 0 {
				r.usage.Input = ev.Usage.Input
			}
		}
		d.FinishReason, d.Usage = finishOf(ev.Delta.StopReason), r.usage.usage()
	case "error":
		return d, broken("The model server stopped with an error", messageOf(ev.Error))
	}
	return d, nil
}
