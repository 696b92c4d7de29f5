package chat

import (
	"context"
	"errors"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/wire"
)

// EmbedRequest asks for vectors of texts.
type EmbedRequest struct {
	ID         string
	Caller     atelier.Caller
	Model      string
	Input      wire.Raw     // texts or tokens, in OpenAI's shape
	Count      int          // of the texts
	Size       llm.Estimate // of all of them
	Dimensions int
	Format     string
	Terms      atelier.PaymentTerms
}

// Embedded are vectors, and what they were made with.
type Embedded struct {
	Model string // its id
	Data  wire.Raw
	Usage llm.Usage
}

// Embed makes vectors of texts. They are paid for as a round of a conversation is: what they may cost at most is held
// before, and what the server has counted is paid.
func (e *Engine) Embed(ctx context.Context, q EmbedRequest) (Embedded, error) {
	model, err := e.findModelFor(q.Caller, q.Model)
	if err != nil {
		return Embedded{}, err
	}
	out := Embedded{Model: model.ID}
	o := once{meter: e.newMeter(model, q.Caller, q.ID, q.Terms), likely: llm.Usage{PromptTokens: q.Size.Likely}, most: llm.Usage{PromptTokens: q.Size.Most}}
	out.Usage, err = o.pay(ctx, func() (*llm.Usage, error) {
		made, err := llm.EmbedWith(ctx, llm.EmbedRequest{Model: model, Input: q.Input, Dimensions: q.Dimensions, Format: q.Format})
		out.Data = made.Data
		if made.Usage != nil && !o.isPossible(*made.Usage) {
			made.Usage = nil
		}
		return made.Usage, err
	})
	return out, err
}

// once is a request to a model that is no conversation, and what it may use.
type once struct {
	*meter
	likely, most llm.Usage
}

// pay holds the most that a request may cost, sends it, and pays for what was counted, or for the most where nothing
// was. A request that is refused costs nothing.
func (o once) pay(ctx context.Context, send func() (*llm.Usage, error)) (llm.Usage, error) {
	e, cause := o.engine, o.cause("llm")
	hold, err := e.billing.Open(ctx, o.wallet, cause, o.terms, e.price(o.model, o.most))
	if err != nil {
		return llm.Usage{}, err
	}
	hold.SetModel(o.model.ID)
	counted, err := send()
	used := o.most
	var refused *atelier.Error
	switch {
	case errors.As(err, &refused):
		return llm.Usage{}, errors.Join(err, hold.Drop(ctx))
	case err != nil: // the client has left, and the server works
		used = o.likely
	case counted != nil:
		used = *counted
	}
	unpaid, failed := hold.Settle(ctx, e.price(o.model, used))
	if unpaid > 0 {
		e.reportUnpaid(o.model.ID, cause, used, unpaid)
	}
	if err == nil {
		err = failed
	}
	return used, err
}

// isPossible reports whether a server can have counted right.
func (o once) isPossible(u llm.Usage) bool {
	return u.PromptTokens > 0 && u.PromptTokens <= mostReported*o.most.PromptTokens &&
		u.CompletionTokens >= 0 && u.CompletionTokens <= mostReported*o.most.CompletionTokens
}

// mostReported is how many times the upper estimate a server may count. More is an error of the server.
const mostReported = 4
