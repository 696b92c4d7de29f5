package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

const (
	// mostWorkers is how many workers are shown: first those of the account.
	mostWorkers = 500

	// networkAge is how old the workers and jobs may be that are shown. All accounts
	// share one reading.
	networkAge = time.Second
)

// networkCache is what was read last for all accounts.
type networkCache struct {
	mu      sync.Mutex
	at      time.Time
	workers []atelier.Worker
	jobs    map[atelier.WorkerID][]store.LeasedJob
	models  []apitype.NetworkModel

	machines  map[atelier.WorkerID]store.MachineReport
	standings map[atelier.WorkerID]*apitype.WorkerStanding
}

// Network shows the connected workers and the queues to an account. Operators see the names of all of them.
func (e *Engine) Network(ctx context.Context, w atelier.Wallet, isOperator bool) (apitype.Network, error) {
	c := &e.network
	c.mu.Lock()
	defer c.mu.Unlock()
	if age := e.opts.Now().Sub(c.at); age < 0 || age >= networkAge {
		if err := e.readNetwork(ctx); err != nil {
			return apitype.Network{}, err
		}
	}
	n := apitype.Network{Workers: []apitype.NetworkWorker{}, Models: slices.Clone(c.models)}
	strangers := 0
	for _, worker := range c.workers {
		one := apitype.NetworkWorker{
			Own: worker.Wallet.Equal(w), Network: worker.Network, Models: worker.Models, GPU: worker.GPU, Version: worker.Version, Fallback: worker.Fallback, BuiltIn: worker.Wallet.Equal(e.opts.Service),
			Draining: worker.Draining, Capacity: worker.Capacity, LastSeenAt: worker.SeenAt.UTC(), Jobs: []apitype.NetworkJob{},
			NotClaimingSince: worker.NotClaimingSince,
		}
		if one.Own || isOperator {
			one.WorkerID, one.Name, one.Unavailable = worker.ID, worker.Name, worker.Unavailable
			one.Machine, one.Standing = ShowMachine(c.machines, worker.ID), c.standings[worker.ID]
		} else {
			strangers++
			one.Name, one.Standing = fmt.Sprintf("worker %d", strangers), ofStranger(c.standings[worker.ID])
			if worker.Unavailable != "" {
				one.Unavailable = "Its renderer is not available."
			}
		}
		for _, j := range c.jobs[worker.ID] {
			one.Jobs = append(one.Jobs, apitype.NetworkJob{ModelID: j.ModelID, ToolName: j.Tool, Progress: j.Progress, StartedAt: j.StartedAt.UTC(), Own: j.Wallet.Equal(w)})
		}
		n.Workers = append(n.Workers, one)
	}
	slices.SortStableFunc(n.Workers, func(a, b apitype.NetworkWorker) int {
		switch {
		case a.Own == b.Own:
			return 0
		case a.Own:
			return -1
		}
		return 1
	})
	n.Workers = n.Workers[:min(len(n.Workers), mostWorkers)]
	return n, nil
}

// readNetwork reads the workers, jobs and queues.
func (e *Engine) readNetwork(ctx context.Context) error {
	demand, err := e.Demand(ctx)
	if err != nil {
		return err
	}
	var (
		workers   []atelier.Worker
		leased    []store.LeasedJob
		machines  map[atelier.WorkerID]store.MachineReport
		standings map[atelier.WorkerID]*apitype.WorkerStanding
	)
	err = e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if workers, err = tx.Workers(e.ConnectedSince(demand.At)); err != nil {
			return err
		}
		if machines, err = tx.Machines(e.ConnectedSince(demand.At)); err != nil {
			return err
		}
		if standings, err = ReadStandings(tx, workers); err != nil {
			return err
		}
		leased, err = tx.LeasedJobs()
		return err
	})
	if err != nil {
		return err
	}
	c := &e.network
	c.at, c.jobs, c.models, c.machines, c.standings = demand.At, map[atelier.WorkerID][]store.LeasedJob{}, []apitype.NetworkModel{}, machines, standings
	c.workers = slices.DeleteFunc(workers, func(w atelier.Worker) bool { return w.Network == atelier.NetworkNode })
	slices.SortFunc(c.workers, func(a, b atelier.Worker) int { // ids are of one connection
		return cmp.Or(cmp.Compare(a.Wallet, b.Wallet), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	for _, j := range leased {
		c.jobs[j.WorkerID] = append(c.jobs[j.WorkerID], j)
	}
	for model, networks := range demand.Models {
		for network, d := range networks {
			if network != atelier.NetworkNode {
				c.models = append(c.models, apitype.NetworkModel{ModelID: model, Network: network, Queued: d.JobsQueued, Active: d.JobsActive, Workers: d.WorkersReady, WaitingForWorker: d.JobsWaitingForWorker})
			}
		}
	}
	slices.SortFunc(c.models, func(a, b apitype.NetworkModel) int {
		return cmp.Or(cmp.Compare(a.ModelID, b.ModelID), cmp.Compare(a.Network, b.Network))
	})
	return nil
}
