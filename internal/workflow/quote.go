package workflow

import (
	"cmp"
	"context"
	"fmt"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// Quote says what a plan would cost and how it would be paid if it were started now. It
// checks, prices and decides as Start does, and stores and holds nothing. It asks no
// moderation server: an account that cannot pay could ask as often as it reads.
func (e *Engine) Quote(ctx context.Context, owner atelier.Account, q StartRequest) (apitype.Estimate, error) {
	d, err := e.plan(ctx, owner.Wallet, q)
	if err != nil {
		return apitype.Estimate{}, err
	}
	out, err := e.quote(ctx, owner, d, q)
	for _, w := range d.warnings {
		out.Warnings = append(out.Warnings, w.Message)
	}
	return out, d.refused(err)
}

// quote says what a plan would cost.
func (e *Engine) quote(ctx context.Context, owner atelier.Account, d *draft, q StartRequest) (apitype.Estimate, error) {
	p := &d.plan
	if err := checkEstimate(q, p.Capacity); err != nil {
		return apitype.Estimate{}, err
	}
	r, err := e.prepare(ctx, e.opts.Filter.WithoutServer(), owner, d, seeds(p), q)
	if err != nil {
		return apitype.Estimate{}, err
	}
	out := apitype.Estimate{
		Sufficient: true, Payment: apitype.EstimatePayment{TokenType: q.Terms.Token, BillingMode: q.Terms.Mode, Parts: []apitype.EstimatePart{}},
		Cost: apitype.EstimateCost{CapacityUnits: p.Capacity}, Steps: []apitype.EstimateStep{}, Warnings: []string{},
	}
	err = e.db.Snapshot(ctx, func(tx *store.Tx) error {
		funds, err := e.billing.Funds(tx, owner.Wallet, q.Terms.Key)
		if err != nil {
			return err
		}
		filtered, err := e.filterOn(tx, r)
		if err != nil {
			return err
		}
		covered := 0
		for _, s := range p.Steps {
			tool, _ := e.catalog.Tool(s.ToolName)
			step := apitype.EstimateStep{StepID: s.ID, ToolName: s.ToolName, ModelID: orNil(s.Model)}
			cost := atelier.Cost(s.Price)
			terms := q.Terms
			if cost.Spark == 0 {
				terms = freeTerms
			}
			network := atelier.NetworkFast
			switch charge, err := funds.Take(terms, cost); {
			case err != nil:
				out.Sufficient = false
				out.Warnings = append(out.Warnings, fmt.Sprintf("Step %q: %v", s.ID, err))
			default:
				cost = charge.Cost // less a discount
				if step.CoveredByPlan = charge.ByPlan; charge.ByPlan {
					covered++
				}
				if charge.Slow {
					network = atelier.NetworkRelaxed
				}
				out.Payment.Add(charge)
			}
			if cost.Spark == 0 && !step.CoveredByPlan {
				covered++ // it costs nothing
			}
			step.Cost = apitype.EstimateCost{Spark: cost.Spark, USD: cost.USD, CapacityUnits: s.Units}
			out.Cost.Spark, out.Cost.USD = out.Cost.Spark+cost.Spark, out.Cost.USD+cost.USD
			if s.Provisional {
				out.Warnings = append(out.Warnings, fmt.Sprintf("Step %q: %s", s.ID, provisionalWarning))
			}
			if filtered && len(s.Flagged) > 0 {
				out.Warnings = append(out.Warnings, fmt.Sprintf("Step %q: %s", s.ID, filterMessage(s.Flagged)))
			}
			if !tool.Immediate() && !tool.Pure() {
				model := cmp.Or(s.Model, s.ToolName)
				server, err := e.fleet.ServerOf(tx, network, model)
				if err != nil {
					return err
				}
				step.ServedBy = orNil(string(server))
				if warning := e.serverWarning(server, model, network); warning != "" {
					out.Warnings = append(out.Warnings, fmt.Sprintf("Step %q: %s", s.ID, warning))
				}
			}
			out.Steps = append(out.Steps, step)
		}
		out.CoveredByPlan = covered == len(p.Steps) && out.Cost.Spark > 0
		out.BalanceAfter = apitype.EstimateBalance{
			Spark:        funds.Purses[atelier.TokenSpark].Available(),
			PremiumSpark: funds.Purses[atelier.TokenPremiumSpark].Available(), Svc: funds.Purses[atelier.TokenSvc].Available(),
		}
		return nil
	})
	return out, err
}

// provisionalWarning says that an estimate rests on media whose size is not known.
const provisionalWarning = "The size of its media is known only when the media is fetched, and the price follows it. Upload the media first for an exact estimate."

// serverWarning says what the caller should know about who would render a step now.
func (e *Engine) serverWarning(by atelier.Server, model string, n atelier.Network) string {
	switch by {
	case atelier.ServedByNobody:
		text := atelier.WaitingFor{Model: model, Network: n}.String()
		if now := e.now(); !e.fleet.NoWorkerDeadline(now).IsZero() {
			text += fmt.Sprintf(" The job would fail after %s unless one connects.", atelier.Minutes(e.fleet.NoWorkerDeadline(now).Sub(now)))
		}
		return text
	case atelier.ServedByExpected:
		return fmt.Sprintf("No worker with %s is connected on the %s network now, and one was a moment ago: the job would wait for it at first.", model, n)
	case atelier.ServedByPreview:
		return fmt.Sprintf("Only a fallback worker offers %s on the %s network: the result would be a preview.", model, n)
	}
	return ""
}
