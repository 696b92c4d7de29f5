package main

import (
	"context"
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/node"
)

// fleetCommand groups the commands about workers.
type fleetCommand struct {
	List  fleetList  `cmd:"" help:"List the workers that are connected."`
	Drain fleetDrain `cmd:"" help:"Have a worker take no more jobs; what it has it finishes."`

	Doubts fleetDoubts `cmd:"" help:"List the jobs of which nobody knows what became of them at a vendor's."`
	GiveUp fleetGiveUp `cmd:"" help:"End a job in doubt, of which you know that nothing came, and free its money."`
}

type fleetList struct {
	place
	JSON bool `help:"Print JSON." name:"json"`
}

// connected is how long a worker counts as connected after it was heard of.
const connected = time.Minute

// listedWorker is a worker as the list shows it.
type listedWorker struct {
	WorkerID string    `json:"workerId"`
	Name     string    `json:"name"`
	Network  string    `json:"network"`
	Wallet   string    `json:"walletAddress"`
	Models   int       `json:"models"`
	Capacity int       `json:"capacity"`
	Fallback bool      `json:"fallback"`
	GPU      string    `json:"gpu"`
	Version  string    `json:"version"`
	Draining bool      `json:"draining"`
	SeenAt   time.Time `json:"seenAt"`
}

// Run lists the workers.
func (l *fleetList) Run(ctx context.Context, t terminal) error {
	return l.office(ctx, func(o *node.Admin) error {
		workers, err := o.Workers(ctx, connected)
		if err != nil {
			return err
		}
		list := []listedWorker{}
		for _, w := range workers {
			list = append(list, listedWorker{string(w.ID), w.Name, string(w.Network), string(w.Wallet), len(w.Models), w.Capacity, w.Fallback, w.GPU, w.Version, w.Draining, w.SeenAt.UTC()})
		}
		if l.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "WORKER\tNAME\tNETWORK\tMODELS\tCAPACITY\tGPU\tFALLBACK\tDRAINING")
		for _, w := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%s\t%v\t%v\n", w.WorkerID, w.Name, w.Network, w.Models, w.Capacity, w.GPU, w.Fallback, w.Draining)
		}
		return table.Flush()
	})
}

type fleetDrain struct {
	place
	Worker string `arg:"" help:"The worker's id, as atelier fleet list shows it."`
	Undo   bool   `help:"Let it take jobs again."`
}

// Run drains a worker.
func (d *fleetDrain) Run(ctx context.Context, t terminal) error {
	return d.office(ctx, func(o *node.Admin) error { return o.DrainWorker(ctx, atelier.WorkerID(d.Worker), !d.Undo) })
}

type fleetDoubts struct {
	place
	JSON bool `help:"Print JSON." name:"json"`
}

// doubtfulJob is a job in doubt as the list shows it.
type doubtfulJob struct {
	JobID    string    `json:"jobId"`
	Wallet   string    `json:"walletAddress"`
	ModelID  string    `json:"modelId"`
	Receipt  string    `json:"receipt"`
	Asked    int       `json:"asked"`
	Message  string    `json:"message"`
	Created  time.Time `json:"createdAt"`
	Canceled bool      `json:"cancelled"`
}

// Run lists the jobs in doubt.
func (l *fleetDoubts) Run(ctx context.Context, t terminal) error {
	return l.office(ctx, func(o *node.Admin) error {
		jobs, err := o.UnresolvedJobs(ctx)
		if err != nil {
			return err
		}
		list := []doubtfulJob{}
		for _, j := range jobs {
			list = append(list, doubtfulJob{string(j.ID), string(j.Wallet), j.Spec.ModelID, j.ExternalRef, j.Unresolved, j.Message, j.CreatedAt, j.Cancel})
		}
		if l.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "JOB\tWALLET\tMODEL\tSINCE\tASKED\tRECEIPT\tMESSAGE")
		for _, j := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", j.JobID, j.Wallet, j.ModelID, j.Created.Format(time.RFC3339), j.Asked, j.Receipt, j.Message)
		}
		return table.Flush()
	})
}

type fleetGiveUp struct {
	place
	Job string `arg:"" help:"The job's id, as atelier fleet doubts shows it."`
}

// Run gives a job up.
func (g *fleetGiveUp) Run(ctx context.Context, t terminal) error {
	return g.office(ctx, func(o *node.Admin) error { return o.GiveUpJob(ctx, atelier.JobID(g.Job)) })
}
