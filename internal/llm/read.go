package llm

import (
	"bytes"
	"io"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/wire"
)

// responseChunk is a whole answer of a server, or a chunk of one.
type responseChunk struct {
	Choices []struct {
		Index        int              `json:"index"`
		Delta        *responseMessage `json:"delta"`
		Message      *responseMessage `json:"message"`
		FinishReason *string          `json:"finish_reason"`
	} `json:"choices"`
	Usage *responseUsage `json:"usage"`
	Error wire.Raw       `json:"error"`
}

type responseMessage struct {
	Content          *string `json:"content"`
	ReasoningContent *string `json:"reasoning_content"`
	Reasoning        *string `json:"reasoning"`
	ToolCalls        []struct {
		Index    *int   `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name      string   `json:"name"`
			Arguments wire.Raw `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

type responseUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	Details          *struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// delta is the piece of the answer in a chunk, or in a whole answer.
func (h *responseChunk) delta() (Delta, error) {
	var d Delta
	if len(h.Error) > 0 && string(h.Error) != "null" {
		return d, broken("The model server stopped with an error", messageOf(h.Error))
	}
	if u := h.Usage; u != nil {
		d.Usage = &Usage{PromptTokens: u.PromptTokens, CompletionTokens: u.CompletionTokens}
		if u.Details != nil {
			d.Usage.CachedTokens = u.Details.CachedTokens
		}
	}
	var content, reasoning Gathering
	for _, c := range h.Choices {
		if c.Index != 0 {
			continue // one answer is asked for
		}
		if c.FinishReason != nil {
			d.FinishReason = *c.FinishReason
		}
		for _, s := range []*responseMessage{c.Delta, c.Message} {
			if s == nil {
				continue
			}
			d.Content = content.Add(d.Content, textOrEmpty(s.Content))
			d.Reasoning = reasoning.Add(d.Reasoning, textOrEmpty(s.ReasoningContent)+textOrEmpty(s.Reasoning))
			for i, t := range s.ToolCalls {
				index := i
				if t.Index != nil && s == c.Delta {
					index = *t.Index
				}
				if index < 0 || index >= MaxToolCalls {
					return d, invalidAnswer("a tool call is out of order")
				}
				arguments, err := argumentText(t.Function.Arguments)
				if err != nil {
					return d, err
				}
				d.ToolCalls = append(d.ToolCalls, ToolCallDelta{Index: index, ID: t.ID, Name: t.Function.Name, Arguments: arguments})
			}
		}
	}
	return d, nil
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// argumentText reads arguments: JSON text in a string. Some servers send the object
// itself.
func argumentText(raw wire.Raw) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	if raw[0] != '"' {
		return string(raw), nil
	}
	var s string
	if err := wire.UnmarshalForeign(raw, &s); err != nil {
		return "", invalidAnswer("the arguments of a tool call cannot be read")
	}
	return s, nil
}

func invalidAnswer(what string) error {
	return atelier.Errorf(atelier.CodeUpstream, "The model server sent an invalid answer: %s.", what)
}

// maxAnswer bounds a whole answer.
const maxAnswer = 64 << 20

// readWhole reads an answer that comes in one piece.
func readWhole(r io.Reader, read func([]byte) (Delta, error), emit func(Delta) error) error {
	b := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(b)
	b.Reset()
	if n, err := b.ReadFrom(io.LimitReader(r, maxAnswer+1)); err != nil {
		return err
	} else if n > maxAnswer {
		return invalidAnswer("it is too long")
	}
	d, err := read(b.Bytes())
	if err != nil {
		return err
	}
	return emit(d)
}

// readCompletion reads a whole answer.
func readCompletion(data []byte) (Delta, error) {
	var h responseChunk
	if err := wire.UnmarshalForeign(data, &h); err != nil {
		return Delta{}, invalidAnswer("it is not JSON")
	}
	d, err := h.delta()
	if err == nil && len(h.Choices) == 0 {
		err = invalidAnswer("there is no choice in it")
	}
	return d, err
}

// readChunk reads a chunk of an answer.
func readChunk(data []byte) (Delta, error) {
	var h responseChunk
	if err := wire.UnmarshalForeign(data, &h); err != nil {
		return Delta{}, invalidAnswer("a chunk of it is not JSON")
	}
	return h.delta()
}

// isTextOnly reports whether a piece has nothing but text of the answer, or nothing
// at all.
func (d *Delta) isTextOnly() bool {
	return d.Reasoning == "" && d.ToolCalls == nil && d.FinishReason == "" && d.Usage == nil
}
