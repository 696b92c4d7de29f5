package schedule

import (
	"cmp"
	"slices"
	"time"

	"github.com/atelier-project/atelier"
)

// Snapshot is what a decision depends on.
type Snapshot struct {
	Now    time.Time
	Claims []*Worker // whose claims wait, in the order of arrival: a worker is listed once for each
	Due    []Job     // the jobs at the front of the queue, in the order that they are due

	Further []Job    // jobs behind those, in the order of the queue; needed for the workers that Searching lists
	Renders []Render // what workers render now; needed if IsSwitching
}

// Job is a queued job.
type Job struct {
	ID         atelier.JobID
	Model      string
	Start      int64 // its place in the order of turns, if the jobs of its account took no time
	IsLate     bool  // it has waited so long that workers take it that list its model as late
	IsExternal bool  // a vendor may be rendering it
	IsLast     bool  // it is not tried again if it fails

	CreatedAt time.Time
	PassedAt  time.Time // since when later jobs are taken before it; zero while none was
	LeftAt    time.Time // since when it is left to a worker that will soon be done; zero while it was not

	Takers     []atelier.Wallet // whose workers alone get it, and no fallback workers; any if it is empty
	NoFallback bool             // no fallback worker gets it, however late it is

	AvoidedBy []atelier.WorkerID // workers that leave it to others, because they have dropped it
}

// Worker is a worker that claims jobs.
type Worker struct {
	ID       atelier.WorkerID
	Wallet   atelier.Wallet
	Fallback bool
	Models   []string // whose jobs it may get
	Late     []string // whose jobs it may get when they are late
	External []string // whose jobs it may get although a vendor may be rendering them

	Better []string // models that workers in good standing serve too, if its own is low: it gets their jobs as trials
	Trials int      // how many trials it may get now
	Name   string   // of the worker, whose sessions share them; may be empty

	Capacity int      // jobs at once
	Free     int      // how many more it can take
	IsEnding bool     // it is still at work on other jobs, which are about to end
	Loaded   []string // models in its memory, as it has reported
	Recent   []string // models of the jobs that it got since, newest first
}

// Render is a job that a worker renders now.
type Render struct {
	Worker    atelier.WorkerID
	Model     string
	Remaining time.Duration
}

// HasLoaded reports whether a worker that reports loaded models renders jobs of a model
// without loading another one: it has reported so, or got such a job since. A worker of
// one job at once that got a job of another model since has replaced what it reported.
func (w *Worker) HasLoaded(model string) bool {
	isOutdated := w.Capacity == 1 && len(w.Recent) > 0 && !slices.Contains(w.Loaded, w.Recent[0])
	return slices.Contains(w.Recent, model) || (!isOutdated && slices.Contains(w.Loaded, model))
}

// offers reports whether a worker renders such jobs.
func (w *Worker) offers(j *Job) bool {
	return (slices.Contains(w.Models, j.Model) || (j.IsLate && slices.Contains(w.Late, j.Model))) &&
		(!j.IsExternal || slices.Contains(w.External, j.Model))
}

// trialKey is what a worker shares its trials as.
func (w *Worker) trialKey() string { return cmp.Or(w.Name, string(w.ID)) }

// isTrial reports whether a worker gets a job to show that it can render, though others render it
// more surely.
func (w *Worker) isTrial(j *Job) bool { return slices.Contains(w.Better, j.Model) }

// mustLeave reports whether a job is for other workers than this one, whatever its standing is.
func (w *Worker) mustLeave(j *Job) bool {
	if j.NoFallback && w.Fallback {
		return true
	}
	if len(j.Takers) > 0 && (w.Fallback || !slices.ContainsFunc(j.Takers, w.Wallet.Equal)) {
		return true
	}
	return slices.Contains(j.AvoidedBy, w.ID)
}

// A job that is passed over for the first time when it has waited for some time may be
// passed over for half as long again, at least leastHold and at most mostHold.
//
// A job is first passed over when its turn comes, so it waits at most half as long again
// as in the order of the queue, or leastHold longer, which is about what it takes to
// load a model. How long it waits for its turn is not the same in both orders, though:
// where it is placed in a round of the accounts depends on what was rendered before. The
// other half is for that, so that no job waits more than twice as long.
const (
	leastHold = 7 * time.Second
	mostHold  = 30 * time.Second
)

// isOverdue reports whether no later job may be taken before this one any more.
func (j *Job) isOverdue(now time.Time) bool {
	return !j.PassedAt.IsZero() && now.Sub(j.PassedAt) >= min(max(j.PassedAt.Sub(j.CreatedAt)/2, leastHold), mostHold)
}
