package comfyui

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/worker"
)

// surveyAll surveys every instance, until one has answered.
func (r *Renderer) surveyAll(ctx context.Context) error {
	for pause := (clock.Backoff{First: r.opts.Retry, Most: 10 * time.Second}); ; {
		var failed error
		answered := false
		for _, i := range r.pool.instances {
			if _, err := i.surveyed(ctx, r.library); err != nil {
				failed = err
				i.leave(err)
				continue
			}
			answered = true
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case answered:
			return nil
		case !isUnreachable(failed):
			return failed // it answers with an error, which waiting does not change
		}
		if !clock.Sleep(ctx, pause.Next()) {
			return ctx.Err()
		}
	}
}

// Resurvey has the nodes and files of every ComfyUI read again.
func (r *Renderer) Resurvey() {
	select {
	case r.survey <- struct{}{}:
	default: // it will happen
	}
}

// watch notices when instances stop to answer, answer again, and have other nodes and
// files, until ctx ends.
func (r *Renderer) watch(ctx context.Context) {
	surveyed := time.Now()
	tick := time.NewTicker(r.opts.Sweep)
	defer tick.Stop()
	for {
		demanded := false
		select {
		case <-ctx.Done():
			return
		case <-r.survey:
			demanded = true
		case <-tick.C:
		}
		full := demanded || time.Since(surveyed) > r.opts.Survey
		if full {
			surveyed = time.Now()
			r.loras.cleanUp()
		}
		var wg sync.WaitGroup
		for _, i := range r.pool.instances {
			wg.Go(func() {
				i.look(ctx, r.library, full)
				r.retry(ctx, i)
			})
		}
		wg.Wait()
	}
}

// look finds out whether an instance answers, and surveys it when that is due.
func (i *instance) look(watch context.Context, l *Library, full bool) {
	ctx, cancel := context.WithTimeout(watch, callTime)
	defer cancel()
	var err error
	if full {
		_, err = i.surveyAgain(ctx, l)
	} else if _, err = i.surveyed(ctx, l); err == nil {
		_, err = i.api.load(ctx)
	}
	if err != nil && watch.Err() == nil {
		i.leave(err)
	}
}

// State implements worker.Monitored.
func (r *Renderer) State() (worker.State, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Loaded = []string{} // not nil, with which a heartbeat would leave what is recorded
	for _, id := range r.Loaded() {
		if slices.Contains(s.Models, id) {
			s.Loaded = append(s.Loaded, id)
		}
	}
	return s, r.changed
}

// update computes the state again, and announces a change. The service should know at once what
// is loaded: it chooses the next job by that. While nothing can be
// rendered, the models and the first reason stay.
func (r *Renderer) update() {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := worker.State{Models: r.Models()}
	next.Unavailable, next.Cause = r.pool.unavailable()
	if next.Unavailable == "" && len(next.Models) == 0 {
		next.Cause = "ComfyUI no longer has the files of any model that this worker offers"
		next.Unavailable = next.Cause
	}
	if next.Unavailable != "" {
		if r.state.Unavailable != "" {
			return
		}
		next.Models = r.state.Models
	}
	next.Loaded = r.Loaded()
	if next.Unavailable == r.state.Unavailable && slices.Equal(next.Models, r.state.Models) && slices.Equal(next.Loaded, r.state.Loaded) {
		return
	}
	r.state = next
	close(r.changed)
	r.changed = make(chan struct{})
}

// Models lists the models that can be rendered now: of the instances that answer, those
// that are to be offered.
func (r *Renderer) Models() []string {
	ids := map[string]bool{}
	for _, s := range r.surveys() {
		for p := range s.ready {
			if r.opts.Models == nil || slices.Contains(r.opts.Models, p.model) {
				ids[p.model] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// Missing lists, for each model that no instance can render, what is missing: for
// the instance and the graph that lack the least.
func (r *Renderer) Missing() map[string][]string {
	out := map[string][]string{}
	able := r.Models()
	for id, graphs := range r.lacks() {
		if slices.Contains(able, id) {
			continue
		}
		for _, missing := range graphs {
			if best, ok := out[id]; !ok || len(missing) < len(best) {
				out[id] = missing
			}
		}
	}
	return out
}

// Partial lists, for each model that can be rendered, its graphs that no instance can
// render, by name, and what is missing for each. Jobs that only such a graph accepts fail.
func (r *Renderer) Partial() map[string]map[string][]string {
	out := r.lacks()
	able := r.Models()
	maps.DeleteFunc(out, func(id string, _ map[string][]string) bool { return !slices.Contains(able, id) })
	return out
}

// lacks is what each graph of a model lacks that no instance can render, by the name of the
// graph: on the instance that lacks the least.
func (r *Renderer) lacks() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	surveys := r.surveys()
	for _, s := range surveys {
		for p, missing := range s.missing {
			if slices.ContainsFunc(surveys, func(s *survey) bool { return s.ready[p] != nil }) {
				continue
			}
			if out[p.model] == nil {
				out[p.model] = map[string][]string{}
			}
			if best, ok := out[p.model][p.mapping.name]; !ok || len(missing) < len(best) {
				out[p.model][p.mapping.name] = missing
			}
		}
	}
	return out
}

// Loaded are the models that the instances have in memory, as their records show.
func (r *Renderer) Loaded() []string {
	ids := map[string]bool{}
	for _, i := range r.pool.instances {
		i.mu.Lock()
		for _, x := range i.memory.loaded() {
			ids[x.id] = true
		}
		i.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(ids))
}

// surveys are those of the instances that answer.
func (r *Renderer) surveys() (out []*survey) {
	for _, i := range r.pool.instances {
		i.mu.Lock()
		if i.survey != nil && i.away == nil && i.ill == nil {
			out = append(out, i.survey)
		}
		i.mu.Unlock()
	}
	return out
}
