package comfyui

import (
	"context"
	"slices"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
)

// memory is what one ComfyUI has loaded, as its records show. By default it drops the models
// of a prompt when the next one does not use them; with --cache-lru it keeps those of some
// prompts more. How many it keeps shows when a model is used again: its files are in the
// cache, or are read. To free its memory is expensive, also for files that the next model
// shares, so it is asked to only when it has run out of memory, or is known to do so.
type memory struct {
	used  []loadedModel      // by its prompts, the most recently used first
	kept  int                // how many of those it has kept; the newest always counts
	tight map[[2]string]bool // models that did not fit into memory after another

	reloads   int           // how often a model was read again that had been dropped
	reloading time.Duration // how long that took
}

// loadedModel is a model and the files that it is made of.
type loadedModel struct {
	id    string
	files []string
}

// loaded are the models whose files are all in memory.
func (m *memory) loaded() []loadedModel {
	kept := min(max(1, m.kept), len(m.used))
	var files []string
	for _, x := range m.used[:kept] {
		files = append(files, x.files...)
	}
	out := slices.Clone(m.used[:kept])
	for _, x := range m.used[kept:] {
		if len(x.missing(files)) == 0 {
			out = append(out, x)
		}
	}
	return out
}

// has reports whether a model is loaded.
func (m *memory) has(id string) bool {
	return slices.ContainsFunc(m.loaded(), func(x loadedModel) bool { return x.id == id })
}

// shares reports whether a loaded model has a file of these.
func (m *memory) shares(files []string) bool {
	return slices.ContainsFunc(m.loaded(), func(x loadedModel) bool { return x.shares(files) })
}

func (x loadedModel) shares(files []string) bool { return len(x.missing(files)) < len(x.files) }

// missing are the files of a model that are not among some files.
func (x loadedModel) missing(files []string) []string {
	return slices.DeleteFunc(slices.Clone(x.files), func(f string) bool { return slices.Contains(files, f) })
}

// use is one use of a model by a prompt.
type use struct {
	model loadedModel
	isNew bool // it was not loaded before, as far as was known

	// How many other models were used since its last use; negative when that is not known,
	// or when these have all its files, so that it shows nothing to find them in memory.
	others int
}

// use records that a prompt will use a model.
func (m *memory) use(x loadedModel) use {
	u := use{model: x, isNew: !m.has(x.id), others: slices.IndexFunc(m.used, func(y loadedModel) bool { return y.id == x.id })}
	if u.others > 0 {
		var files []string
		for _, y := range m.used[:u.others] {
			files = append(files, y.files...)
		}
		if len(x.missing(files)) == 0 {
			u.others = -1
		}
	}
	m.forget(x.id)
	m.used = slices.Insert(m.used, 0, x)
	return u
}

// forget removes a model that was not loaded after all.
func (m *memory) forget(id string) {
	m.used = slices.DeleteFunc(m.used, func(y loadedModel) bool { return y.id == id })
}

// learn learns from the record of a prompt whether ComfyUI has kept the model since its last
// use, or has read files of it, which took some time.
func (m *memory) learn(u use, isRead bool, took time.Duration) {
	switch {
	case !isRead && u.others >= 0:
		m.kept = max(m.kept, u.others+1)
	case isRead && u.others > 0:
		m.kept = min(m.kept, u.others)
		m.reloads++
		m.reloading += took
	}
}

// tooFull reports whether a model is known to run out of memory beside one that may be
// loaded.
func (m *memory) tooFull(x loadedModel) bool {
	return slices.ContainsFunc(m.used, func(y loadedModel) bool { return m.tight[[2]string{x.id, y.id}] })
}

// prepare prepares an instance for a model.
func (i *instance) prepare(ctx context.Context, x loadedModel, pause time.Duration) (use, error) {
	i.mu.Lock()
	isFull := !i.memory.has(x.id) && i.memory.tooFull(x)
	i.mu.Unlock()
	if isFull {
		if err := i.free(ctx, pause); err != nil {
			return use{}, err
		}
	}
	i.mu.Lock()
	u := i.memory.use(x)
	i.mu.Unlock()
	i.changed()
	return u, nil
}

// free makes ComfyUI unload its models. ComfyUI does so between two prompts: one that
// is queued at once would run first, and lose its model after.
func (i *instance) free(ctx context.Context, pause time.Duration) error {
	if err := i.api.free(ctx); err != nil {
		return err
	}
	i.mu.Lock()
	i.memory.used = nil
	i.mu.Unlock()
	if !clock.Sleep(ctx, pause) {
		return ctx.Err()
	}
	return nil
}

// ranOut records that ComfyUI ran out of memory with a model: it has unloaded
// everything. It returns the other models that may have been loaded.
func (i *instance) ranOut(id string) []loadedModel {
	i.mu.Lock()
	defer i.mu.Unlock()
	m := &i.memory
	m.forget(id)
	others := m.used[:min(max(1, m.kept), len(m.used))]
	m.used = nil
	return others
}

// remember records that a model did not fit beside others, but does alone. Of models
// that share files, one is loaded quickly after the other: that is worth a try each time.
func (i *instance) remember(x loadedModel, others []loadedModel) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, y := range others {
		if y.shares(x.files) {
			continue
		}
		if i.memory.tight == nil {
			i.memory.tight = map[[2]string]bool{}
		}
		i.memory.tight[[2]string{x.id, y.id}] = true
	}
	i.memory.use(x)
}
