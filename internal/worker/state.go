package worker

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/clock"
)

// State is what a renderer can do now.
type State struct {
	Models      []string // that it can render; nil: those that the worker was started with
	Loaded      []string // that are in its memory
	Unavailable string   // why it can render nothing for now, for the owner of the worker; empty when it can
	Cause       string   // Unavailable as customers may read it: without addresses; may be empty
}

// Monitored is a renderer whose state changes while it runs, such as one that uses
// another server.
type Monitored interface {
	Renderer

	// State returns the state, and a channel that is closed when the models or the
	// availability have changed.
	State() (State, <-chan struct{})
}

// state is that of the renderer. One that is not monitored never changes.
func (w *Worker) state() (State, <-chan struct{}) {
	if r, ok := w.Renderer.(Monitored); ok {
		return r.State()
	}
	return State{}, nil
}

// unavailable is why the renderer can render nothing for now, or empty.
func (w *Worker) unavailable() string {
	state, _ := w.state()
	return state.Unavailable
}

// heartbeat reports to the service that the worker is alive, and its state: at
// intervals, and when the state has changed. offered are the models of the session. Models
// that the service refuses are offered again with each heartbeat: its catalog may change.
func (w *Worker) heartbeat(ctx context.Context, s *client.Session, offered []string, lost context.CancelCauseFunc) {
	logged := "" // the refusal that was logged last
	for first := true; ; first = false {
		state, changed := w.state()
		beat := client.Heartbeat{Loaded: state.Loaded, Unavailable: state.Unavailable}
		if state.Models != nil && !slices.Equal(state.Models, offered) {
			beat.Models = state.Models
		}
		if !first || beat.Unavailable != "" || beat.Models != nil {
			refusal, err := w.beat(ctx, s, beat)
			switch {
			case client.Is(err, http.StatusNotFound):
				lost(err)
				return
			case refusal != nil:
				if text := refusal.Error(); text != logged {
					w.Log.Warn("service refused the state of the worker", "error", refusal, "models", beat.Models, "loaded", beat.Loaded)
					logged = text
				}
			case err == nil && beat.Models != nil:
				w.Log.Info("models changed", "worker", s.ID, "models", len(beat.Models))
				offered, logged = beat.Models, ""
			}
		}
		if !clock.Wait(ctx, changed, s.Heartbeat) {
			return
		}
	}
}

// beat sends a heartbeat. A service that refuses the models, or an older one that does not
// know what else is in it, gets what it takes, since a worker that is silent is disconnected,
// and one that is unavailable must not get jobs.
func (w *Worker) beat(ctx context.Context, s *client.Session, h client.Heartbeat) (refusal, err error) {
	for {
		err = s.Beat(ctx, h)
		if !client.Is(err, http.StatusBadRequest) {
			return refusal, err
		}
		refusal = cmp.Or(refusal, err)
		switch {
		case h.Models != nil || h.Loaded != nil:
			h.Models, h.Loaded = nil, nil
		case h.Unavailable != "":
			h.Unavailable = ""
		default:
			return refusal, err
		}
	}
}

// awaitAvailable waits until the renderer can render. A job that came meanwhile is given
// back. It reports false when ctx has ended.
func (w *Worker) awaitAvailable(ctx context.Context, s *client.Session, job **client.Job) bool {
	for ctx.Err() == nil {
		state, changed := w.state()
		if state.Unavailable == "" {
			return true
		}
		if *job != nil {
			w.logRefused(**job, giveUp(ctx, s, **job, atelier.FailUnavailable, state.Cause, true))
			*job = nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return false
}

// whileAvailable is a context that ends when the renderer becomes unavailable.
func (w *Worker) whileAvailable(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(ctx)
	if _, ok := w.Renderer.(Monitored); !ok {
		return inner, cancel
	}
	go func() {
		defer cancel()
		for state, changed := w.state(); state.Unavailable == ""; state, changed = w.state() {
			select {
			case <-changed:
			case <-inner.Done():
				return
			}
		}
	}()
	return inner, cancel
}

// giveUp reports that a job failed. An older service does not know that a worker is
// unavailable: for it the job is dropped.
func giveUp(ctx context.Context, s *client.Session, job client.Job, code, message string, retryable bool) error {
	err := s.Fail(ctx, job.JobID, code, message, retryable)
	if code == atelier.FailUnavailable && client.Is(err, http.StatusBadRequest) {
		return s.Fail(ctx, job.JobID, atelier.FailDropped, message, retryable)
	}
	return err
}
