package chat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
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
	m.Completer = b
	return m
}

// used is what all rounds have used together.
func (b *meter) used() llm.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sum
}

// roundLife bounds a round. A tool may ask for two while its own tab is open, and
// a tab that outlives its time is not paid: whoever reads slowly enough would
// read for nothing.
const roundLife = billing.TabLife/2 - 10*time.Minute

// Speak implements llm.Completer. It pays although the caller has left: the words
// were said. A model that said nothing is owed nothing.
func (b *meter) Speak(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	budget, err := llm.NewBudget(b.model, &r)
	if err != nil {
		return err
	}
	r.MaxTokens = budget.Clamp(r.MaxTokens) // always said: a server's own limit is not what was set aside
	b.mu.Lock()
	b.rounds++
	cause := fmt.Sprintf("llm/%s/%d", b.id, b.rounds)
	b.mu.Unlock()
	most := b.engine.price(b.model, llm.Usage{PromptTokens: budget.Most, CompletionTokens: r.MaxTokens})
	tab, err := b.engine.billing.Open(ctx, b.wallet, cause, b.terms, most)
	if err != nil {
		return err
	}
	words := count{prompt: budget.Most, covered: r.MaxTokens}
	round, end := context.WithTimeout(ctx, roundLife)
	defer end()
	err = b.model.Completer.Speak(round, r, func(d llm.Delta) error {
		words.add(d)
		if err := emit(d); err != nil || d.FinishReason != "" {
			return err
		}
		return b.cover(round, tab, &words)
	})
	if err != nil && round.Err() != nil && ctx.Err() == nil {
		err = atelier.Errorf(atelier.CodeUpstreamTimeout, "The answer took longer than %s. Ask for a shorter one.", roundLife)
	}
	var refused *atelier.Error
	if err != nil && words.none() && errors.As(err, &refused) {
		return errors.Join(err, tab.Drop(ctx))
	}
	if failed := b.pay(ctx, tab, cause, &words, err == nil); err == nil {
		err = failed
	}
	return err
}

// pay settles a round: whole says that its server was heard to the end. It is
// apart from Speak so that what it needs is not on the stack of every stream.
//
//go:noinline
func (b *meter) pay(ctx context.Context, tab *billing.Reservation, cause string, words *count, whole bool) error {
	u, strange := words.total(b.model.ContextLength, whole)
	if strange {
		b.engine.opts.Log.Warn("model server reported impossible usage", "model", b.model.ID, "cause", cause,
			"reported_prompt_tokens", words.told.PromptTokens, "reported_completion_tokens", words.told.CompletionTokens,
			"charged_prompt_tokens", u.PromptTokens, "charged_completion_tokens", u.CompletionTokens)
	}
	b.mu.Lock()
	b.sum.PromptTokens += u.PromptTokens
	b.sum.CompletionTokens += u.CompletionTokens
	b.sum.CachedTokens += u.CachedTokens
	b.mu.Unlock()
	unpaid, err := tab.Settle(ctx, b.engine.price(b.model, u))
	if unpaid > 0 {
		b.engine.unpaid.Add(float64(unpaid) / float64(atelier.MoneyUnit))
		b.engine.opts.Log.Warn("language model usage exceeds the balance", "model", b.model.ID, "wallet", b.wallet, "cause", cause,
			"prompt_tokens", u.PromptTokens, "completion_tokens", u.CompletionTokens, "unpaid_spark", unpaid)
	}
	return err
}

// slack is how far an estimate of what was said may be off before the server is
// taken to have passed the limit that it was given.
const slack = 2

// cover keeps what is set aside ahead of an answer that goes on beyond its limit.
// What is covered doubles each time, so that even a long answer asks for money
// only a few times. The error ends an answer that cannot be paid any more.
func (b *meter) cover(ctx context.Context, tab *billing.Reservation, words *count) error {
	for tab != nil && words.said.Estimate().Likely > slack*words.covered {
		cost := b.engine.price(b.model, llm.Usage{CompletionTokens: words.covered}).Spark
		if cost == 0 {
			return nil
		}
		got, err := tab.Extend(ctx, cost)
		if err != nil {
			return err
		}
		more := int(got / max(1, cost/atelier.Money(words.covered)))
		if more == 0 {
			return atelier.Errorf(atelier.CodeInsufficientBalance, "The balance is used up, and the answer ends here. Add credits and ask again.")
		}
		words.covered += more
	}
	return nil
}

// count counts the tokens of an answer, until its server does.
type count struct {
	prompt  int // as estimated
	covered int // tokens of the answer that are set aside for
	said    llm.Counter
	told    llm.Usage // by the server
}

func (c *count) add(d llm.Delta) {
	if d.Usage != nil {
		c.told = *d.Usage
	}
	c.said.Add(d.Content)
	c.said.Add(d.Reasoning)
	for _, t := range d.ToolCalls {
		c.said.Add(t.Name)
		c.said.Add(t.Arguments)
	}
}

func (c *count) none() bool { return c.said == llm.Counter{} && c.told == llm.Usage{} }

// total is what an answer has used: as its server counted, else as estimated. A
// server that was not heard to the end may have counted only the beginning.
// strange reports that the server said what cannot be, which is taken for
// nothing: each token is a byte at least, so that what was estimated to fit into
// the context is at most four times as much.
func (c *count) total(context int, whole bool) (u llm.Usage, strange bool) {
	estimate := llm.Usage{PromptTokens: c.prompt, CompletionTokens: c.said.Estimate().Most}
	if c.told == (llm.Usage{}) {
		return estimate, false
	}
	u = c.told
	if u.PromptTokens < 0 || u.PromptTokens > 4*context {
		u.PromptTokens = estimate.PromptTokens
	}
	if u.CompletionTokens < 0 || u.CompletionTokens > 4*context {
		u.CompletionTokens = estimate.CompletionTokens
	}
	u.CachedTokens = min(max(u.CachedTokens, 0), u.PromptTokens)
	strange = u != c.told
	if !whole {
		u.CompletionTokens = max(u.CompletionTokens, estimate.CompletionTokens)
	}
	return u, strange
}

// price is what an answer costs.
func (e *Engine) price(m llm.Model, u llm.Usage) atelier.Cost {
	usd := m.Price(u)
	if usd == 0 {
		return atelier.Cost{}
	}
	spark := (usd*atelier.MoneyUnit + e.catalog.SparkUSD() - 1) / e.catalog.SparkUSD()
	return atelier.Cost{USD: usd, Spark: spark}
}
