package fleet

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// Tally counts the renders that this node has started and ended since it was last taken.
type Tally struct {
	Started, Completed, Failed int64
	Waits                      Waits // of those that started for the first time
}

// Add adds another tally.
func (t *Tally) Add(other Tally) {
	t.Started += other.Started
	t.Completed += other.Completed
	t.Failed += other.Failed
	if t.Waits == nil {
		t.Waits = Waits{}
	}
	t.Waits.Add(other.Waits)
}

// Waits are durations, counted by the logarithm of their milliseconds: they can be added up, and
// a quantile of them is within five percent.
type Waits map[int]int64

// waitGrowth is by how much the durations of one count exceed those of the count before.
const waitGrowth = 1.1

// Note counts a duration.
func (w Waits) Note(d time.Duration) {
	w[int(math.Ceil(math.Log(float64(max(d.Milliseconds(), 1)))/math.Log(waitGrowth)))]++
}

// Add adds other durations.
func (w Waits) Add(other map[int]int64) {
	for i, n := range other {
		w[i] += n
	}
}

// Quantile is a duration that the given part of all does not exceed. It reports false when
// there are none.
func (w Waits) Quantile(part float64) (time.Duration, bool) {
	var all, counted int64
	for _, n := range w {
		all += n
	}
	for _, i := range slices.Sorted(maps.Keys(w)) {
		counted += w[i]
		if float64(counted) >= part*float64(all) {
			// The middle of what is counted here, by ratio.
			return time.Duration(math.Pow(waitGrowth, float64(i)) * 2 / (1 + waitGrowth) * float64(time.Millisecond)), true
		}
	}
	return 0, false
}

// tally is the one of an engine.
type tally struct {
	mu sync.Mutex
	Tally
}

// add counts what a function says.
func (t *tally) add(count func(*Tally)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	count(&t.Tally)
}

// noteStart counts a render that a worker has taken. Its wait is that until the first worker took it.
func (t *tally) noteStart(j atelier.Job) {
	if j.Network == atelier.NetworkNode {
		return
	}
	t.add(func(t *Tally) {
		t.Started++
		if j.Leases == 1 {
			if t.Waits == nil {
				t.Waits = Waits{}
			}
			t.Waits.Note(j.StartedAt.Sub(j.CreatedAt))
		}
	})
}

// noteEnd counts a render that is over.
func (t *tally) noteEnd(j atelier.Job) {
	if j.Network == atelier.NetworkNode {
		return
	}
	t.add(func(t *Tally) {
		switch j.State {
		case atelier.JobCompleted:
			t.Completed++
		case atelier.JobFailed:
			t.Failed++
		}
	})
}

// TakeTally returns what was counted since it was last called.
func (e *Engine) TakeTally() (out Tally) {
	e.tally.add(func(t *Tally) { out, *t = *t, Tally{} })
	return out
}

// ReturnTally counts again what was taken and could not be stored.
func (e *Engine) ReturnTally(t Tally) { e.tally.add(func(own *Tally) { own.Add(t) }) }

// Node is the name of this process among workers.
func (e *Engine) Node() string { return e.opts.Node }
