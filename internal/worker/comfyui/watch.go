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
	id     string
	report func(progress float64, message string)
	show   func(contentType string, picture []byte) // nil when previews are not shown
	spawn  func(func())                             // runs what outlives the job for a moment
}

// pace is how patient a renderer is.
type pace struct {
	patience time.Duration // with a ComfyUI that does not answer
	sweep    time.Duration // between reads of the history when no frame comes
	retry    time.Duration // before connecting again
}

// greeting is how long a prompt waits for the socket.
const greeting = 3 * time.Second

// render queues the prompt and waits for its end. When ctx ends first, the
// prompt is taken out of ComfyUI's queue before render returns.
func (r *run) render(ctx context.Context) (*record, error) {
	r.id = mint.UUID()
	listening, stop := context.WithCancel(ctx)
	l := newListener(r.api, mint.UUID(), r.id, r.graph, r.pace.retry, r.show != nil)
	ended := make(chan struct{})
	go func() { defer close(ended); l.run(listening) }()
	defer func() { stop(); <-ended }()
	select { // the socket first, so that nothing is missed
	case <-l.ready:
	case <-time.After(greeting): // the history will do
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := r.submit(ctx, l); err != nil {
		return nil, err
	}
	record, err := r.watch(ctx, l)
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

// abandon withdraws a prompt that may or may not be there, without waiting.
func (r *run) abandon(ctx context.Context) {
	r.spawn(func() { _ = r.withdraw(ctx) })
}

// submit queues the prompt. A caller that gives up in the middle does not know
// whether it was taken, so the answer is waited for in any case and the prompt
// then withdrawn.
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
		case <-left: // taken after all, and no longer wanted
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
	case away(a.err):
		// It may have been taken before the connection broke.
		if _, found, err := r.state(ctx); err != nil || found == nowhere {
			r.abandon(ctx)
			return a.err
		}
		return nil
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
		_ = r.withdraw(ctx) // no one would use the rest
		return invalid(a.NodeErrors, r.graph)
	}
	return nil
}

// reply is what came of queueing a prompt.
type reply struct {
	accepted
	err error
}

// watch waits for the end of the prompt.
func (r *run) watch(ctx context.Context, l *listener) (*record, error) {
	sweep := time.NewTicker(r.pace.sweep)
	defer sweep.Stop()
	var gone time.Time // since when ComfyUI does not answer
	check := true
	for {
		if check {
			rec, at, err := r.state(ctx)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case away(err) || broken(err):
				if gone.IsZero() {
					gone = time.Now()
				}
				if time.Since(gone) > r.pace.patience {
					return nil, dropped("ComfyUI did not answer for %s during the render.", r.pace.patience)
				}
				r.report(0, "waiting for ComfyUI to answer again")
			case err != nil:
				return nil, worker.Failf("%s", worker.Shorten(err.Error(), 500))
			case rec != nil:
				return rec, rec.verdict(r.graph)
			case at == nowhere:
				return nil, dropped("ComfyUI no longer knows the render: it was restarted, or its queue was cleared.")
			case at == pending:
				r.report(0, "waiting in ComfyUI's queue")
			}
			if err == nil {
				gone = time.Time{}
			}
			check = false
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-sweep.C:
			check = true
		case <-l.nudge:
			n := l.hear()
			check = n.check
			r.report(n.progress, n.text)
			if n.preview != nil && r.show != nil {
				r.show(n.preview.contentType, n.preview.picture)
			}
		}
	}
}

// broken reports whether ComfyUI answered a question with an error of its own,
// which may pass.
func broken(err error) bool {
	var refused *refusedError
	return errors.As(err, &refused) && refused.status >= 500
}

// state reads the state of the prompt: its record when it has ended, or
// its place in the queue. It ends by looking into the history once more,
// because a prompt may move there between the two questions.
func (r *run) state(ctx context.Context) (*record, place, error) {
	if rec, err := r.api.history(ctx, r.id); err != nil || rec != nil {
		return rec, running, err
	}
	at, _, err := r.api.queue(ctx, r.id)
	if err != nil || at != nowhere {
		return nil, at, err
	}
	rec, err := r.api.history(ctx, r.id)
	if rec != nil {
		return rec, running, nil
	}
	return nil, nowhere, err
}

// withdrawTime is how long taking a prompt out of the queue may take. A running
// one ends after the step that it is in.
const withdrawTime = 2 * time.Second

// withdraw takes the prompt out of ComfyUI's queue, and stops it when it runs.
func (r *run) withdraw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawTime)
	defer cancel()
	if err := r.api.unqueue(ctx, r.id); err != nil {
		return err
	}
	for told := false; ; {
		at, _, err := r.api.queue(ctx, r.id)
		switch {
		case err != nil:
			return err
		case at == nowhere:
			return nil
		case at == running && !told:
			// Only now: versions that do not know ids here stop whatever runs.
			if err := r.api.interrupt(ctx, r.id); err != nil {
				return err
			}
			told = true
			continue
		case at == pending: // it had not been there yet
			if err := r.api.unqueue(ctx, r.id); err != nil {
				return err
			}
		}
		if !clock.Sleep(ctx, 50*time.Millisecond) {
			return fmt.Errorf("the prompt %s has not stopped after %s", r.id, withdrawTime)
		}
	}
}
