package comfyui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
)

// pool is the instances of one renderer.
type pool struct {
	instances []*instance
	library   *Library
	pace      pace
}

// probed is an instance that has just answered.
type probed struct {
	*instance
	binding *binding
	load    int // prompts in its queue, of any client
	missing []string
}

// acquire picks the instance for an order: of those that answer and have what the
// graph needs, the least loaded one, and among equals one that has loaded the
// model, or files of it, or the fewest others. It waits for a while when none answers.
// The returned function releases the instance.
func (p *pool) acquire(ctx context.Context, o *order, report func(float64, string)) (*instance, *binding, func(), error) {
	for began := time.Now(); ; {
		found, err := p.probe(ctx, o)
		if ctx.Err() != nil {
			return nil, nil, nil, ctx.Err()
		}
		able := slices.DeleteFunc(slices.Clone(found), func(x probed) bool { return x.binding == nil })
		if len(able) > 0 {
			best := p.choose(able, o.task.ModelID)
			return best.instance, best.binding, func() { best.release() }, nil
		}
		if len(found) == len(p.instances) {
			least := slices.MinFunc(found, func(a, b probed) int { return len(a.missing) - len(b.missing) })
			return nil, nil, nil, dropped("No ComfyUI server of this worker has everything that %s needs. Missing: %s.", o.task.ModelID, listed(least.missing))
		}
		if time.Since(began) > min(grace, p.pace.patience) {
			return nil, nil, nil, unavailable("%s.", publicReason(err))
		}
		report(0, "waiting for ComfyUI")
		if !clock.Sleep(ctx, max(p.pace.retry, p.pace.sweep/4)) {
			return nil, nil, nil, ctx.Err()
		}
	}
}

// grace is how long a job that no instance has accepted waits for one to answer, before
// it is given back for other workers.
const grace = 10 * time.Second

// unavailable is why nothing can be rendered now, for the owner of the worker and as customers read
// it; empty while an instance answers and is in service.
func (p *pool) unavailable() (reason, cause string) {
	var failed error
	for _, i := range p.instances {
		i.mu.Lock()
		answers, err := i.survey != nil && i.away == nil && i.ill == nil, i.away
		if err == nil && i.ill != nil {
			err = fmt.Errorf("ComfyUI at %s is out of service: %w", i.api.name(), i.ill.outageError)
		}
		i.mu.Unlock()
		if answers {
			return "", ""
		}
		failed = cmp.Or(failed, err)
	}
	if len(p.instances) == 1 {
		return failed.Error(), publicReason(failed)
	}
	var out *outageError
	if errors.As(failed, &out) {
		return fmt.Sprintf("None of %d ComfyUI servers is in service: %v", len(p.instances), failed), publicReason(failed)
	}
	return fmt.Sprintf("None of %d ComfyUI servers answers: %v", len(p.instances), failed), publicReason(failed)
}

// probe asks all instances in parallel for their load. The error is that of one
// that did not answer.
func (p *pool) probe(job context.Context, o *order) (found []probed, err error) {
	ctx, cancel := context.WithTimeout(job, callTime)
	defer cancel()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, i := range p.instances {
		wg.Go(func() {
			if out := i.outage(); out != nil {
				mu.Lock()
				defer mu.Unlock()
				err = out
				return
			}
			s, failed := i.surveyed(ctx, p.library)
			var load int
			if failed == nil {
				load, failed = i.api.load(ctx)
			}
			if failed != nil && job.Err() == nil {
				i.leave(failed)
			}
			mu.Lock()
			defer mu.Unlock()
			if failed != nil {
				err = failed
				return
			}
			key := pair{o.mapping, o.model.ID}
			found = append(found, probed{i, s.ready[key], load, s.missing[key]})
		})
	}
	wg.Wait()
	return found, err
}

// choose takes the best of some instances. It runs under a lock, so that concurrent
// jobs count each other.
func (p *pool) choose(able []probed, model string) probed {
	slices.SortFunc(able, func(a, b probed) int { // in the order in which they were named
		return slices.Index(p.instances, a.instance) - slices.Index(p.instances, b.instance)
	})
	for _, i := range p.instances {
		i.mu.Lock()
		defer i.mu.Unlock()
	}
	best := slices.MinFunc(able, func(a, b probed) int {
		return cmp.Or(a.waiting()-b.waiting(), a.loading(model)-b.loading(model), a.ending-b.ending)
	})
	best.busy++
	return best
}

// waiting is how many jobs an instance does first, without those that are about to end.
func (x probed) waiting() int { return max(0, max(x.load, x.busy)-x.ending) }

// loading compares how long instances load a model: nothing when they have it, less
// when they have files of it. One that has fewer models is likely to have the space.
func (x probed) loading(model string) int {
	switch {
	case x.memory.has(model):
		return 0
	case x.memory.shares(x.binding.files):
		return 1
	}
	return 2 + len(x.memory.loaded())
}

func (i *instance) release() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.busy--
}

// announceEnd returns a function to call when a job is about to be rendered, so that the instance
// can get another one, and one to call when the job has ended.
func (i *instance) announceEnd(say func()) (announce, ended func()) {
	var once sync.Once
	n := 0
	count := func(by int) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.ending += by
	}
	announce = func() {
		once.Do(func() {
			n = 1
			count(1)
			if say != nil {
				say()
			}
		})
	}
	return announce, func() {
		once.Do(func() {}) // a later announcement says nothing
		count(-n)
	}
}
