package comfyui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/worker"
)

// Render implements worker.Renderer.
func (r *Renderer) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	orders, err := r.library.orders(t)
	if err != nil {
		return nil, err
	}
	o := r.rendered(orders)
	whole, cancel := context.WithTimeout(ctx, r.opts.Longest)
	defer cancel()
	outputs, err := r.render(whole, o)
	if err != nil && whole.Err() != nil && ctx.Err() == nil {
		return nil, worker.Failf("The render took longer than %s.", r.opts.Longest)
	}
	return outputs, err
}

// rendered is the first of several graphs for a job that an instance can render.
func (r *Renderer) rendered(orders []*order) *order {
	for _, o := range orders {
		for _, s := range r.surveys() {
			if s.ready[pair{o.mapping, o.model.ID}] != nil {
				return o
			}
		}
	}
	return orders[0]
}

func (r *Renderer) render(ctx context.Context, o *order) ([]worker.Output, error) {
	var loras []loraFile
	for _, l := range o.task.Loras {
		o.task.Report(0, "fetching LoRAs")
		f, release, err := r.loras.hold(ctx, l)
		if err != nil {
			return nil, err
		}
		defer release()
		loras = append(loras, f)
	}
	for again := 0; ; again++ {
		outputs, err := r.attempt(ctx, o, loras)
		var moved *movedError
		switch {
		case !errors.As(err, &moved):
			return outputs, err
		case again == maxMoves:
			return nil, unavailable("ComfyUI disconnected repeatedly before it accepted the job: %v.", moved.error)
		}
		r.opts.Log.Warn("ComfyUI disconnected before it accepted the job", "job", o.task.JobID, "error", err)
	}
}

// maxMoves is how often a job moves to another instance.
const maxMoves = 4

// movedError says that an instance was lost before it had accepted a prompt, so
// that another one can do the job.
type movedError struct{ error }

func (e *movedError) Unwrap() error { return e.error }

// attempt renders a job on one instance.
func (r *Renderer) attempt(ctx context.Context, o *order, loras []loraFile) ([]worker.Output, error) {
	i, b, release, err := r.pool.acquire(ctx, o, o.task.Report)
	if err != nil {
		return nil, err
	}
	defer release()
	files, loaded, err := r.ready(ctx, i, o, loras)
	if err != nil {
		return nil, r.moved(ctx, i, err)
	}
	var outputs []worker.Output
	for n := range o.task.Artifacts {
		out, err := r.artifact(ctx, i, o, n, supplies{b, files, loaded})
		if err == nil {
			outputs = append(outputs, out)
			continue
		}
		var f *worker.Failure
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case n == 0 && isUnreachable(err):
			return nil, r.moved(ctx, i, err)
		case isUnreachable(err):
			i.leave(err)
			return nil, unavailable("%v.", err)
		case errors.As(err, &f) && f.Code != atelier.FailDropped && len(outputs) > 0:
			// The artifacts so far are delivered, and only they are paid for.
			r.opts.Log.Warn("render made fewer artifacts than ordered", "job", o.task.JobID, "made", len(outputs), "ordered", len(o.task.Artifacts), "reason", f.Message)
			return outputs, nil
		}
		if errors.As(err, &f) && slices.Contains([]string{atelier.FailOutOfMemory, atelier.FailDropped, atelier.FailUnavailable}, f.Code) {
			i.suspect() // it may have been restarted, with other nodes and files
		}
		return nil, err
	}
	return outputs, nil
}

// moved handles an instance that stopped answering before it accepted a prompt.
func (r *Renderer) moved(ctx context.Context, i *instance, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !isUnreachable(err) {
		return err
	}
	i.leave(err)
	return &movedError{err}
}

// ready prepares an instance for an order.
func (r *Renderer) ready(ctx context.Context, i *instance, o *order, loras []loraFile) (map[string]string, []loadedLora, error) {
	if err := i.prepare(ctx, o.task.ModelID); err != nil {
		return nil, nil, err
	}
	return i.supply(ctx, o, loras, r.pool.pace.sweep/5)
}

// artifact renders one artifact.
func (r *Renderer) artifact(ctx context.Context, i *instance, o *order, n int, s supplies) (worker.Output, error) {
	g, from, err := o.compose(n, s)
	if err != nil {
		return worker.Output{}, worker.Failf("The graph %s cannot be filled in: %v.", o.mapping.name, err)
	}
	p := &run{
		api: i.api, pace: r.pool.pace, log: r.opts.Log, graph: g, spawn: r.strays.Go,
		report: share(o.task.Report, n, len(o.task.Artifacts)),
	}
	if o.task.Preview != nil {
		p.show = func(contentType string, picture []byte) { o.task.Preview(o.task.Artifacts[n].ID, contentType, picture) }
	}
	rec, err := p.render(ctx)
	if err != nil {
		return worker.Output{}, err
	}
	p.report(1, "fetching the result")
	out, err := r.fetch(ctx, i, o, rec, from, n)
	if err != nil {
		return worker.Output{}, err
	}
	i.mu.Lock()
	version := ""
	if i.survey != nil {
		version = i.survey.version
	}
	i.mu.Unlock()
	out.Metadata = map[string]any{"graph": o.mapping.name, "comfyui": version}
	if names := o.unused(); len(names) > 0 {
		out.Metadata["unusedArguments"] = names
	}
	return out, nil
}

// fetch downloads an artifact. It retries for long: the render is done, and only
// the file is missing.
func (r *Renderer) fetch(ctx context.Context, i *instance, o *order, rec *record, from output, n int) (worker.Output, error) {
	for began := time.Now(); ; {
		out, err := o.fetch(ctx, i.api, rec, from, o.task.Artifacts[n], n, r.opts.MaxBytes)
		switch {
		case !isUnreachable(err):
			return out, err
		case time.Since(began) > r.opts.Patience:
			return out, lostComfyUI(i.api, r.opts.Patience)
		case !clock.Sleep(ctx, r.opts.Sweep/4):
			return out, ctx.Err()
		}
	}
}

// share turns the progress of one artifact into that of the job. A little is
// left for fetching and uploading.
func share(report func(float64, string), n, of int) func(float64, string) {
	var mu sync.Mutex
	var most float64
	return func(progress float64, message string) {
		mu.Lock()
		defer mu.Unlock()
		most = max(most, progress)
		if of > 1 {
			message = fmt.Sprintf("%d of %d: %s", n+1, of, message)
		}
		report((float64(n)+0.95*most)/float64(of), message)
	}
}
