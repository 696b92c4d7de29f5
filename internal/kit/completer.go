package kit

import (
	"context"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/kit/talk"
	"github.com/atelier-project/atelier/internal/kit/write"
	"github.com/atelier-project/atelier/internal/llm"
)

// Completer is the offline language model, and the rules of the composition tools. It is immutable and safe for
// concurrent use.
type Completer struct {
	model *talk.Model
	rules *write.Rules
}

// NewCompleter makes the model for a catalog with its tools and models.
func NewCompleter(c *catalog.Catalog) (*Completer, error) {
	model, err := talk.New(c)
	if err != nil {
		return nil, err
	}
	return &Completer{model: model, rules: write.New(c)}, nil
}

// Complete implements llm.Completer. The same conversation has the same answer.
func (c *Completer) Complete(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	return c.model.Complete(ctx, r, emit)
}

// WritePrompt implements compose.Rules, as the methods below do. The same arguments have the same draft.
func (c *Completer) WritePrompt(a draft.Arguments) draft.Prompt { return c.rules.WritePrompt(a) }

// WriteScript implements compose.Rules.
func (c *Completer) WriteScript(a draft.Arguments) draft.Script { return c.rules.WriteScript(a) }

// WriteLyrics implements compose.Rules.
func (c *Completer) WriteLyrics(a draft.Arguments) draft.Song { return c.rules.WriteLyrics(a) }

// WriteInstrumental implements compose.Rules.
func (c *Completer) WriteInstrumental(a draft.Arguments) draft.Piece {
	return c.rules.WriteInstrumental(a)
}

// WriteWorkflow implements compose.Rules.
func (c *Completer) WriteWorkflow(a draft.Arguments, check draft.Check) draft.Workflow {
	return c.rules.WriteWorkflow(a, check)
}

// WriteTemplate implements compose.Rules.
func (c *Completer) WriteTemplate(a draft.Arguments, asked draft.Inputs, check draft.Check) draft.Template {
	return c.rules.WriteTemplate(a, asked, check)
}
