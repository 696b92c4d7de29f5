package workflow

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/wire"
)

// ReseedRequest asks to run a workflow again with other seeds. What is nil is as in the
// source.
type ReseedRequest struct {
	Key       string `json:"-"`
	Source    atelier.WorkflowID
	Seeds     map[string]int64
	Token     *atelier.TokenChoice
	Mode      *atelier.BillingMode
	AppSource *string `json:"-"`
	KeyID     string  `json:"-"` // of the API key that asks and pays

	Approved bool                  `json:"-"` // as in StartRequest
	Limits   *atelier.KeyLimits    `json:"-"` // as in StartRequest
	Weigh    func(bytes int) error `json:"-"` // as in StartRequest
	OnStart  OnStart               `json:"-"` // as in StartRequest
}

// By is the request as a caller asks for it, as StartRequest.By has it.
func (q ReseedRequest) By(c atelier.Caller) ReseedRequest {
	q.KeyID, q.Limits = c.PaysAs(), c.Limits
	return q
}

// Reseeded is the new workflow.
type Reseeded struct {
	Started
	Source atelier.WorkflowID
	Seeds  []apitype.NewSeed
}

// Reseed starts a finished workflow of an account again, with new or given seeds. The
// source stays as it is.
func (e *Engine) Reseed(ctx context.Context, owner atelier.Account, q ReseedRequest) (Reseeded, error) {
	digest := "reseed/" + digestOf(q)
	if again, err := e.reseeded(ctx, owner.Wallet, q, digest); err != nil || again != nil {
		if again == nil {
			again = &Reseeded{}
		}
		return *again, err
	}
	v, err := e.view(ctx, owner.Wallet, q.Source)
	if err != nil {
		return Reseeded{}, err
	}
	if s := v.row.Status; s != atelier.StatusCompleted && s != atelier.StatusPartialFailure {
		return Reseeded{}, v.wrongState("Only a workflow that is completed or partial_failure can be reseeded.")
	}
	if ref := v.plan.Remake; ref != nil {
		return Reseeded{}, v.wrongState("The workflow makes a step of another one again: reseed " + string(ref.WorkflowID) + ".")
	}
	d, seeds, chosen, err := e.reseed(ctx, v, q)
	if err != nil {
		return Reseeded{}, err
	}
	if err := d.plan.checkLimits(q.Limits); err != nil {
		return Reseeded{}, err
	}
	if err := e.mayAfford(ctx, owner.Wallet, &d.plan); err != nil {
		return Reseeded{}, err
	}
	start := StartRequest{Terms: atelier.PaymentTerms(v.state.Terms), Limits: q.Limits, Filter: v.state.Filter, Approved: q.Approved, Weigh: q.Weigh}
	start.Terms.Key = q.KeyID
	if q.Token != nil {
		start.Terms.Token = *q.Token
	}
	if q.Mode != nil {
		start.Terms.Mode = *q.Mode
	}
	if q.AppSource != nil {
		start.Terms.App = *q.AppSource
	}
	r, err := e.prepare(ctx, e.opts.Filter, owner, d, seeds, start)
	if err != nil {
		return Reseeded{}, err
	}
	answer, err := wire.MarshalV1(chosen)
	if err != nil {
		return Reseeded{}, err
	}
	started, err := e.accept(ctx, r, acceptance{q.Key, digest, string(answer), q.OnStart})
	if err == nil && started.Idempotent { // another request with the key was first
		again, err := e.reseeded(ctx, owner.Wallet, q, digest)
		if err != nil || again == nil {
			return Reseeded{}, err
		}
		return *again, nil
	}
	return Reseeded{Started: started, Source: q.Source, Seeds: chosen}, err
}

// reseeded finds what an earlier request with the same key made.
func (e *Engine) reseeded(ctx context.Context, w atelier.Wallet, q ReseedRequest, digest string) (*Reseeded, error) {
	earlier, err := e.db.FindIdempotencyRecord(ctx, w, startScope, q.Key)
	if err == nil {
		err = earlier.Check(digest)
	}
	if err != nil || earlier == nil {
		return nil, err
	}
	again := &Reseeded{Source: q.Source}
	if err := wire.Unmarshal([]byte(earlier.Answer), &again.Seeds); err != nil {
		return nil, err
	}
	again.Idempotent = true
	again.Workflow, err = e.Workflow(ctx, w, atelier.WorkflowID(earlier.Resource))
	return again, err
}

// reseed compiles the plan of a workflow again, with other seeds.
func (e *Engine) reseed(ctx context.Context, v *view, q ReseedRequest) (*draft, []int64, []apitype.NewSeed, error) {
	steps := v.input().Steps
	for _, id := range slices.Sorted(maps.Keys(q.Seeds)) {
		if !slices.ContainsFunc(steps, func(s atelier.StepInput) bool { return s.ID == id }) {
			return nil, nil, nil, atelier.Refuse("seed_overrides."+id, "is no step of this workflow.")
		}
		if seed := q.Seeds[id]; seed < 0 || seed > maxSeed {
			return nil, nil, nil, atelier.Refuse("seed_overrides."+id, "must be between 0 and %d.", int64(maxSeed))
		}
	}
	var (
		seeds  []int64
		chosen []apitype.NewSeed
	)
	for i := range steps {
		seed, given := q.Seeds[steps[i].ID]
		for !given {
			if seed = rand.Int64N(maxSeed + 1); seed != v.state.Steps[i].Seed {
				break
			}
		}
		seeds = append(seeds, seed)
		tool, ok := e.catalog.Tool(steps[i].ToolName)
		if !ok {
			return nil, nil, nil, atelier.Refuse("", "The tool %s of the step %q is no longer offered.", steps[i].ToolName, steps[i].ID)
		}
		if _, takes := tool.Argument("seed"); takes {
			steps[i].Arguments = maps.Clone(steps[i].Arguments)
			steps[i].Arguments["seed"] = float64(seed)
		}
		chosen = append(chosen, apitype.NewSeed{StepID: steps[i].ID, NewSeed: seed, ID: steps[i].ID, Seed: seed})
	}
	d, err := compile(e.catalog, v.plan.Title, steps, v.plan.media(), e.finder(ctx, v.row.Wallet))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("the plan is no longer valid: %w", err)
	}
	d.plan.Template = v.plan.Template
	return d, seeds, chosen, nil
}
