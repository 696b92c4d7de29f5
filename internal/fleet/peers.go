package fleet

import (
	"maps"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/fleet/schedule"
	"github.com/atelier-project/atelier/internal/store"
)

// peers remembers which jobs were left to workers that will soon be done.
type peers struct {
	mu    sync.Mutex
	left  map[atelier.JobID]time.Time // since when
	again *time.Timer                 // looks at them again
}

// leftAt is since when a job is left; zero when it is not.
func (p *peers) leftAt(id atelier.JobID) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.left[id]
}

// note records which jobs are left now, and has them looked at again.
func (p *peers) note(left []atelier.JobID, now time.Time, look func()) {
	if len(left) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.left, func(_ atelier.JobID, at time.Time) bool { return now.Sub(at) >= time.Minute })
	for _, id := range left {
		if _, known := p.left[id]; !known {
			p.left[id] = now
		}
	}
	if p.again == nil {
		p.again = time.AfterFunc(schedule.LeaveFor, func() {
			p.mu.Lock()
			p.again = nil
			p.mu.Unlock()
			look()
		})
	}
}

// renderTimes remembers how long jobs of each model take, on this node.
type renderTimes struct {
	mu      sync.Mutex
	typical map[string]time.Duration
}

// note records how long a job took.
func (r *renderTimes) note(model string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.typical == nil {
		r.typical = map[string]time.Duration{}
	}
	if before, known := r.typical[model]; known {
		took = (3*before + took) / 4
	}
	r.typical[model] = took
}

// remaining estimates how much longer a render takes, by its progress, or else by what is
// typical for its model. What is not known takes long.
func (r *renderTimes) remaining(j store.LeasedJob, now time.Time) time.Duration {
	const least = 0.05 // progress that says something
	elapsed := now.Sub(j.StartedAt)
	if j.Progress >= least {
		return time.Duration(float64(elapsed) * (1 - j.Progress) / j.Progress)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if typical, known := r.typical[j.ModelID]; known {
		return max(0, typical-elapsed)
	}
	return time.Hour
}
