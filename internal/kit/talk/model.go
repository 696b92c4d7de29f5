package talk

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/kit/talk/plan"
	"github.com/atelier-project/atelier/internal/llm"
)

// Model is the offline language model. It is immutable and safe for concurrent use.
type Model struct {
	catalog *catalog.Catalog
	planner *plan.Planner
}

// New makes the model for a catalog with its tools and models.
func New(c *catalog.Catalog) (*Model, error) {
	p, err := plan.New(c)
	if err != nil {
		return nil, fmt.Errorf("offline language model: %w", err)
	}
	return &Model{catalog: c, planner: p}, nil
}

// Complete implements llm.Completer. The same conversation has the same answer.
func (m *Model) Complete(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := refuseFormat(r.Params["response_format"]); err != nil {
		return err
	}
	a := m.answerRequest(r)
	a.applyLimits(r)
	return a.emit(ctx, r, emit)
}
