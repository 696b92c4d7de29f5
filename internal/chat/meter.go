package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// meter is a model whose rounds are paid for: it holds before a round what the
// round may cost at most, and settles after it what it has cost. Every round is one
// cause in the ledger, whether the conversation or a tool has asked for it.
type meter struct {
	engine *Engine
	model  llm.Model
	wallet atelier.Wallet
	id     string // of the request
	terms  atelier.PaymentTerms

	defers bool   // bills are paid with the record of what they are for
	whole  *meter // of the request, for the meter of one call; nil for itself

	mu    sync.Mutex // tools run in parallel
	sum   llm.Usage
	bills []*Bill
}

// newMeter makes a meter for one request of a caller, whose key pays on its budget.
func (e *Engine) newMeter(m llm.Model, c atelier.Caller, id string, t atelier.PaymentTerms) *meter {
	t.Key = c.PaysAs()
	return &meter{engine: e, model: m, wallet: c.Wallet, id: id, terms: t}
}

// forCall is a meter for the rounds of one call, whose bills are its own.
func (b *meter) forCall() *meter {
	return &meter{engine: b.engine, model: b.model, wallet: b.wallet, id: b.id, terms: b.terms, defers: b.defers, whole: b}
}

// cause names a new piece of work of the request in the ledger.
func (b *meter) cause(kind string) string { return kind + "/" + b.id + "/" + mint.UUID() }

// Bill is the cost of work that is paid with the record of its result.
type Bill struct {
	Cause string
	Model string    // the language model; empty for the price of a tool
	Usage llm.Usage // of the model
	Cost  atelier.Cost

	hold   *billing.Reservation
	engine *Engine
}

// Pay settles the bill in the caller's transaction.
func (b *Bill) Pay(tx *store.Tx) (billing.Payment, error) {
	p, err := b.hold.SettleIn(tx, b.Cost)
	if err == nil && p.Unpaid > 0 {
		tx.OnCommit(func() { b.engine.reportUnpaid(b.Model, b.Cause, b.Usage, p.Unpaid) })
	}
	return p, err
}

// Drop releases what is held for the bill.
func (b *Bill) Drop(ctx context.Context) error { return b.hold.Drop(ctx) }

func (b *meter) addBill(bill *Bill) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bills = append(b.bills, bill)
}

// takeBills returns the bills since the last time.
func (b *meter) takeBills() []*Bill {
	b.mu.Lock()
	defer b.mu.Unlock()
	bills := b.bills
	b.bills = nil
	return bills
}

// addUsage adds to the usage of the request.
func (b *meter) addUsage(u llm.Usage) {
	if b.whole != nil {
		b = b.whole
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sum.PromptTokens += u.PromptTokens
	b.sum.CompletionTokens += u.CompletionTokens
	b.sum.CachedTokens += u.CachedTokens
}

// reportUnpaid logs and counts what an account could not pay.
func (e *Engine) reportUnpaid(model, cause string, u llm.Usage, unpaid atelier.Money) {
	e.unpaid.Add(float64(unpaid) / float64(atelier.MoneyUnit))
	e.opts.Log.Warn("language model usage exceeds the balance", "model", model, "cause", cause,
		"prompt_tokens", u.PromptTokens, "completion_tokens", u.CompletionTokens, "unpaid_spark", unpaid)
}

// metered is the model with the meter in place of its Completer.
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

// roundLife bounds a round. A tool may need two while its own reservation is open,
// and a reservation that outlives billing.ReservationLife is not settled: a client that
// reads slowly enough would not pay.
const roundLife = billing.ReservationLife/2 - 10*time.Minute

// Complete implements llm.Completer. It settles although the client has left: the
// model has worked. A model that has sent nothing costs nothing.
func (b *meter) Complete(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	budget, err := llm.NewBudget(b.model, &r)
	if err != nil {
		return err
	}
	r.MaxTokens = budget.Clamp(r.MaxTokens) // always sent: the hold covers no more, and a server's own limit may be higher
	cause := b.cause("llm")
	most := b.engine.price(b.model, llm.Usage{PromptTokens: budget.Most, CompletionTokens: r.MaxTokens})
	hold, err := b.engine.billing.Open(ctx, b.wallet, cause, b.terms, most)
	if err != nil {
		return err
	}
	hold.SetModel(b.model.ID)
	head := b.engine.heads.key(b.model.ID, &r)
	words := count{prompt: llm.Estimate{Likely: b.engine.heads.likely(head, &r, budget.Input+budget.Tools), Most: budget.Most}, covered: r.MaxTokens}
	round, end := context.WithTimeout(ctx, roundLife)
	defer end()
	if restart := r.Restart; restart != nil {
		r.Restart = func() {
			words = count{prompt: words.prompt, covered: words.covered}
			restart()
		}
	}
	err = b.model.Completer.Complete(round, r, func(d llm.Delta) error {
		words.add(d)
		if err := emit(d); err != nil || d.FinishReason != "" {
			return err
		}
		return b.cover(round, hold, &words)
	})
	if err != nil && round.Err() != nil && ctx.Err() == nil {
		err = atelier.Errorf(atelier.CodeUpstreamTimeout, "The answer took longer than %s. Ask for a shorter one.", roundLife)
	}
	var refused *atelier.Error
	if err != nil && words.none() && errors.As(err, &refused) {
		return errors.Join(err, hold.Drop(ctx))
	}
	b.engine.heads.note(head, words.reported.PromptTokens)
	if failed := b.pay(ctx, hold, cause, &words, err == nil); err == nil {
		err = failed
	}
	return err
}

// pay settles a round. whole says that the answer was read to its end.
func (b *meter) pay(ctx context.Context, hold *billing.Reservation, cause string, words *count, whole bool) error {
	u, impossible := words.total(b.model.ContextLength, whole)
	if impossible {
		b.engine.opts.Log.Warn("model server reported impossible usage", "model", b.model.ID, "cause", cause,
			"reported_prompt_tokens", words.reported.PromptTokens, "reported_completion_tokens", words.reported.CompletionTokens,
			"charged_prompt_tokens", u.PromptTokens, "charged_completion_tokens", u.CompletionTokens)
	}
	b.addUsage(u)
	cost := b.engine.price(b.model, u)
	if !whole && words.reported == (llm.Usage{}) {
		cost = hold.AtMost(cost)
	}
	if b.defers {
		b.addBill(&Bill{Cause: cause, Model: b.model.ID, Usage: u, Cost: cost, hold: hold, engine: b.engine})
		return nil
	}
	unpaid, err := hold.Settle(ctx, cost)
	if unpaid > 0 {
		b.engine.reportUnpaid(b.model.ID, cause, u, unpaid)
	}
	return err
}

// slack is by what factor an estimate may exceed the limit of an answer before the
// server counts as ignoring the limit.
const slack = 2

// cover extends the hold for an answer that continues beyond its limit. It doubles
// what is covered each time, so that even a long answer needs few extensions. The
// error ends an answer that the account cannot pay any more.
func (b *meter) cover(ctx context.Context, hold *billing.Reservation, words *count) error {
	for hold != nil && words.written.Estimate().Likely > slack*words.covered {
		cost := b.engine.price(b.model, llm.Usage{CompletionTokens: words.covered}).Spark
		if cost == 0 {
			return nil
		}
		got, err := hold.Extend(ctx, cost)
		if err != nil {
			return err
		}
		more := int(got / max(1, cost/atelier.Money(words.covered)))
		if more == 0 {
			return hold.UsedUp()
		}
		words.covered += more
	}
	return nil
}

// count counts the tokens of a round: by estimate, until the server reports them.
type count struct {
	prompt   llm.Estimate
	covered  int // tokens of the answer that the hold covers
	written  llm.Counter
	pieces   int       // of the answer
	reported llm.Usage // by the server
}

func (c *count) add(d llm.Delta) {
	if d.Usage != nil {
		c.reported = *d.Usage
	}
	if d.Content != "" || d.Reasoning != "" || len(d.ToolCalls) > 0 {
		c.pieces += max(1, d.Pieces)
	}
	c.written.Add(d.Content)
	c.written.Add(d.Reasoning)
	for _, t := range d.ToolCalls {
		c.written.Add(t.Name)
		c.written.Add(t.Arguments)
	}
}

func (c *count) none() bool { return c.written == llm.Counter{} && c.reported == llm.Usage{} }

// estimate is what a round has used, where the server did not count it. A round that was
// stopped has used what is likely, so that it costs no more than one that finished; the
// upper estimate is for servers that never count.
func (c *count) estimate(whole bool) llm.Usage {
	written := c.written.Estimate()
	if whole {
		return llm.Usage{PromptTokens: c.prompt.Most, CompletionTokens: written.Most}
	}
	likely := written.Likely
	if c.pieces > likely/2 { // each piece is a token, as most servers send them: that is nearer than its length
		likely = min(likely, c.pieces)
	}
	return llm.Usage{PromptTokens: min(c.prompt.Likely, c.prompt.Most), CompletionTokens: likely}
}

// total is the usage of a round: as the server reported, else as estimated. A
// server whose answer was not read to its end may have reported only the
// beginning. impossible says that the server reported numbers that cannot be, which
// the estimate replaces: each token is a byte at least, so that a prompt that was
// estimated to fit into the context has at most four times as many tokens.
func (c *count) total(context int, whole bool) (u llm.Usage, impossible bool) {
	estimate := c.estimate(whole)
	if c.reported == (llm.Usage{}) {
		return estimate, false
	}
	u = c.reported
	if u.PromptTokens < 0 || u.PromptTokens > 4*context {
		u.PromptTokens = estimate.PromptTokens
	}
	if u.CompletionTokens < 0 || u.CompletionTokens > 4*context {
		u.CompletionTokens = estimate.CompletionTokens
	}
	u.CachedTokens = min(max(u.CachedTokens, 0), u.PromptTokens)
	impossible = u != c.reported
	if !whole {
		u.CompletionTokens = max(u.CompletionTokens, estimate.CompletionTokens)
	}
	return u, impossible
}

// price is what an answer costs.
func (e *Engine) price(m llm.Model, u llm.Usage) atelier.Cost {
	usd := m.Price(u)
	if usd == 0 {
		return atelier.Cost{}
	}
	spark := (usd*atelier.MoneyUnit + e.catalog.SparkUSD() - 1) / e.catalog.SparkUSD()
	return atelier.Cost{USD: usd, Spark: spark, NoPlan: m.NoPlan}
}
