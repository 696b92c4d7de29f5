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
	model, err := e.findModel(q.Model)
	if err != nil {
		return Embedded{}, err
	}
	b := e.newMeter(model, q.Caller.Wallet, q.ID, q.Terms)
	cause := b.cause("llm")
	hold, err := e.billing.Open(ctx, b.wallet, cause, b.terms, e.price(model, llm.Usage{PromptTokens: q.Size.Most}))
	if err != nil {
		return Embedded{}, err
	}
	hold.SetModel(model.ID)
	made, err := llm.EmbedWith(ctx, llm.EmbedRequest{Model: model, Input: q.Input, Dimensions: q.Dimensions, Format: q.Format})
	used := llm.Usage{PromptTokens: q.Size.Most}
	var refused *atelier.Error
	switch {
	case errors.As(err, &refused):
		return Embedded{}, errors.Join(err, hold.Drop(ctx))
	case err != nil: // the client has left, and the server works
		used.PromptTokens = q.Size.Likely
	case made.Usage != nil && made.Usage.PromptTokens > 0 && made.Usage.PromptTokens <= mostReported*q.Size.Most:
		used = *made.Usage
	}
	unpaid, failed := hold.Settle(ctx, e.price(model, used))
	if unpaid > 0 {
		e.reportUnpaid(model.ID, cause, used, unpaid)
	}
	if err == nil {
		err = failed
	}
	return Embedded{Model: model.ID, Data: made.Data, Usage: used}, err
}

// mostReported is how many times the upper estimate a server may count. More is an error of the server.
const mostReported = 4
