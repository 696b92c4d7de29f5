package comfyui

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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
	if o := outageOf(err); o != nil {
		err = o // also when it is the worker's own disk
	}
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
			return nil, unavailable("No ComfyUI server has accepted the job in %d tries: %s.", maxMoves+1, publicReason(moved.error))
		}
		r.opts.Log.Warn("ComfyUI did not accept the job, will try again", "job", o.task.JobID, "error", err)
	}
}

// maxMoves is how often a job moves to another instance.
const maxMoves = 4

// movedError says that an instance was lost before it had accepted a prompt, or has
// other files than it had, so that the job is tried again, perhaps on another one.
type movedError struct{ error }

func (e *movedError) Unwrap() error { return e.error }

// handoverError says that an instance stopped answering while it was given the job, which
// may be the reason.
type handoverError struct{ error }

func (e *handoverError) Unwrap() error { return e.error }

// attempt renders a job on one instance. Failures do not name the instance, since customers
// read them: the log does.
func (r *Renderer) attempt(ctx context.Context, o *order, loras []loraFile) ([]worker.Output, error) {
	i, b, release, err := r.pool.acquire(ctx, o, o.task.Report)
	if err != nil {
		return nil, err
	}
	defer release()
	say, ended := i.announceEnd(o.task.Ending)
	defer ended()
	outputs, err := r.renderOn(ctx, i, o, b, loras, say)
	var moved *movedError
	if err != nil && ctx.Err() == nil && !errors.As(err, &moved) {
		r.opts.Log.Warn("render with ComfyUI failed", "comfyui", i.api.name(), "job", o.task.JobID, "error", err)
	}
	return outputs, err
}

// renderOn renders the artifacts of a job on an instance.
func (r *Renderer) renderOn(ctx context.Context, i *instance, o *order, b *binding, loras []loraFile, ends func()) ([]worker.Output, error) {
	s, err := r.ready(ctx, i, o, b, loras)
	if o := outageOf(err); o != nil && ctx.Err() == nil {
		i.fall(o)
		return nil, o
	}
	if err != nil {
		return nil, r.moved(ctx, i, len(s.files) > 0, err)
	}
	s.ends = ends
	s.ahead = &ahead{begin: func(n int) *rendering {
		next := s
		next.use.isNew, next.use.others = false, 0
		return r.begin(ctx, i, o, n, next)
	}}
	var outputs []worker.Output
	freed := false
	for n := range o.task.Artifacts {
		if n > 0 {
			s.use.isNew, s.use.others = false, 0
		}
		out, err := r.withInputs(ctx, i, o, n, &s)
		if hasCode(err, atelier.FailOutOfMemory) && !freed && ctx.Err() == nil {
			freed = true
			out, err = r.retryAlone(ctx, i, o, n, s, err)
		}
		if err == nil {
			outputs = append(outputs, out)
			continue
		}
		var f *worker.Failure
		outage := outageOf(err)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case outage != nil:
			i.fall(outage)
			return nil, outage
		case n == 0 && r.hasChanged(ctx, i, o, b, err):
			return nil, &movedError{err}
		case n == 0 && isUnreachable(err):
			return nil, r.moved(ctx, i, freed || len(s.files) > 0, err)
		case isUnreachable(err):
			i.leave(err)
			return nil, errStopped
		case errors.As(err, &f) && !f.Retryable && len(outputs) > 0:
			// The artifacts so far are delivered, and only they are paid for.
			r.opts.Log.Warn("render made fewer artifacts than ordered", "job", o.task.JobID, "made", len(outputs), "ordered", len(o.task.Artifacts), "reason", f.Message)
			return outputs, nil
		}
		if errors.As(err, &f) && f.Retryable {
			i.suspect() // it may have been restarted, with other nodes and files
		}
		return nil, err
	}
	i.healthy()
	return outputs, nil
}

// moved handles an instance that stopped answering before it accepted a prompt. wasGiven
// says that it has files of the job, or has rendered it before.
func (r *Renderer) moved(ctx context.Context, i *instance, wasGiven bool, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !isUnreachable(err) {
		return err
	}
	i.leave(err)
	var given *handoverError
	if wasGiven || errors.As(err, &given) {
		return errStopped
	}
	return &movedError{err}
}

// hasChanged surveys an instance again that refused a graph for a file or a node, and
// reports whether the graph would be another one now.
func (r *Renderer) hasChanged(ctx context.Context, i *instance, o *order, b *binding, err error) bool {
	var stale *staleError
	if !errors.As(err, &stale) {
		return false
	}
	s, err := i.surveyAgain(ctx, r.library)
	if err != nil {
		return false
	}
	now := s.ready[pair{o.mapping, o.model.ID}]
	return now == nil || !reflect.DeepEqual(now, b)
}

// ready prepares an instance for an order.
func (r *Renderer) ready(ctx context.Context, i *instance, o *order, b *binding, loras []loraFile) (s supplies, err error) {
	s = supplies{binding: b}
	if s.use, err = i.prepare(ctx, loadedModel{o.task.ModelID, b.files}, r.pool.pace.sweep/5); err != nil {
		return s, err
	}
	s.files, s.loras, err = i.supply(ctx, o, loras, r.pool.pace.sweep/5)
	return s, err
}

// retryAlone renders an artifact again for which ComfyUI ran out of memory, with nothing
// else in its memory.
func (r *Renderer) retryAlone(ctx context.Context, i *instance, o *order, n int, s supplies, first error) (worker.Output, error) {
	r.opts.Log.Warn("ComfyUI ran out of memory, will free it and retry", "comfyui", i.api.name(), "job", o.task.JobID, "model", o.task.ModelID, "error", first)
	others := i.ranOut(o.task.ModelID)
	// A request that comes while ComfyUI cleans up after the failure does not wake it, and
	// would be done only after the retry. The second one wakes it.
	for range 2 {
		if err := i.free(ctx, r.pool.pace.sweep/5); err != nil {
			return worker.Output{}, err
		}
	}
	s.use.isNew, s.use.others = true, -1
	out, err := r.withInputs(ctx, i, o, n, &s)
	var f *worker.Failure
	switch {
	case err == nil:
		i.remember(loadedModel{o.task.ModelID, s.binding.files}, others)
	case hasCode(err, atelier.FailOutOfMemory) && errors.As(err, &f):
		i.ranOut(o.task.ModelID)
		return out, &worker.Failure{Code: f.Code, Message: f.Message + i.memoryNote(ctx)}
	}
	return out, err
}

// hasCode reports whether an error is a failure with a code.
func hasCode(err error, code string) bool {
	var f *worker.Failure
	return errors.As(err, &f) && f.Code == code
}

// artifact renders one artifact, which may have begun already.
func (r *Renderer) artifact(ctx context.Context, i *instance, o *order, n int, s supplies) (out worker.Output, err error) {
	defer func() {
		if err != nil {
			s.ahead.drop()
		}
	}()
	p := s.ahead.take(n)
	if p == nil {
		p = r.begin(ctx, i, o, n, s)
	}
	defer p.stop()
	rec, err := p.await()
	if p.run == nil {
		return worker.Output{}, err
	}
	r.noteLoaded(i, o, p.run, rec, err, p.use)
	if err != nil {
		return worker.Output{}, err
	}
	p.ends()
	p.move(1, "fetching the result")
	if out, err = r.fetch(ctx, i, o, rec, p.from, n); err != nil {
		return worker.Output{}, err
	}
	i.remove(rec, p.graph.token(p.from.Node)) // the file is in the folder of the job now
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
			return out, lostComfyUI(r.opts.Patience, false)
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
		if message == "" {
			message = "starting" // no node has begun
		}
		if of > 1 {
			message = fmt.Sprintf("%d of %d: %s", n+1, of, message)
		}
		report((float64(n)+0.95*most)/float64(of), message)
	}
}
