package comfyui

import (
	"context"
	"slices"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
)

// memory is what one ComfyUI has loaded, as far as the worker knows. ComfyUI keeps
// models while its memory lasts, unloads some when it needs space, and does not say
// which it has. To free its memory is expensive, also for files that the next model
// shares, so it is asked to only when it has run out of memory, or is known to do so.
type memory struct {
	loaded []loadedModel      // the most recently used first
	tight  map[[2]string]bool // models that did not fit into memory after another
}

// loadedModel is a model and the files that it is made of.
type loadedModel struct {
	id    string
	files []string
}

// has reports whether a model is loaded.
func (m *memory) has(id string) bool {
	return slices.ContainsFunc(m.loaded, func(x loadedModel) bool { return x.id == id })
}

// shares reports whether a loaded model has a file of these.
func (m *memory) shares(files []string) bool {
	return slices.ContainsFunc(m.loaded, func(x loadedModel) bool { return x.shares(files) })
}

func (x loadedModel) shares(files []string) bool {
	return slices.ContainsFunc(x.files, func(f string) bool { return slices.Contains(files, f) })
}

// use records that a model is used now.
func (m *memory) use(x loadedModel) {
	m.loaded = slices.DeleteFunc(m.loaded, func(y loadedModel) bool { return y.id == x.id })
	m.loaded = slices.Insert(m.loaded, 0, x)
}

// tooFull reports whether a model is known to run out of memory beside one that is
// loaded.
func (m *memory) tooFull(x loadedModel) bool {
	return slices.ContainsFunc(m.loaded, func(y loadedModel) bool { return m.tight[[2]string{x.id, y.id}] })
}

// prepare prepares an instance for a model. It reports whether the model has to be
// loaded.
func (i *instance) prepare(ctx context.Context, x loadedModel, pause time.Duration) (bool, error) {
	i.mu.Lock()
	isSwitch, full := !i.memory.has(x.id), i.memory.tooFull(x)
	i.mu.Unlock()
	if isSwitch && full {
		if err := i.free(ctx, pause); err != nil {
			return false, err
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.memory.use(x)
	return isSwitch, nil
}

// free makes ComfyUI unload its models. ComfyUI does so between two prompts: one that
// is queued at once would run first, and lose its model after.
func (i *instance) free(ctx context.Context, pause time.Duration) error {
	if err := i.api.free(ctx); err != nil {
		return err
	}
	i.mu.Lock()
	i.memory.loaded = nil
	i.mu.Unlock()
	if !clock.Sleep(ctx, pause) {
		return ctx.Err()
	}
	return nil
}

// ranOut records that ComfyUI ran out of memory with a model: it has unloaded
// everything. It returns the other models that were loaded.
func (i *instance) ranOut(id string) []loadedModel {
	i.mu.Lock()
	defer i.mu.Unlock()
	others := slices.DeleteFunc(i.memory.loaded, func(y loadedModel) bool { return y.id == id })
	i.memory.loaded = nil
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
