package chat

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/llm"
)

// bill is what one round of the model costs.
type bill struct {
	engine *Engine
	model  llm.Model
	tab    *billing.Tab
}

// meter sets aside what a round may cost at most. A model without a price costs
// nothing.
func (t *turn) meter(ctx context.Context, round int, b llm.Budget, maxTokens int) (bill, error) {
	most := t.price(t.q.Model, llm.Usage{PromptTokens: b.Input + b.Tools, CompletionTokens: maxTokens})
	tab, err := t.billing.Open(ctx, t.q.Caller.Wallet, fmt.Sprintf("llm/%s/%d", t.q.ID, round), t.q.Terms, most)
	return bill{t.Engine, t.q.Model, tab}, err
}

// price is what an answer costs.
func (e *Engine) price(m llm.Model, u llm.Usage) atelier.Cost {
	usd := m.Price(u)
	if usd == 0 {
		return atelier.Cost{}
	}
	spark := (usd*atelier.One + e.catalog.SparkUSD() - 1) / e.catalog.SparkUSD()
	return atelier.Cost{USD: usd, Spark: spark}
}

func (b bill) settle(ctx context.Context, u llm.Usage) error {
	return b.tab.Settle(ctx, b.engine.price(b.model, u))
}

func (b bill) drop(ctx context.Context) error { return b.tab.Drop(ctx) }
