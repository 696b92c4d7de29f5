package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// fleetCommand groups the commands about workers.
type fleetCommand struct {
	List       fleetList       `cmd:"" help:"List the connected workers."`
	Show       fleetShow       `cmd:"" help:"Show a worker: its machine now and over time, its jobs and what failed on it."`
	Drain      fleetDrain      `cmd:"" help:"Stop giving jobs to a worker. It finishes the jobs it has."`
	SpotChecks fleetSpotChecks `cmd:"" help:"List the renders that trusted workers have made again, to compare the results."`
	Unresolved fleetUnresolved `cmd:"" help:"List the jobs whose outcome at a vendor is unknown."`
	Resolve    fleetResolve    `cmd:"" help:"Fail an unresolved job that the vendor delivered nothing for, and release its hold."`
}

type fleetList struct {
	operated
	JSON bool `help:"Print JSON." name:"json"`
}

// listedWorker is a row of the list of workers.
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

	Unavailable string                   `json:"unavailable"` // why it takes no jobs for now; empty while it takes them
	Loaded      []string                 `json:"loadedModels"`
	Machine     *apitype.ReportedMachine `json:"machine"` // null when it has reported none

	NotClaimingSince *time.Time `json:"notClaimingSince"` // since when it serves no model, because it asks for no jobs; null while it claims

	Standing *apitype.WorkerStanding `json:"standing"` // null when there are no jobs that it failed at and others then completed
}

// standing is whether others are preferred to the worker.
func (w listedWorker) standing() string {
	if w.Standing != nil && w.Standing.IsLow {
		return "low"
	}
	return "good"
}

// why is why a worker serves no model, or a dash.
func (w listedWorker) why() string {
	if w.Unavailable == "" && w.NotClaimingSince != nil {
		return "not claiming since " + w.NotClaimingSince.Format(time.RFC3339)
	}
	return cmp.Or(w.Unavailable, "-")
}

// gauges are the memory of the fullest GPU, the temperature of the warmest and the free disk, or dashes.
func (w listedWorker) gauges() (memory, temperature, disk string) {
	memory, temperature, disk = "-", "-", "-"
	if w.Machine == nil {
		return memory, temperature, disk
	}
	var fullest, warmest float64
	for _, g := range w.Machine.GPUs {
		if part := share(g.UsedBytes(), g.MemoryTotalBytes); part != nil && (memory == "-" || *part > fullest) {
			memory, fullest = percent(*part), *part
		}
		if c := g.TemperatureCelsius; c != nil && (temperature == "-" || *c > warmest) {
			temperature, warmest = measure(c, "°C"), *c
		}
	}
	return memory, temperature, cmp.Or(diskOf(&w.Machine.Machine), "-")
}

// Run lists the workers.
func (l *fleetList) Run(ctx context.Context, t terminal) error {
	return l.operate(ctx, func(o operations) error {
		workers, err := readAll(func(p apitype.Page) ([]apitype.OperatorWorker, *string, error) {
			part, err := o.Workers(ctx, p)
			return part.Workers, part.NextCursor, err
		})
		if err != nil {
			return err
		}
		list := []listedWorker{}
		for _, w := range workers {
			list = append(list, listedWorker{
				WorkerID: string(w.WorkerID), Name: w.Name, Network: string(w.Network), Wallet: string(w.WalletAddress), Models: len(w.Models), Capacity: w.Capacity,
				Fallback: w.Fallback, GPU: w.GPU, Version: w.Version, Draining: w.Draining, SeenAt: w.LastSeenAt, NotClaimingSince: w.NotClaiming,
				Loaded: w.LoadedModels, Machine: w.Machine, Standing: w.Standing,
			})
			if w.Unavailable != nil {
				list[len(list)-1].Unavailable = *w.Unavailable
			}
		}
		if l.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := columns(t.out)
		fmt.Fprintln(table, "WORKER\tNAME\tNETWORK\tMODELS\tLOADED\tCAPACITY\tGPU\tGPU MEMORY\tTEMPERATURE\tFREE DISK\tSTANDING\tFALLBACK\tDRAINING\tUNAVAILABLE")
		for _, w := range list {
			memory, temperature, disk := w.gauges()
			fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%v\t%v\t%s\n", w.WorkerID, w.Name, w.Network, w.Models, len(w.Loaded), w.Capacity, w.GPU,
				memory, temperature, disk, w.standing(), w.Fallback, w.Draining, w.why())
		}
		if err := table.Flush(); err != nil {
			return err
		}
		for _, w := range list {
			if w.standing() == "low" {
				fmt.Fprintln(t.out, plainText(fmt.Sprintf("The standing of %s is low since %s. %s", w.Name, w.Standing.Since.Format(time.RFC3339), w.Standing.Reason)))
			}
		}
		return nil
	})
}

type fleetDrain struct {
	operated
	Worker string `arg:"" help:"The worker's id, as atelier fleet list shows it."`
	Undo   bool   `help:"Let it take jobs again."`
	reasoned
}

// Run drains a worker.
func (d *fleetDrain) Run(ctx context.Context, t terminal) error {
	return d.operate(ctx, func(o operations) error {
		_, err := o.DrainWorker(ctx, atelier.WorkerID(d.Worker), !d.Undo, d.reason())
		return err
	})
}

type fleetSpotChecks struct {
	operated
	JSON bool `help:"Print JSON." name:"json"`
}

// Run lists the spot checks.
func (l *fleetSpotChecks) Run(ctx context.Context, t terminal) error {
	return l.operate(ctx, func(o operations) error {
		list, err := readAll(func(p apitype.Page) ([]apitype.SpotCheck, *string, error) {
			part, err := o.SpotChecks(ctx, p)
			return part.SpotChecks, part.NextCursor, err
		})
		if err != nil {
			return err
		}
		if l.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := columns(t.out)
		fmt.Fprintln(table, "JOB\tMODEL\tSINCE\tSTATUS\tAT FAULT\tWORKERS\tREASON")
		for _, c := range list {
			fault, workers := "-", []string{}
			if c.AtFault != nil {
				fault = string(*c.AtFault)
			}
			for _, r := range c.Renders {
				if r.WalletAddress != nil {
					workers = append(workers, r.Worker+" of "+nameOf(r.Username, string(*r.WalletAddress)))
				}
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.JobID, c.ModelID, c.CreatedAt.Format(time.RFC3339), c.Status, fault, strings.Join(workers, ", "), cmp.Or(c.Reason, "-"))
		}
		return table.Flush()
	})
}

type fleetUnresolved struct {
	operated
	JSON bool `help:"Print JSON." name:"json"`
}

// unresolvedJob is a row of the list of unresolved jobs.
type unresolvedJob struct {
	JobID    string    `json:"jobId"`
	Wallet   string    `json:"walletAddress"`
	ModelID  string    `json:"modelId"`
	Receipt  string    `json:"receipt"`
	Asked    int       `json:"asked"`
	Message  string    `json:"message"`
	Created  time.Time `json:"createdAt"`
	Canceled bool      `json:"cancelled"`
}

// Run lists the unresolved jobs.
func (l *fleetUnresolved) Run(ctx context.Context, t terminal) error {
	return l.operate(ctx, func(o operations) error {
		jobs, err := readAll(func(p apitype.Page) ([]apitype.UnresolvedJob, *string, error) {
			part, err := o.Unresolved(ctx, p)
			return part.Jobs, part.NextCursor, err
		})
		if err != nil {
			return err
		}
		list := []unresolvedJob{}
		for _, j := range jobs {
			list = append(list, unresolvedJob{
				JobID: string(j.JobID), Wallet: string(j.WalletAddress), ModelID: j.ModelID, Receipt: j.Receipt, Asked: j.Asked, Message: j.Message,
				Created: j.CreatedAt, Canceled: j.Cancelled,
			})
		}
		if l.JSON {
			return json.NewEncoder(t.out).Encode(list)
		}
		table := columns(t.out)
		fmt.Fprintln(table, "JOB\tWALLET\tMODEL\tSINCE\tASKED\tRECEIPT\tMESSAGE")
		for _, j := range list {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", j.JobID, j.Wallet, j.ModelID, j.Created.Format(time.RFC3339), j.Asked, j.Receipt, j.Message)
		}
		return table.Flush()
	})
}

type fleetResolve struct {
	operated
	Job string `arg:"" help:"The job's id, as atelier fleet unresolved shows it."`
	reasoned
}

// Run fails the job and releases its hold.
func (r *fleetResolve) Run(ctx context.Context, t terminal) error {
	return r.operate(ctx, func(o operations) error {
		_, err := o.Resolve(ctx, atelier.JobID(r.Job), r.reason())
		return err
	})
}
