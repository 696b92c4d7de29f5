package comfyui

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/worker"
)

// run is one prompt on one ComfyUI.
type run struct {
	api    *api
	pace   pace
	log    *slog.Logger
	graph  graph
	reads  map[string]bool    // nodes that read model files
	weight map[string]float64 // of nodes, in the progress
	id     string
	loaded time.Duration // how long files were loaded, once it has ended
	begun  bool          // ComfyUI has begun with it, as far as frames came; once it has ended
	report func(progress float64, message string)
	others func() bool                              // whether other workers can take the job; may be nil
	show   func(contentType string, picture []byte) // nil when previews are not shown
	spawn  func(func())                             // runs work that may continue after the job
	starts func()                                   // is called when it has begun, as far as frames came
	ends   func()                                   // is called shortly before it ends
}

// pace is the intervals and timeouts of a renderer.
type pace struct {
	patience time.Duration // to wait for a ComfyUI that does not answer
	sweep    time.Duration // between reads of the history when no frame comes
	retry    time.Duration // before reconnecting
}

// shortPatience is how long a job waits for a ComfyUI that does not answer while other workers
// can take it: a moment of silence passes, and a new start takes longer.
const shortPatience = 10 * time.Second

// endingTime is how long before the end of a prompt the next job is claimed: enough to fetch its
// inputs over a slow connection, and not so long that another worker could have begun it.
const endingTime = 2 * time.Second

// socketWait is how long a prompt waits for the socket.
const socketWait = 3 * time.Second

// render queues the prompt and waits for its end. When ctx ends first, the
// prompt is taken out of ComfyUI's queue before render returns.
func (r *run) render(ctx context.Context) (*record, error) {
	r.id = mint.UUID()
	listening, stop := context.WithCancel(ctx)
	l := newListener(r)
	ended := make(chan struct{})
	go func() { defer close(ended); l.run(listening) }()
	defer func() { stop(); <-ended }()
	select { // connect first, so that no frame is missed
	case <-l.ready:
	case <-time.After(socketWait): // the history is enough
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := r.submit(ctx, l); err != nil {
		return nil, err
	}
	record, err := r.watch(ctx, l)
	r.loaded, r.begun = l.loadTime(), l.hasBegun()
	switch {
	case ctx.Err() != nil:
		if err := r.withdraw(ctx); err != nil {
			r.log.Warn("remove cancelled render from ComfyUI failed", "comfyui", r.api.name(), "prompt", r.id, "error", err)
		}
		return nil, ctx.Err()
	case record == nil:
		r.abandon(ctx)
	}
	return record, err
}

// abandon withdraws a prompt that may or may not be queued, without waiting.
func (r *run) abandon(ctx context.Context) {
	r.spawn(func() { _ = r.withdraw(ctx) })
}

// submit queues the prompt. When the caller gives up, it is unknown whether the
// prompt was accepted; submit then waits for the answer in the background and
// withdraws the prompt.
func (r *run) submit(ctx context.Context, l *listener) error {
	body := submission{Prompt: r.graph, ClientID: l.client, PromptID: r.id, ExtraData: map[string]any{"preview_method": "none"}}
	if r.show != nil {
		body.ExtraData["preview_method"] = "auto"
	}
	answer, left := make(chan reply), make(chan struct{})
	r.spawn(func() {
		sent, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
		defer cancel()
		accepted, err := r.api.prompt(sent, body)
		select {
		case answer <- reply{accepted, err}:
		case <-left: // accepted, but the caller has left
			if err == nil {
				late := *r
				late.id = accepted.PromptID
				_ = late.withdraw(ctx)
			}
		}
	})
	var a reply
	select {
	case a = <-answer:
	case <-ctx.Done():
		select {
		case a = <-answer:
			if a.PromptID != "" {
				r.id = a.PromptID
			}
			_ = r.withdraw(ctx)
		case <-time.After(withdrawTime / 2):
		}
		close(left)
		return ctx.Err()
	}
	switch {
	case isUnreachable(a.err):
		// It may have been accepted before the connection broke.
		_, found, err := r.state(ctx)
		if err == nil && found != nowhere {
			return nil
		}
		r.abandon(ctx)
		if err != nil && wasReached(a.err) {
			return &handoverError{a.err}
		}
		return a.err
	case a.err != nil:
		return refusal(a.err, r.graph)
	case a.PromptID == "":
		return worker.Failf("ComfyUI's answer to the prompt names no id.")
	}
	if a.PromptID != r.id { // a version that chooses ids itself
		r.id = a.PromptID
		l.follow(r.id)
	}
	if len(a.NodeErrors) > 0 {
		_ = r.withdraw(ctx) // its result would not be used
		return invalid(a.NodeErrors, r.graph)
	}
	return nil
}

// reply is the outcome of queueing a prompt.
type reply struct {
	accepted
	err error
}

// watch waits for the end of the prompt.
func (r *run) watch(ctx context.Context, l *listener) (*record, error) {
	sweep := time.NewTicker(r.pace.sweep)
	defer sweep.Stop()
	var gone time.Time              // since when ComfyUI does not answer
	check, isWaiting := true, false // whether it waits in the queue, by all that is known
	for {
		if check {
			if l.takeQueueChange() { // it may have begun, and ended ComfyUI before that can be read
				isWaiting = false
			}
			rec, at, err := r.state(ctx)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case isUnreachable(err) || broken(err):
				if gone.IsZero() {
					gone = time.Now()
				}
				patience := r.pace.patience
				if r.others != nil && r.others() {
					patience = min(patience, shortPatience)
				}
				if time.Since(gone) > patience {
					return nil, lostComfyUI(patience, isWaiting && !l.hasBegun())
				}
				r.report(0, "waiting for ComfyUI to come back")
			case err != nil:
				return nil, worker.Failf("%s", worker.Shorten(err.Error(), 500))
			case rec != nil:
				return rec, rec.verdict(r.graph)
			case at == nowhere && isWaiting && !l.hasBegun():
				return nil, unavailable("ComfyUI was restarted, or its queue was cleared, before the render began.")
			case at == nowhere:
				return nil, dropped("ComfyUI no longer knows the render: it was restarted, or its queue was cleared.")
			case at == pending:
				isWaiting = true
				r.report(0, "waiting in ComfyUI's queue")
			default:
				isWaiting = false
			}
			if err == nil && !gone.IsZero() {
				gone = time.Time{}
				n := l.poll()
				r.report(n.progress, n.text)
			}
			check = false
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-sweep.C:
			check = true
		case <-l.nudge:
			n := l.poll()
			check = n.check
			if gone.IsZero() { // else it is still what it was before ComfyUI left
				r.report(n.progress, n.text)
			}
			if !n.begun.IsZero() && !r.begun {
				r.begun = true
				r.starts()
			}
			if n.isEnding(endingTime) {
				r.ends()
			}
			if n.preview != nil && r.show != nil {
				r.show(n.preview.contentType, n.preview.picture)
			}
		}
	}
}

// broken reports whether ComfyUI answered with a server error, which may be
// temporary.
func broken(err error) bool {
	var refused *refusedError
	return errors.As(err, &refused) && refused.status >= 500
}

// state reads the state of the prompt: its record when it has ended, or its place
// in the queue. It reads the history a second time, because a prompt may move there
// between the two requests.
func (r *run) state(ctx context.Context) (*record, place, error) {
	if rec, err := r.api.history(ctx, r.id); err != nil || rec != nil {
		return rec, running, err
	}
	at, err := r.api.queue(ctx, r.id)
	if err != nil || at != nowhere {
		return nil, at, err
	}
	rec, err := r.api.history(ctx, r.id)
	if rec != nil {
		return rec, running, nil
	}
	return nil, nowhere, err
}

// withdrawTime is how long it may take to remove a prompt from the queue. A running
// one ends after its current step.
const withdrawTime = 2 * time.Second

// withdraw removes the prompt from ComfyUI's queue, or stops it when it runs.
func (r *run) withdraw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
	defer cancel()
	if err := r.api.unqueue(ctx, r.id); err != nil {
		return err
	}
	for interrupted := false; ; {
		at, err := r.api.queue(ctx, r.id)
		switch {
		case err != nil:
			return err
		case at == nowhere:
			return nil
		case at == running && !interrupted:
			// Only when it runs: older versions ignore the id and stop any running
			// prompt.
			if err := r.api.interrupt(ctx, r.id); err != nil {
				return err
			}
			interrupted = true
			continue
		case at == pending || at == starting: // it was queued after the first call
			if err := r.api.unqueue(ctx, r.id); err != nil {
				return err
			}
		}
		if !clock.Sleep(ctx, 50*time.Millisecond) {
			return fmt.Errorf("the prompt %s has not stopped after %s", r.id, withdrawTime)
		}
	}
}
