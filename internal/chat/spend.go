package chat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/llm"
)

// meter is a model whose words are paid for: what a round may cost at most is
// set aside before it, and what it has cost is spent after it. Every round is
// one cause in the ledger, whoever asked for it: the conversation, or a tool
// that writes.
type meter struct {
	engine *Engine
	model  llm.Model
	wallet atelier.Wallet
	id     string // of the work
	terms  atelier.PaymentTerms

	mu     sync.Mutex // tools write side by side
	rounds int
	sum    llm.Usage
}

// meter makes a meter for one piece of work.
func (e *Engine) meter(m llm.Model, w atelier.Wallet, id string, t atelier.PaymentTerms) *meter {
	return &meter{engine: e, model: m, wallet: w, id: id, terms: t}
}

// metered is the model as others may use it: every word is paid.
func (b *meter) metered() llm.Model {
	m := b.model
	m.Speaker = b
	return m
}

// used is what all rounds have used together.
func (b *meter) used() llm.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sum
}

// Speak implements llm.Speaker. It pays although the caller has left: the words
// were said. A model that said nothing is owed nothing.
func (b *meter) Speak(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	budget, err := llm.NewBudget(b.model, r.Messages, r.Tools)
	if err != nil {
		return err
	}
	r.MaxTokens = budget.Clamp(r.MaxTokens)
	b.mu.Lock()
	b.rounds++
	cause := fmt.Sprintf("llm/%s/%d", b.id, b.rounds)
	b.mu.Unlock()
	most := b.engine.price(b.model, llm.Usage{PromptTokens: budget.Input + budget.Tools, CompletionTokens: r.MaxTokens})
	tab, err := b.engine.billing.Open(ctx, b.wallet, cause, b.terms, most)
	if err != nil {
		return err
	}
	words := count{prompt: budget.Input + budget.Tools}
	err = b.model.Speaker.Speak(ctx, r, func(d llm.Delta) error {
		words.add(d)
		return emit(d)
	})
	var refused *atelier.Error
	if err != nil && words.none() && errors.As(err, &refused) {
		return errors.Join(err, tab.Drop(ctx))
	}
	u := words.total()
	b.mu.Lock()
	b.sum.PromptTokens += u.PromptTokens
	b.sum.CompletionTokens += u.CompletionTokens
	b.sum.CachedTokens += u.CachedTokens
	b.mu.Unlock()
	if _, paid := tab.Settle(ctx, b.engine.price(b.model, u)); err == nil {
		err = paid
	}
	return err
}

// count counts the tokens of an answer, until its server does.
type count struct {
	prompt int // as estimated
	chars  int
	told   llm.Usage // by the server
}

func (c *count) add(d llm.Delta) {
	if d.Usage != nil {
		c.told = *d.Usage
	}
	c.chars += utf8.RuneCountInString(d.Content) + utf8.RuneCountInString(d.Reasoning)
	for _, t := range d.ToolCalls {
		c.chars += len(t.Name) + len(t.Arguments)
	}
}

func (c *count) none() bool { return c.chars == 0 }

func (c *count) total() llm.Usage {
	if c.told == (llm.Usage{}) {
		return llm.Usage{PromptTokens: c.prompt, CompletionTokens: llm.TokensOf(c.chars)}
	}
	return c.told
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
