package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
)

// fleetShow shows one worker.
type fleetShow struct {
	operated
	Worker string                `arg:"" help:"The worker's id or name, as atelier fleet list shows it."`
	Window apitype.HistoryWindow `help:"How far back the history goes: ${enum}." enum:"hour,day,week" default:"hour"`
	JSON   bool                  `help:"Print JSON." name:"json"`
}

// shownWorker is a worker with its history.
type shownWorker struct {
	apitype.OperatorWorkerDetail
	History apitype.WorkerHistory `json:"history"`
}

// Run shows what the worker is, what it does now, its machine over time and what failed on it.
func (f *fleetShow) Run(ctx context.Context, t terminal) error {
	return f.operate(ctx, func(o operations) error {
		id, err := findWorker(ctx, o, f.Worker)
		if err != nil {
			return err
		}
		var w shownWorker
		if w.OperatorWorkerDetail, err = o.Worker(ctx, id); err != nil {
			return err
		}
		if w.History, err = o.WorkerHistory(ctx, id, f.Window); err != nil {
			return err
		}
		if f.JSON {
			return printJSON(t.out, w)
		}
		return w.print(t.out)
	})
}

// findWorker finds a connected worker by its id or its name.
func findWorker(ctx context.Context, o operations, name string) (atelier.WorkerID, error) {
	workers, err := readAll(func(p apitype.Page) ([]apitype.OperatorWorker, *string, error) {
		part, err := o.Workers(ctx, p)
		return part.Workers, part.NextCursor, err
	})
	if err != nil {
		return "", err
	}
	var named []atelier.WorkerID
	for _, w := range workers {
		if string(w.WorkerID) == name {
			return w.WorkerID, nil
		}
		if w.Name == name {
			named = append(named, w.WorkerID)
		}
	}
	switch len(named) {
	case 0:
		return "", fmt.Errorf("no connected worker has the id or name %q: atelier fleet list shows them", name)
	case 1:
		return named[0], nil
	}
	return "", fmt.Errorf("%d connected workers have the name %q: give the id of one", len(named), name)
}

func (w shownWorker) print(out io.Writer) error {
	facts := newTable(out)
	facts.row("Worker", w.Name)
	facts.row("Id", w.WorkerID)
	facts.row("Account", nameOf(w.Username, string(w.WalletAddress)))
	facts.row("Status", w.status())
	facts.row("Standing", w.standing())
	facts.row("Network", w.Network)
	facts.row("GPU", w.GPU)
	facts.row("Version", w.versions())
	facts.row("Connected", w.ConnectedAt.Format(time.RFC3339))
	facts.row("Last seen", w.LastSeenAt.Format(time.RFC3339))
	facts.row("Offers", fmt.Sprintf("%d models: %s", len(w.Models), strings.Join(w.Models, ", ")))
	facts.row("Loaded", cmp.Or(strings.Join(w.LoadedModels, ", "), "no model")+fmt.Sprintf("; %d switches", w.ModelSwitches))
	if err := facts.flush(); err != nil {
		return err
	}
	if err := w.printJobs(out); err != nil {
		return err
	}
	if err := w.printMachine(out); err != nil {
		return err
	}
	if err := w.printLapses(out); err != nil {
		return err
	}
	return w.printFailures(out)
}

// standing is whether others are preferred to the worker, and why.
func (w shownWorker) standing() string {
	if w.Standing == nil || !w.Standing.IsLow {
		return "good"
	}
	return fmt.Sprintf("low since %s: others are preferred, next trial from %s. %s",
		w.Standing.Since.Format(time.RFC3339), w.Standing.TrialAt.Format(time.RFC3339), w.Standing.Reason)
}

func (w shownWorker) printLapses(out io.Writer) error {
	if w.Standing == nil || len(w.Standing.Lapses) == 0 {
		return nil
	}
	fmt.Fprintln(out, "\nJobs that it failed at and that others completed")
	table := newTable(out, "JOB", "MODEL", "AT", "CODE", "MESSAGE")
	for _, l := range w.Standing.Lapses {
		table.row(l.JobID, l.ModelID, l.At.Format(time.RFC3339), l.Code, l.Message)
	}
	return table.flush()
}

// status is whether the worker takes jobs, and why it does not.
func (w shownWorker) status() string {
	var all []string
	if w.Unavailable != nil {
		all = append(all, "unavailable: "+*w.Unavailable)
	}
	if w.NotClaiming != nil {
		all = append(all, "not claiming since "+w.NotClaiming.Format(time.RFC3339))
	}
	if w.Draining {
		all = append(all, "draining")
	}
	if w.Fallback {
		all = append(all, "fallback")
	}
	return cmp.Or(strings.Join(all, "; "), "takes jobs")
}

// versions are those of the worker and of what renders.
func (w shownWorker) versions() string {
	if w.Machine == nil || w.Machine.Renderer == "" {
		return w.Version
	}
	return strings.TrimPrefix(w.Version+", "+w.Machine.Renderer, ", ")
}

func (w shownWorker) printJobs(out io.Writer) error {
	fmt.Fprintf(out, "\nRenders %d of %d jobs\n", len(w.Jobs), w.Capacity)
	if len(w.Jobs) == 0 {
		return nil
	}
	table := newTable(out, "JOB", "TOOL", "MODEL", "ACCOUNT", "SINCE", "PROGRESS")
	for _, j := range w.Jobs {
		table.row(j.JobID, j.ToolName, j.ModelID, nameOf(j.Username, string(j.WalletAddress)), j.StartedAt.Format(time.RFC3339), percent(j.Progress))
	}
	return table.flush()
}

func percent(part float64) string { return strconv.FormatFloat(100*part, 'f', 0, 64) + " %" }

// printMachine prints each measure of the machine as it is now, and over time.
func (w shownWorker) printMachine(out io.Writer) error {
	if w.Machine == nil {
		_, err := fmt.Fprintln(out, "\nIt has reported nothing about its machine.")
		return err
	}
	fmt.Fprintf(out, "\nMachine as of %s, and the last %s\n", w.Machine.ReportedAt.Format(time.RFC3339), w.History.Window)
	table := newTable(out)
	for i, g := range w.Machine.GPUs {
		past := func(of func(apitype.GPUHistory) *float64) string {
			return w.sparkline(func(p apitype.WorkerHistoryPoint) *float64 {
				if i >= len(p.GPUs) {
					return nil
				}
				return of(p.GPUs[i])
			})
		}
		gpu := "GPU " + strconv.Itoa(i)
		table.row(gpu, g.Name)
		table.row(gpu+" memory", memoryOf(g), past(func(h apitype.GPUHistory) *float64 { return share(h.MemoryUsedBytes, h.MemoryTotalBytes) }))
		table.row(gpu+" temperature", measure(g.TemperatureCelsius, "°C"), past(func(h apitype.GPUHistory) *float64 { return h.TemperatureCelsius }))
		table.row(gpu+" power", measure(g.PowerWatts, "W"), past(func(h apitype.GPUHistory) *float64 { return h.PowerWatts }))
	}
	table.row("Free disk", diskOf(&w.Machine.Machine), w.sparkline(func(p apitype.WorkerHistoryPoint) *float64 { return whole(p.DiskFreeBytes) }))
	return table.flush()
}

func (w shownWorker) printFailures(out io.Writer) error {
	if len(w.Failures) == 0 {
		_, err := fmt.Fprintln(out, "\nNo job has failed on it since it connected.")
		return err
	}
	fmt.Fprintln(out, "\nThe last jobs that failed on it")
	table := newTable(out, "JOB", "TOOL", "MODEL", "AT", "CODE", "MESSAGE")
	for _, f := range w.Failures {
		table.row(f.JobID, f.ToolName, f.ModelID, f.EndedAt.Format(time.RFC3339), f.Code, f.Message)
	}
	return table.flush()
}

// memoryOf is the memory of a GPU: used and all.
func memoryOf(g apitype.GPU) string {
	used := g.UsedBytes()
	if used == nil {
		return ""
	}
	return size(*used) + " of " + size(*g.MemoryTotalBytes)
}

// diskOf is the free space of a machine, and all.
func diskOf(m *apitype.Machine) string {
	switch {
	case m.DiskFreeBytes == nil:
		return ""
	case m.DiskTotalBytes == nil:
		return size(*m.DiskFreeBytes)
	}
	return size(*m.DiskFreeBytes) + " of " + size(*m.DiskTotalBytes)
}

func measure(n *float64, unit string) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', 0, 64) + " " + unit
}

func whole(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

func share(part, all *int64) *float64 {
	if part == nil || all == nil || *all == 0 {
		return nil
	}
	return new(float64(*part) / float64(*all))
}

// bars are the heights of a sparkline.
var bars = []rune("▁▂▃▄▅▆▇█")

// sparkline draws a measure over time between its least and its largest value. Steps without one are
// dots, and without any there is nothing to draw.
func (w shownWorker) sparkline(of func(apitype.WorkerHistoryPoint) *float64) string {
	var known []float64
	for _, p := range w.History.Points {
		if n := of(p); n != nil {
			known = append(known, *n)
		}
	}
	if len(known) == 0 {
		return ""
	}
	least, most := slices.Min(known), slices.Max(known)
	var line strings.Builder
	for _, p := range w.History.Points {
		n := of(p)
		if n == nil {
			line.WriteRune('·')
			continue
		}
		height := 0
		if most > least {
			height = int((*n - least) / (most - least) * float64(len(bars)-1))
		}
		line.WriteRune(bars[height])
	}
	return line.String()
}
