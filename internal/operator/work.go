package operator

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/atelier-project/atelier"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/cursor"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
)

// Workers lists the connected workers and the jobs that they hold, by id.
func (o Operator) Workers(ctx context.Context, page apitype.Page) (apitype.OperatorWorkers, error) {
	p, err := newPart("workers", page, 1)
	if err != nil {
		return apitype.OperatorWorkers{}, err
	}
	var (
		rows []atelier.Worker
		next *string
		held []store.StoredJob

		names usernames
		more  workerFacts
	)
	err = o.db.Snapshot(ctx, func(tx *store.Tx) error {
		rows, err = tx.WorkersAfter(o.fleet.ConnectedSince(o.opts.Now()), atelier.WorkerID(p.Text(0)), p.limit+1)
		if err != nil {
			return err
		}
		rows, next = cut(p, rows, func(w atelier.Worker) []string { return []string{string(w.ID)} })
		ids := convert(rows, func(w atelier.Worker) atelier.WorkerID { return w.ID })
		if held, err = tx.LeasedByAny(ids); err != nil {
			return err
		}
		if more, err = readFacts(tx, rows); err != nil {
			return err
		}
		names, err = workerUsers(tx, rows, held)
		return err
	})
	return apitype.OperatorWorkers{Workers: convert(rows, func(w atelier.Worker) apitype.OperatorWorker { return newWorker(w, held, names, more) }), NextCursor: next}, err
}

// usernames are the names of accounts by their wallets.
type usernames map[atelier.Wallet]string

// workerUsers reads the names of the accounts of workers and of the jobs that they hold.
func workerUsers(tx *store.Tx, workers []atelier.Worker, held []store.StoredJob) (usernames, error) {
	wallets := convert(workers, func(w atelier.Worker) atelier.Wallet { return w.Wallet })
	return tx.Usernames(append(wallets, convert(held, func(j store.StoredJob) atelier.Wallet { return j.Wallet })...))
}

// workerFacts is what is known of workers besides their rows and jobs.
type workerFacts struct {
	machines  map[atelier.WorkerID]store.MachineReport
	standings map[atelier.WorkerID]*apitype.WorkerStanding
}

func readFacts(tx *store.Tx, workers []atelier.Worker) (f workerFacts, err error) {
	if f.machines, err = tx.MachinesOf(convert(workers, func(w atelier.Worker) atelier.WorkerID { return w.ID })); err != nil {
		return f, err
	}
	f.standings, err = fleet.ReadStandings(tx, workers)
	return f, err
}

// newWorker describes a worker and those of the jobs that it holds.
func newWorker(w atelier.Worker, held []store.StoredJob, names usernames, more workerFacts) apitype.OperatorWorker {
	out := apitype.OperatorWorker{
		WorkerID: w.ID, Name: w.Name, WalletAddress: w.Wallet, Username: names[w.Wallet], Network: w.Network, Models: append([]string{}, w.Models...), LoadedModels: append([]string{}, w.Loaded...),
		Capacity: w.Capacity, Fallback: w.Fallback, Version: w.Version, GPU: w.GPU, Draining: w.Draining, Unavailable: optional(w.Unavailable),
		NotClaiming: optional(w.NotClaimingSince), ModelSwitches: w.Switches, ConnectedAt: w.CreatedAt, LastSeenAt: w.SeenAt,
		Jobs: []apitype.WorkerJob{}, Machine: fleet.ShowMachine(more.machines, w.ID), Standing: more.standings[w.ID],
	}
	for _, j := range held {
		if j.WorkerID == w.ID {
			out.Jobs = append(out.Jobs, apitype.WorkerJob{
				JobID: j.ID, ModelID: j.Spec.ModelID, ToolName: j.Spec.Tool, WalletAddress: j.Wallet, Username: names[j.Wallet], Progress: j.Progress, StartedAt: j.StartedAt,
			})
		}
	}
	return out
}

// DrainWorker makes a worker get no more jobs, or get them again.
func (o Operator) DrainWorker(ctx context.Context, id atelier.WorkerID, draining bool, reason string) (w apitype.OperatorWorker, err error) {
	if err := checkReason("reason", reason); err != nil {
		return w, err
	}
	action := "drain worker"
	if !draining {
		action = "undrain worker"
	}
	err = o.fleet.DrainWorker(ctx, id, draining, func(tx *store.Tx) error {
		row, err := tx.AnyWorker(id)
		if err != nil {
			return err
		}
		if w, err = showWorker(tx, row); err != nil {
			return err
		}
		return o.record(store.Action{Action: action, Wallet: row.Wallet, Target: string(id), Detail: row.Name, Reason: reason})(tx)
	})
	return w, err
}

// Jobs lists jobs of all accounts, newest first. A part may be short, or empty, although
// another follows: one request looks at a number of jobs.
func (o Operator) Jobs(ctx context.Context, q apitype.JobQuery) (apitype.OperatorJobs, error) {
	p, err := newPart("jobs", q.Page, 1)
	if err != nil {
		return apitype.OperatorJobs{}, err
	}
	f := store.JobFilter{State: q.State, Code: q.Code, ModelID: q.ModelID, Worker: q.WorkerID, Workflow: q.WorkflowID, Before: atelier.JobID(p.Text(0))}
	if f.Wallet, err = o.walletOf(ctx, q.Wallet); err != nil {
		return apitype.OperatorJobs{}, err
	}
	if q.Hours > 0 {
		f.EndedSince = o.opts.Now().Add(-time.Duration(q.Hours) * time.Hour)
	}
	var (
		rows  []store.StoredJob
		last  atelier.JobID
		names jobNames
	)
	err = o.db.Read(ctx, func(tx *store.Tx) error {
		if q.FailedLike != "" {
			like, err := tx.Job(q.FailedLike)
			if errors.Is(err, store.ErrNotFound) {
				return atelier.Missing("failedLike", string(q.FailedLike), "job")
			}
			if err != nil {
				return err
			}
			if like.State != atelier.JobFailed {
				return atelier.Refuse("failedLike", "is the job %s, which has not failed: name one that has.", like.ID)
			}
			f.FailedLike = like.ID
		}
		if rows, last, err = tx.ListJobs(f, p.limit+1, o.opts.Searched); err != nil {
			return err
		}
		names, err = namesOf(tx, rows)
		return err
	})
	rows, next := cut(p, rows, func(j store.StoredJob) []string { return []string{string(j.ID)} })
	if next == nil && last != "" {
		next = cursor.Encode(p.list, string(last))
	}
	return apitype.OperatorJobs{Jobs: convert(rows, func(j store.StoredJob) apitype.OperatorJob { return newJob(j, names) }), NextCursor: next}, err
}

// walletOf is the wallet of an account by its wallet or username; none for an empty name.
func (o Operator) walletOf(ctx context.Context, name string) (atelier.Wallet, error) {
	if name == "" {
		return "", nil
	}
	a, err := o.accounts.Find(ctx, name)
	return a.Wallet, err
}

// jobNames are the names of the accounts of jobs, and of the workers that had them.
type jobNames struct {
	users   usernames
	workers map[atelier.WorkerID]string
}

func namesOf(tx *store.Tx, jobs []store.StoredJob) (n jobNames, err error) {
	if n.users, err = workerUsers(tx, nil, jobs); err != nil {
		return n, err
	}
	n.workers, err = tx.WorkerNames(convert(jobs, func(j store.StoredJob) atelier.WorkerID { return j.WorkerID }))
	return n, err
}

func newJob(j store.StoredJob, names jobNames) apitype.OperatorJob {
	out := apitype.OperatorJob{
		JobID: j.ID, ProjectID: string(j.ProjectID), WalletAddress: j.Wallet, Username: names.users[j.Wallet], ModelID: j.Spec.ModelID, ToolName: j.Spec.Tool, Network: j.Network,
		State: j.State, Attempt: j.Attempt, Progress: j.Progress, WorkerID: optional(string(j.WorkerID)), WorkerName: optional(names.workers[j.WorkerID]), Code: optional(j.Error.Code), Message: optional(j.Error.Message),
		CreatedAt: j.CreatedAt, StartedAt: optional(j.StartedAt), EndedAt: optional(j.EndedAt),
	}
	if j.Owner.Kind == "workflow" {
		out.WorkflowID = &j.Owner.ID
	}
	if !j.State.Terminal() {
		out.Message = optional(j.Job.Message)
	}
	return out
}

// Job reads a job of any account.
func (o Operator) Job(ctx context.Context, id atelier.JobID) (apitype.OperatorJobDetail, error) {
	var (
		j     store.StoredJob
		names jobNames
	)
	err := o.db.Read(ctx, func(tx *store.Tx) (err error) {
		if j, err = tx.Job(id); err != nil {
			return err
		}
		names, err = namesOf(tx, []store.StoredJob{j})
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = atelier.Missing("id", string(id), "job")
	}
	if err != nil {
		return apitype.OperatorJobDetail{}, err
	}
	cost := j.Charge.Cost // less the discount of a plan, and nothing for what is free
	d := apitype.OperatorJobDetail{
		OperatorJob: newJob(j, names), Arguments: j.Spec.Arguments, Seed: j.Spec.Seed, SafeContentFilter: j.Spec.SafeContentFilter, CancelRequested: j.Cancel, Leases: j.Leases,
		UnservedSince: optional(j.UnservedSince), Receipt: optional(j.ExternalRef), Unresolved: j.Unresolved, Retryable: j.Error.Retryable,
		Cost: apitype.JobCost{Spark: cost.Spark, USD: cost.USD}, CoveredByPlan: j.Charge.ByPlan, AppSource: optional(j.Terms.App),
	}
	if d.Arguments == nil {
		d.Arguments = map[string]any{}
	}
	if j.State == atelier.JobLeased {
		d.LeaseUntil = optional(j.Lease)
	}
	return d, nil
}

// maxFailures is how many groups of failures are returned.
const maxFailures = 100

// Failures groups the jobs that failed in the last hours by their error and model.
func (o Operator) Failures(ctx context.Context, hours int) (out apitype.Failures, err error) {
	err = o.db.Read(ctx, func(tx *store.Tx) error {
		now := o.opts.Now()
		groups, err := tx.FailuresSince(now.Add(-time.Duration(hours)*time.Hour), now, maxFailures)
		out.Failures = convert(groups, func(g store.JobFailures) apitype.FailureGroup {
			return apitype.FailureGroup{Code: g.Error.Code, Message: g.Error.Message, ModelID: g.ModelID, IsTask: g.Task, Count: g.Count, Accounts: g.Wallets, Trend: g.Trend, LastAt: g.Last, SampleJobID: g.Sample}
		})
		return err
	})
	return out, err
}

// Unresolved lists the jobs whose outcome at a vendor is unknown, oldest first.
func (o Operator) Unresolved(ctx context.Context, page apitype.Page) (apitype.UnresolvedJobs, error) {
	p, err := newPart("unresolved", page, 1)
	if err != nil {
		return apitype.UnresolvedJobs{}, err
	}
	var (
		rows  []store.StoredJob
		names usernames
	)
	err = o.db.Read(ctx, func(tx *store.Tx) error {
		if rows, err = tx.UnresolvedJobs(false, atelier.JobID(p.Text(0)), p.limit+1); err != nil {
			return err
		}
		names, err = workerUsers(tx, nil, rows)
		return err
	})
	rows, next := cut(p, rows, func(j store.StoredJob) []string { return []string{string(j.ID)} })
	return apitype.UnresolvedJobs{Jobs: convert(rows, func(j store.StoredJob) apitype.UnresolvedJob { return newUnresolved(j.Job, names) }), NextCursor: next}, err
}

func newUnresolved(j atelier.Job, names usernames) apitype.UnresolvedJob {
	return apitype.UnresolvedJob{
		JobID: j.ID, WalletAddress: j.Wallet, Username: names[j.Wallet], ModelID: j.Spec.ModelID, Receipt: j.ExternalRef, Asked: j.Unresolved, Message: j.Message, Cancelled: j.Cancel, CreatedAt: j.CreatedAt,
	}
}

// Resolve fails an unresolved job that the vendor delivered nothing for, and releases its
// hold. A node does so within a minute.
func (o Operator) Resolve(ctx context.Context, id atelier.JobID, reason string) (apitype.UnresolvedJob, error) {
	if err := checkReason("reason", reason); err != nil {
		return apitype.UnresolvedJob{}, err
	}
	var names usernames
	j, err := o.fleet.Resolve(ctx, id, func(tx *store.Tx, j atelier.Job) (err error) {
		if names, err = tx.Usernames([]atelier.Wallet{j.Wallet}); err != nil {
			return err
		}
		return o.record(store.Action{Action: "resolve job", Wallet: j.Wallet, Target: string(id), Detail: j.ExternalRef, Reason: reason})(tx)
	})
	return newUnresolved(j, names), err
}

// Health reads the state of the installation that is in the database, and the free space.
func (o Operator) Health(ctx context.Context) (h apitype.Health, err error) {
	h.Networks = []apitype.NetworkHealth{}
	err = o.db.Snapshot(ctx, func(tx *store.Tx) error {
		online, err := tx.CountWorkerStates(o.fleet.ConnectedSince(o.opts.Now()))
		if err != nil {
			return err
		}
		counts, err := tx.CountQueues()
		if err != nil {
			return err
		}
		byNetwork := map[atelier.Network]store.QueueCount{}
		for _, c := range counts {
			byNetwork[c.Network] = c
		}
		h.Networks = []apitype.NetworkHealth{}
		for _, n := range []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed, atelier.NetworkNode} {
			h.Networks = append(h.Networks, apitype.NetworkHealth{Network: n, Queued: byNetwork[n].Queued, Active: byNetwork[n].Active,
				Workers: online[n].Connected, Draining: online[n].Draining, Unavailable: online[n].Unavailable, ModelSwitches: online[n].Switches})
		}
		h.OldestWaiting = nil
		j, err := tx.OldestQueued()
		switch {
		case err == nil:
			h.OldestWaiting = &apitype.WaitingJob{JobID: j.ID, ModelID: j.Spec.ModelID, Network: j.Network, CreatedAt: j.CreatedAt}
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
		if h.Unresolved, err = tx.CountUnresolved(); err != nil {
			return err
		}
		h.Nodes, err = o.nodes(tx)
		return err
	})
	if err == nil && o.opts.FreeSpace != nil {
		if free, failed := o.opts.FreeSpace(); failed == nil {
			h.FreeBytes = &free
		}
	}
	return h, err
}

// nodes lists the processes of the service by name. Each is connected as one worker, or several, of the node network.
func (o Operator) nodes(tx *store.Tx) ([]apitype.NodeHealth, error) {
	now := o.opts.Now()
	workers, err := tx.Workers(o.fleet.ConnectedSince(now))
	if err != nil {
		return nil, err
	}
	workers = slices.DeleteFunc(workers, func(w atelier.Worker) bool { return w.Network != atelier.NetworkNode })
	held, err := tx.LeasedByAny(convert(workers, func(w atelier.Worker) atelier.WorkerID { return w.ID }))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(workers, func(a, b atelier.Worker) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), a.CreatedAt.Compare(b.CreatedAt))
	})
	samples, err := tx.LatestSamples(now.Add(-sampleDelay))
	if err != nil {
		return nil, err
	}
	list := []apitype.NodeHealth{}
	for _, w := range workers {
		if n := len(list); n == 0 || list[n-1].Name != w.Name {
			list = append(list, apitype.NodeHealth{Name: w.Name, Version: w.Version, Since: w.CreatedAt, LastSeenAt: w.SeenAt})
			if s, ok := samples[w.Name]; ok {
				list[n].MemoryBytes = &s.Memory
				if s.Free >= 0 {
					list[n].FreeBytes = &s.Free
				}
			}
		}
		node := &list[len(list)-1]
		if w.SeenAt.After(node.LastSeenAt) {
			node.LastSeenAt = w.SeenAt
		}
		for _, j := range held {
			if j.WorkerID == w.ID {
				node.Tasks++
			}
		}
	}
	return list, nil
}
