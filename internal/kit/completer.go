package kit

import (
	"context"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk"
	"github.com/atelier-project/atelier/internal/llm"
)

// Completer is the offline language model. It is immutable and safe for concurrent use.
type Completer struct{ model *talk.Model }

// NewCompleter makes the model for a catalog with its tools and models.
func NewCompleter(c *catalog.Catalog) (*Completer, error) {
	model, err := talk.New(c)
	if err != nil {
		return nil, err
	}
	return &Completer{model: model}, nil
}

// Complete implements llm.Completer. The same conversation has the same answer.
func (c *Completer) Complete(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	return c.model.Complete(ctx, r, emit)
}
