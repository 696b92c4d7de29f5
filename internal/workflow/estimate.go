package workflow

import (
	"context"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/store"
)

// Estimate is what a plan is estimated to cost.
type Estimate struct {
	Units   float64      // of capacity
	Plain   atelier.Cost // of steps that any token pays
	Premium atelier.Cost // of steps with vendor models
	Model   string       // of the first step that has one

	Width, Height int     // of what the first step makes, where that is known
	Seconds       float64 // that it lasts
}

// Spark is the whole cost in Spark.
func (e Estimate) Spark() atelier.Money { return e.Plain.Spark + e.Premium.Spark }

// USD is the whole cost in US dollars.
func (e Estimate) USD() atelier.Money { return e.Plain.USD + e.Premium.USD }

// Add adds another estimate.
func (e *Estimate) Add(o Estimate) {
	e.Units += o.Units
	addCost(&e.Plain, o.Plain)
	addCost(&e.Premium, o.Premium)
}

// add adds the cost of a step.
func (e *Estimate) add(c atelier.Cost) {
	if c.Premium {
		addCost(&e.Premium, c)
	} else {
		addCost(&e.Plain, c)
	}
}

func addCost(sum *atelier.Cost, c atelier.Cost) {
	sum.Spark += c.Spark
	sum.USD += c.USD
	sum.Premium, sum.Render = sum.Premium || c.Premium, sum.Render || c.Render
}

// Affordable returns an error, that of billing.Decide, unless an account could pay for
// all of it now.
func (e Estimate) Affordable(tx *store.Tx, b *billing.Engine, w atelier.Wallet, t atelier.PaymentTerms) error {
	all := e.Plain // Premium Spark pays for both
	if e.Premium.Spark > 0 && t.Token != atelier.PaySvc {
		addCost(&all, atelier.Cost{Spark: e.Premium.Spark, USD: e.Premium.USD, Render: true})
	}
	for _, cost := range []atelier.Cost{all, e.Premium} {
		if cost.Spark == 0 {
			continue
		}
		if err := b.Affords(tx, w, t, cost); err != nil {
			return err
		}
	}
	return nil
}

// IsCovered reports whether the plan of an account would cover all of it now: nothing is taken from the balance.
func (e Estimate) IsCovered(tx *store.Tx, b *billing.Engine, w atelier.Wallet, t atelier.PaymentTerms) (bool, error) {
	if e.Premium.Spark > 0 || e.Plain.Spark == 0 {
		return e.Spark() == 0, nil
	}
	return b.IsCovered(tx, w, t, e.Plain)
}

// Estimate estimates the plan of a request of an account. The error says what is wrong
// with the plan.
func (e *Engine) Estimate(ctx context.Context, w atelier.Wallet, q StartRequest) (Estimate, error) {
	d, err := e.plan(ctx, w, q)
	if err != nil {
		return Estimate{}, err
	}
	out := e.estimate(&d.plan)
	if first := d.answers[0]; !d.plan.Steps[0].Provisional {
		out.Width, out.Height, out.Seconds = first.Outputs.Width, first.Outputs.Height, first.Outputs.Seconds
	}
	return out, nil
}

// EstimateOf is the estimate of a workflow of an account.
func (e *Engine) EstimateOf(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID) (Estimate, error) {
	v, err := e.view(ctx, w, id)
	if err != nil {
		return Estimate{}, err
	}
	return e.estimate(&v.plan), nil
}

func (e *Engine) estimate(p *plan) Estimate {
	sum := Estimate{Units: float64(p.Capacity)}
	for _, s := range p.Steps {
		sum.add(atelier.Cost(s.Price))
		if sum.Model == "" {
			sum.Model = s.Model
		}
	}
	return sum
}
