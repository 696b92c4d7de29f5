package comfyui

import (
	"context"
	"slices"
	"strings"
	"time"
)

// noteLoaded records what a prompt shows of the models in the memory of its instance, and
// reports files that were read.
func (r *Renderer) noteLoaded(i *instance, o *order, p *run, rec *record, err error, u use) {
	if err != nil {
		i.noteFailed(p, rec, u)
		return
	}
	took, known := rec.took()
	r.brief.note(o, took, known)
	isRead := u.isNew // what was expected, of versions that do not say
	if ran, known := rec.ran(p.graph); known {
		isRead = false
		for id := range p.reads {
			isRead = isRead || ran[id]
		}
	}
	if i.learn(u, isRead, p.loaded) {
		r.strays.Go(func() { i.advise() })
	}
	if !isRead {
		return
	}
	r.opts.Log.Info("model switched", "comfyui", i.api.name(), "job", o.task.JobID, "model", o.task.ModelID, "seconds", p.loaded.Seconds())
	if o.task.Switched != nil {
		o.task.Switched(p.loaded)
	}
}

// noteFailed records that a prompt did not come to its end. When it failed, or did not begin, its
// model may not be in memory.
func (i *instance) noteFailed(p *run, rec *record, u use) {
	if rec == nil && p.begun {
		return
	}
	i.mu.Lock()
	i.memory.forget(u.model.id)
	i.mu.Unlock()
	i.changed()
}

// learn applies what the record of a prompt shows. It reports whether ComfyUI has read
// dropped models so often that it could be started otherwise.
func (i *instance) learn(u use, isRead bool, took time.Duration) bool {
	defer i.changed()
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.memory.reloads
	i.memory.learn(u, isRead, took)
	return before < manyReloads && i.memory.reloads == manyReloads
}

// manyReloads is how many reloads are worth a line in the log.
const manyReloads = 3

// advise tells the owner once, by the log, how ComfyUI can keep its models when its machine
// has the memory: when what is free is as much as all that is in use.
func (i *instance) advise() {
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	stats, err := i.api.stats(ctx)
	if err != nil || stats.System.Free < stats.System.Total/2 || stats.System.Total == 0 ||
		slices.ContainsFunc(stats.System.Arguments, func(s string) bool { return strings.HasPrefix(s, "--cache-") }) {
		return
	}
	i.mu.Lock()
	reloads, took := i.memory.reloads, i.memory.reloading
	i.mu.Unlock()
	i.log.Info("ComfyUI drops models between jobs and reads them again, although memory is free: start it with --cache-lru 60",
		"comfyui", i.api.name(), "reads", reloads, "seconds", took.Seconds(), "free_memory_gb", stats.System.Free>>30, "memory_gb", stats.System.Total>>30)
}
