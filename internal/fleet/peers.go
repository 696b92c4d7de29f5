package fleet

import (
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// leaveFor is how long a job is left to a worker that renders another job of its model and
// will soon be done.
const leaveFor = 3 * time.Second

// peers remembers which jobs were left to workers that will soon be done.
type peers struct {
	mu    sync.Mutex
	left  map[atelier.JobID]time.Time // since when
	again *time.Timer                 // looks at them again
}

// leave reports whether a job is left to a worker that renders a job of its model and is
// about to end it. Each such worker is left one job, and each job is left for a short
// while.
func (p *plan) leave(c store.Candidate, due []store.Candidate, renders []store.LeasedJob) bool {
	ending := 0
	for _, j := range renders {
		if j.ModelID == c.ModelID && p.engine.renderTimes.remaining(j, p.now) <= leaveFor {
			ending++
		}
	}
	for _, f := range due {
		if f.ID == c.ID {
			break
		}
		if f.ModelID == c.ModelID && !p.isTaken[f.ID] {
			ending--
		}
	}
	if ending <= 0 {
		return false
	}
	d := p.dispatcher
	m := &d.peers
	m.mu.Lock()
	defer m.mu.Unlock()
	since, known := m.left[c.ID]
	if known && p.now.Sub(since) >= leaveFor {
		return false
	}
	if !known {
		for id, at := range m.left {
			if p.now.Sub(at) >= time.Minute {
				delete(m.left, id)
			}
		}
		m.left[c.ID] = p.now
	}
	if m.again == nil {
		m.again = time.AfterFunc(leaveFor, func() {
			m.mu.Lock()
			m.again = nil
			m.mu.Unlock()
			d.nudge()
		})
	}
	return true
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
