package fleet

import (
	"context"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// Demand counts workers and jobs, by model and network, at one moment.
func (e *Engine) Demand(ctx context.Context) (atelier.Demand, error) {
	d := atelier.Demand{
		At: e.opts.Now(), Networks: []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed},
		Models: map[string]map[atelier.Network]atelier.ModelDemand{},
	}
	err := e.db.Snapshot(ctx, func(tx *store.Tx) error {
		workers, err := tx.Workers(e.ConnectedSince(d.At))
		if err != nil {
			return err
		}
		for _, w := range workers {
			if w.Unavailable != "" {
				continue
			}
			for _, model := range w.Models {
				add(d, model, w.Network, func(m *atelier.ModelDemand) {
					if w.Serves() {
						m.WorkersReady++
						m.ServedBy = better(m.ServedBy, e.serverOf(w, model))
					}
					if slices.Contains(w.Loaded, model) {
						m.WorkersLoaded++
					}
				})
			}
		}
		if err := e.markExpected(tx, d); err != nil {
			return err
		}
		counts, err := tx.CountJobs()
		for _, c := range counts {
			add(d, c.ModelID, c.Network, func(m *atelier.ModelDemand) {
				m.JobsActive = c.Active
				m.JobsConcurrencyLimited = c.Limited
				m.JobsQueued = c.Limited + c.Waiting
				// A job that no worker could take waits for one to connect; any
				// other waits for its turn.
				if m.WorkersReady == 0 {
					m.JobsWaitingForWorker = c.Waiting
				} else {
					m.JobsQueuedOther = c.Waiting
				}
			})
		}
		return err
	})
	if err != nil {
		return atelier.Demand{}, atelier.Errorf(atelier.CodeUnavailable, "The demand is not available now.")
	}
	return d, nil
}

// ServerOf says which kind of worker serves a model in a network now.
func (e *Engine) ServerOf(tx *store.Tx, n atelier.Network, model string) (atelier.Server, error) {
	offers, err := tx.OffersOf(n, model)
	best := atelier.ServedByNobody
	for _, w := range offers {
		best = better(best, e.serverOf(w, model))
	}
	if err != nil || best != atelier.ServedByPreview {
		return best, err
	}
	kept, err := tx.ReservedModels(n, []string{model}, e.opts.Now())
	if len(kept) > 0 {
		best = atelier.ServedByExpected
	}
	return best, err
}

// markExpected marks the models of a demand that only fallback workers serve and whose jobs are
// reserved for others.
func (e *Engine) markExpected(tx *store.Tx, d atelier.Demand) error {
	for _, n := range d.Networks {
		var previews []string
		for model, by := range d.Models {
			if by[n].ServedBy == atelier.ServedByPreview {
				previews = append(previews, model)
			}
		}
		slices.Sort(previews)
		kept, err := tx.ReservedModels(n, previews, d.At)
		if err != nil {
			return err
		}
		for _, model := range kept {
			add(d, model, n, func(m *atelier.ModelDemand) { m.ServedBy = atelier.ServedByExpected })
		}
	}
	return nil
}

// serverOf is the kind of server that a worker is for a model it offers.
func (e *Engine) serverOf(w atelier.Worker, model string) atelier.Server {
	switch {
	case w.Fallback:
		return atelier.ServedByPreview
	case e.mayKeepRef(w, model): // it sends the jobs of this model to a vendor
		return atelier.ServedByVendor
	}
	return atelier.ServedByWorkers
}

// better is the better of two kinds of server.
func better(a, b atelier.Server) atelier.Server {
	return atelier.Servers[min(slices.Index(atelier.Servers, a), slices.Index(atelier.Servers, b))]
}

func add(d atelier.Demand, model string, n atelier.Network, change func(*atelier.ModelDemand)) {
	if d.Models[model] == nil {
		d.Models[model] = map[atelier.Network]atelier.ModelDemand{}
	}
	m, known := d.Models[model][n]
	if !known {
		m.ServedBy = atelier.ServedByNobody
	}
	change(&m)
	d.Models[model][n] = m
}
