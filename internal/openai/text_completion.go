package openai

import (
	"bytes"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/wire"
)

// TextBody is the body of POST /v1/completions, the API before chat completions. The prompt is sent as a message of the
// user: model servers put it into the template that their model was trained with.
type TextBody struct {
	Prompt        wire.Raw       `wire:"prompt,required,maxbytes=4194304" doc:"A text, or a list of one."`
	Model         string         `wire:"model,maxlen=200" doc:"An id of GET /v1/models. A default applies when omitted."`
	MaxTokens     int            `wire:"max_tokens,default=16,min=1" doc:"The longest answer; reduced to what the context has left."`
	Stream        bool           `wire:"stream" doc:"Whether the answer comes as server-sent events."`
	StreamOptions *StreamOptions `wire:"stream_options,names=lenient"`
	Temperature   *float64       `wire:"temperature,min=0,max=2" doc:"Passed on."`
	TopP          *float64       `wire:"top_p,min=0,max=1" doc:"Passed on."`
	N             int            `wire:"n,default=1,min=1,max=1" doc:"Only 1 is supported."`
	BestOf        int            `wire:"best_of,default=1,min=1,max=1" doc:"Only 1 is supported."`
	Echo          bool           `wire:"echo" doc:"Whether the text begins with the prompt."`
	Suffix        string         `wire:"suffix,maxlen=65536" doc:"Not supported."`
	Logprobs      *int           `wire:"logprobs,max=0" doc:"Not supported."`
	sampling
}

// Request turns the body into a request of the chat engine, and returns the text that an answer begins with.
func (b *TextBody) Request(caller atelier.Caller, terms atelier.PaymentTerms) (r *chat.Request, begins string, err error) {
	var prompt string
	if wire.Unmarshal(b.Prompt, &prompt) != nil {
		var list []string
		if wire.Unmarshal(b.Prompt, &list) != nil || len(list) != 1 {
			return nil, "", atelier.Refuse("prompt", "must be a text, or a list of one.")
		}
		prompt = list[0]
	}
	switch {
	case prompt == "":
		return nil, "", atelier.Refuse("prompt", "must not be empty.")
	case b.Suffix != "":
		return nil, "", atelier.Refuse("suffix", "is not supported: models of this service do not fill gaps.")
	}
	params := CompletionBody{Temperature: b.Temperature, TopP: b.TopP, sampling: b.sampling}
	r = &chat.Request{
		ID: "cmpl-" + mint.UUID(), Caller: caller, Model: b.Model, Messages: []llm.Message{llm.Text("user", prompt)}, Stream: b.Stream, MaxTokens: b.MaxTokens,
		Terms: terms, Profile: chat.General, Filter: true,
	}
	r.Params, err = params.params()
	if b.Echo {
		begins = prompt
	}
	return r, begins, err
}

// TextReply is an answer, whole or a piece of it.
type TextReply struct {
	ID      string           `json:"id"`
	Object  string           `json:"object"`
	Created int64            `json:"created"`
	Model   string           `json:"model"`
	Choices []TextChoice     `json:"choices"`
	Usage   *CompletionUsage `json:"usage,omitzero"`
}

// TextChoice is the one choice of an answer.
type TextChoice struct {
	Index        int     `json:"index"`
	Logprobs     *int    `json:"logprobs"`
	FinishReason *string `json:"finish_reason"`
	Text         string  `json:"text"`
}

// NewTextReply is the whole answer to a request that came at a time.
func NewTextReply(r *chat.Request, at time.Time, begins string, done chat.Completion) *TextReply {
	t := NewTextChunker(r, at)
	t.SetModel(done.Model)
	reply, usage := t.piece(begins+done.Content, &done.FinishReason), newUsage(done.Usage)
	reply.Usage = &usage
	return &reply
}

// TextChunker makes the pieces of one answer.
type TextChunker struct{ base TextReply }

// NewTextChunker makes the chunker of a request that came at a time.
func NewTextChunker(r *chat.Request, at time.Time) *TextChunker {
	return &TextChunker{TextReply{ID: r.ID, Object: "text_completion", Created: at.Unix()}}
}

// SetModel sets the model that answers.
func (t *TextChunker) SetModel(id string) { t.base.Model = id }

// WriteText writes the JSON of a piece of text.
func (t *TextChunker) WriteText(b *bytes.Buffer, text string) error {
	return wire.Write(b, t.piece(text, nil))
}

// Last are the pieces that end a stream, with the usage by itself where the client asked for that.
func (t *TextChunker) Last(done chat.Completion, ownUsage bool) []TextReply {
	last, usage := t.piece("", &done.FinishReason), newUsage(done.Usage)
	if !ownUsage {
		last.Usage = &usage
		return []TextReply{last}
	}
	counts := t.base
	counts.Choices, counts.Usage = []TextChoice{}, &usage
	return []TextReply{last, counts}
}

func (t *TextChunker) piece(text string, finish *string) TextReply {
	piece := t.base
	piece.Choices = []TextChoice{{Text: text, FinishReason: finish}}
	return piece
}
