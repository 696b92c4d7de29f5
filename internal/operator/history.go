package operator

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/telemetry"
)

const (
	// SampleInterval is how often each node takes a sample.
	SampleInterval = time.Minute

	// sampleAge is how long samples are kept: a day longer than the longest window.
	sampleAge = 8 * 24 * time.Hour

	// sampleDelay is how old the last sample of a node that runs may be.
	sampleDelay = 3 * SampleInterval
)

// windows are the lengths of histories, and those of their steps.
var windows = map[apitype.HistoryWindow]struct{ length, step time.Duration }{
	apitype.HistoryHour: {time.Hour, time.Minute},
	apitype.HistoryDay:  {24 * time.Hour, 15 * time.Minute},
	apitype.HistoryWeek: {7 * 24 * time.Hour, time.Hour},
}

// Sample stores what this node sees now, and has done since its sample before. Every node writes
// its own rows, so that none depends on another; what they have counted adds up.
func (e *Engine) Sample(ctx context.Context) error { return e.sample(ctx, true) }

// SampleCounts does so for a node that begins or ends, and leaves out how many jobs, workers and nodes there are: its
// own workers are not connected at that moment, and the process that takes its place in the same minute is no second
// node.
func (e *Engine) SampleCounts(ctx context.Context) error { return e.sample(ctx, false) }

func (e *Engine) sample(ctx context.Context, hasLevels bool) error {
	s := store.NodeSample{Node: e.fleet.Node(), At: e.opts.Now(), Memory: telemetry.MemoryHeld(), Free: -1}
	if e.opts.FreeSpace != nil {
		if free, err := e.opts.FreeSpace(); err == nil {
			s.Free = free
		}
	}
	err := e.db.Read(ctx, func(tx *store.Tx) error {
		if !hasLevels {
			s.Queued, s.Active, s.Workers = store.NoLevels, store.NoLevels, store.NoLevels
			return nil
		}
		s.Queued, s.Active, s.Workers = 0, 0, 0
		counts, err := tx.CountQueues()
		if err != nil {
			return err
		}
		for _, c := range counts {
			if c.Network != atelier.NetworkNode {
				s.Queued, s.Active = s.Queued+c.Queued, s.Active+c.Active
			}
		}
		online, err := tx.CountOnline(e.fleet.ConnectedSince(s.At))
		for _, workers := range online {
			s.Workers += workers
		}
		return err
	})
	if err != nil {
		return err
	}
	t := e.fleet.TakeTally()
	s.Started, s.Completed, s.Failed, s.Waits = t.Started, t.Completed, t.Failed, t.Waits
	machines := e.fleet.MachineSamples(s.At)
	for i, m := range machines {
		machines[i].Expires = machineExpiry(m.At)
	}
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		if err := tx.InsertSample(s); err != nil {
			return err
		}
		return tx.InsertWorkerSamples(machines)
	})
	if err != nil {
		e.fleet.ReturnTally(t)
		return err
	}
	return nil
}

// History reads what the nodes have seen in the last hour, day or week.
func (o Operator) History(ctx context.Context, w apitype.HistoryWindow) (apitype.History, error) {
	frame, err := o.newFrame(w)
	if err != nil {
		return apitype.History{}, err
	}
	steps := make([]step, frame.steps+1)
	err = o.db.SnapshotBehind(ctx, func(tx *store.Tx) error {
		clear(steps)
		minutes, err := tx.MinuteSamples(frame.since)
		if err != nil {
			return err
		}
		for _, m := range minutes {
			steps[frame.at(m.At)].add(m)
		}
		return tx.MinuteWaits(frame.since, func(t time.Time, waits map[int]int64) { steps[frame.at(t)].wait(waits) })
	})
	h := apitype.History{Window: w, StepSeconds: int(frame.step.Seconds()), Points: make([]apitype.HistoryPoint, frame.steps)}
	for i, s := range steps[:frame.steps] {
		h.Points[i] = s.point()
		h.Points[i].At = frame.begin(i)
	}
	return h, err
}

// frame is the steps of a history.
type frame struct {
	since time.Time
	step  time.Duration
	steps int // that are shown
}

// newFrame is the steps of a window that ends now.
func (o Operator) newFrame(w apitype.HistoryWindow) (frame, error) {
	window, ok := windows[w]
	if !ok {
		return frame{}, atelier.Refuse("window", "must be hour, day or week.")
	}
	// The last step has the minute before this one, whose samples are complete.
	until := o.opts.Now().Add(-SampleInterval).Truncate(window.step).Add(window.step)
	return frame{until.Add(-window.length), window.step, int(window.length / window.step)}, nil
}

// at is the step of a time. The one after the last is of minutes that are not shown yet.
func (f frame) at(t time.Time) int { return min(int(t.Sub(f.since)/f.step), f.steps) }

// begin is when a step begins.
func (f frame) begin(i int) time.Time { return f.since.Add(time.Duration(i) * f.step).UTC() }

// step is the samples of a step of a history: what is counted, as sums of its minutes.
type step struct {
	minutes int64
	levels  int64              // of those minutes: how many have levels
	sums    store.MinuteSample // with the largest memory and the smallest free space
	waits   fleet.Waits
}

func (s *step) add(m store.MinuteSample) {
	sums := &s.sums
	switch {
	case s.minutes == 0 || sums.Free < 0:
		sums.Free = m.Free
	case m.Free >= 0:
		sums.Free = min(sums.Free, m.Free)
	}
	s.minutes++
	if m.Nodes > 0 {
		s.levels++
		sums.Queued, sums.Active, sums.Workers, sums.Nodes = sums.Queued+m.Queued, sums.Active+m.Active, sums.Workers+m.Workers, sums.Nodes+m.Nodes
	}
	sums.Started, sums.Completed, sums.Failed = sums.Started+m.Started, sums.Completed+m.Completed, sums.Failed+m.Failed
	sums.Memory = max(sums.Memory, m.Memory)
}

func (s *step) wait(waits map[int]int64) {
	if s.waits == nil {
		s.waits = fleet.Waits{}
	}
	s.waits.Add(waits)
}

func (s *step) point() (p apitype.HistoryPoint) {
	if s.minutes == 0 {
		return p
	}
	mean := func(sum int64) *float64 {
		if s.levels == 0 {
			return nil
		}
		return new(float64(sum) / float64(s.levels))
	}
	p.Queued, p.Active, p.Workers, p.Nodes = mean(s.sums.Queued), mean(s.sums.Active), mean(s.sums.Workers), mean(s.sums.Nodes)
	p.Started, p.Completed, p.Failed, p.MemoryBytes = &s.sums.Started, &s.sums.Completed, &s.sums.Failed, &s.sums.Memory
	if s.sums.Free >= 0 {
		p.FreeBytes = &s.sums.Free
	}
	quantile := func(part float64) *float64 {
		d, ok := s.waits.Quantile(part)
		if !ok {
			return nil
		}
		return new(d.Round(time.Millisecond).Seconds())
	}
	p.WaitP50Seconds, p.WaitP95Seconds = quantile(0.5), quantile(0.95)
	return p
}
