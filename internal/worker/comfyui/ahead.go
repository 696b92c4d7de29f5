package comfyui

import (
	"context"
	"sync"

	"github.com/atelier-project/atelier/internal/worker"
)

// rendering is the prompt of one artifact, which ComfyUI renders or has in its queue.
type rendering struct {
	*run
	from output
	use  use
	stop context.CancelFunc

	mu       sync.Mutex
	report   func(progress float64, message string) // of the job
	shown    bool                                   // its progress is that of the job
	progress float64
	message  string

	done chan struct{}
	rec  *record // set when done is closed, as err
	err  error
}

// move reports progress, once the rendering is shown.
func (p *rendering) move(progress float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.progress, p.message = progress, message
	if p.shown {
		p.report(progress, message)
	}
}

// await shows the progress of the rendering, and returns when it has ended.
func (p *rendering) await() (*record, error) {
	p.mu.Lock()
	p.shown = true
	if p.message != "" {
		p.report(p.progress, p.message)
	}
	p.mu.Unlock()
	<-p.done
	return p.rec, p.err
}

// ahead is the artifact that ComfyUI gets before the one that it renders has ended, so that there
// is no pause between them. It is one at most.
type ahead struct {
	begin func(n int) *rendering

	mu   sync.Mutex
	n    int
	next *rendering
	due  int // an artifact to queue as soon as the one before it is awaited; 0 for none
}

// queue begins an artifact, now or when the one before it is awaited.
func (a *ahead) queue(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next != nil {
		a.due = n
		return
	}
	a.n, a.next = n, a.begin(n)
}

// take returns an artifact that was begun, or nil.
func (a *ahead) take(n int) *rendering {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == nil || a.n != n {
		return nil
	}
	p := a.next
	a.next = nil
	if a.due > 0 {
		a.n, a.next, a.due = a.due, a.begin(a.due), 0
	}
	return p
}

// drop withdraws the artifact that was begun, and returns when ComfyUI no longer has it.
func (a *ahead) drop() {
	a.mu.Lock()
	p := a.next
	a.mu.Unlock()
	if p != nil {
		p.stop()
		<-p.done // nothing calls queue from here on
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next, a.due = nil, 0
}

// begin hands ComfyUI the prompt of one artifact. Its end is that of the rendering.
func (r *Renderer) begin(ctx context.Context, i *instance, o *order, n int, s supplies) *rendering {
	p := &rendering{use: s.use, done: make(chan struct{}), stop: func() {}}
	g, from, err := o.compose(n, s)
	if err != nil {
		p.err = worker.Failf("The graph %s cannot be filled in: %v.", o.mapping.name, err)
		close(p.done)
		return p
	}
	p.from, p.report = from, share(o.task.Report, n, len(o.task.Artifacts))
	p.run = &run{
		api: i.api, pace: r.pool.pace, log: r.opts.Log, graph: g, reads: o.mapping.readers(), weight: o.mapping.Weights, spawn: r.strays.Go,
		report: p.move, starts: func() {}, ends: s.ends,
	}
	if n == 0 && o.task.Begun != nil {
		p.starts = o.task.Begun
	}
	if n < len(o.task.Artifacts)-1 {
		p.ends = sync.OnceFunc(func() { s.ahead.queue(n + 1) })
	}
	if o.task.Preview != nil && !r.brief.has(o) {
		p.show = func(contentType string, picture []byte) { o.task.Preview(o.task.Artifacts[n].ID, contentType, picture) }
	}
	if o.task.Alternatives != nil {
		p.others = func() bool { return o.task.Alternatives() > 0 }
	}
	ctx, p.stop = context.WithCancel(ctx)
	go func() {
		defer close(p.done)
		p.rec, p.err = p.render(ctx)
	}()
	return p
}
