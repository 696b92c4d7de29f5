package openai

import (
	"errors"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// EmbeddingBody is the body of POST /v1/embeddings.
type EmbeddingBody struct {
	Input      wire.Raw `wire:"input,required,maxbytes=1048576" doc:"A text, at most 256 texts, or the same as tokens."`
	Model      string   `wire:"model,required,minlen=1,maxlen=200" doc:"An id of GET /v1/models, of a model that makes embeddings."`
	Dimensions int      `wire:"dimensions,min=1,max=65536" doc:"Of the vectors, where the model can choose."`
	Format     string   `wire:"encoding_format,enum=float|base64" doc:"Numbers, or their bytes as base64."`
	User       string   `wire:"user,maxlen=512" doc:"Accepted, and not kept."`
}

// The bounds of an input.
const (
	maxEmbedded    = 256
	maxEmbedTokens = 1 << 18 // of all texts that are given as tokens
)

// Request turns the body into a request of the chat engine.
func (b EmbeddingBody) Request(caller atelier.Caller, terms atelier.PaymentTerms) (chat.EmbedRequest, error) {
	q := chat.EmbedRequest{ID: "embd-" + mint.UUID(), Caller: caller, Model: b.Model, Input: b.Input, Dimensions: b.Dimensions, Format: b.Format, Terms: terms}
	var err error
	q.Count, q.Size, err = embedSize(b.Input)
	return q, err
}

// embedSize counts the texts of an input, estimates their tokens, and checks their shape.
func embedSize(input wire.Raw) (entries int, size llm.Estimate, err error) {
	var text string
	if wire.Unmarshal(input, &text) == nil {
		size, err = measured("input", text)
		return 1, size, err
	}
	var tokens []uint32
	if wire.Unmarshal(input, &tokens) == nil && len(tokens) > 0 {
		size, err = counted("input", len(tokens))
		return 1, size, err
	}
	err = wire.Items(input, maxEmbedded, func(i int, item wire.Raw) error {
		entries++
		at := fmt.Sprintf("input[%d]", i)
		var one llm.Estimate
		var err error
		switch {
		case wire.Unmarshal(item, &text) == nil:
			one, err = measured(at, text)
		case wire.Unmarshal(item, &tokens) == nil:
			one, err = counted(at, len(tokens))
		default:
			err = atelier.Refuse(at, "must be a text or an array of tokens.")
		}
		size.Likely, size.Most = size.Likely+one.Likely, size.Most+one.Most
		return err
	})
	if errors.Is(err, wire.ErrTooMany) || errors.Is(err, wire.ErrNotArray) || err == nil && entries == 0 {
		err = atelier.Refuse("input", "must be a text, or an array of 1 to %d texts.", maxEmbedded)
	}
	return entries, size, err
}

func measured(at, text string) (llm.Estimate, error) {
	if text == "" {
		return llm.Estimate{}, atelier.Refuse(at, "must not be empty.")
	}
	size := llm.Measure(text)
	size.Most += 2 // the marks that servers add to a text
	return size, nil
}

func counted(at string, n int) (llm.Estimate, error) {
	if n == 0 || n > maxEmbedTokens {
		return llm.Estimate{}, atelier.Refuse(at, "must have 1 to %d tokens.", maxEmbedTokens)
	}
	return llm.Estimate{Likely: n, Most: n + 2}, nil
}

// EmbeddingReply is the answer of POST /v1/embeddings.
type EmbeddingReply struct {
	Object string         `json:"object"`
	Data   wire.Raw       `json:"data"`
	Model  string         `json:"model"`
	Usage  EmbeddingUsage `json:"usage"`
}

// EmbeddingUsage counts the tokens of an input.
type EmbeddingUsage struct {
	PromptTokens int `json:"prompt_tokens"`
	TotalTokens  int `json:"total_tokens"`
}

// NewEmbeddingReply is the answer with vectors.
func NewEmbeddingReply(made chat.Embedded) EmbeddingReply {
	return EmbeddingReply{Object: "list", Data: made.Data, Model: made.Model, Usage: EmbeddingUsage{made.Usage.PromptTokens, made.Usage.PromptTokens}}
}
