package worker

import (
	"context"
	"net/http"
	"slices"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
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

// Measured is a renderer that knows the machine that renders.
type Measured interface {
	Renderer

	// Machine measures it. It may take some seconds.
	Machine(ctx context.Context) apitype.Machine
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
	machine := w.measure(ctx, s.Heartbeat)
	logged := "" // the refusal that was logged last
	var heard apitype.HeartbeatReply
	for first := true; ; first = false {
		state, changed := w.state()
		beat := apitype.Heartbeat{Loaded: state.Loaded, Unavailable: state.Unavailable}
		if state.Models != nil && !slices.Equal(state.Models, offered) {
			beat.Models = state.Models
		}
		if !first || beat.Unavailable != "" || beat.Models != nil {
			beat.Machine = machine.take()
			reply, refusal, err := w.beat(ctx, s, beat)
			if err == nil {
				w.logReply(heard, reply)
				heard = reply
			}
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

// beat sends a heartbeat. A service that refuses the machine or the models gets the rest, since a
// worker that is silent is disconnected, and one that is unavailable must not get jobs.
func (w *Worker) beat(ctx context.Context, s *client.Session, h apitype.Heartbeat) (reply apitype.HeartbeatReply, refusal, err error) {
	reply, err = s.Beat(ctx, h)
	if client.Is(err, http.StatusBadRequest) && h.Machine != nil {
		h.Machine, refusal = nil, err
		reply, err = s.Beat(ctx, h)
	}
	if client.Is(err, http.StatusBadRequest) && (h.Models != nil || h.Loaded != nil) {
		h.Models, h.Loaded, refusal = nil, nil, err
		reply, err = s.Beat(ctx, h)
	}
	return reply, refusal, err
}

// logReply logs what the service does with the worker, when that has changed.
func (w *Worker) logReply(before, now apitype.HeartbeatReply) {
	switch {
	case now.Draining && !before.Draining:
		w.Log.Info("drained: an operator has this worker get no more jobs")
	case before.Draining && !now.Draining:
		w.Log.Info("no longer drained: this worker gets jobs again")
	}
	switch {
	case now.LowStanding != "" && before.LowStanding == "":
		w.Log.Warn("standing is low: the service prefers other workers for the models that they offer too", "reason", now.LowStanding)
	case before.LowStanding != "" && now.LowStanding == "":
		w.Log.Info("in good standing again: this worker gets jobs as others do")
	}
}

// awaitAvailable waits until the renderer can render. A job that came meanwhile is given
// back. It reports false when ctx has ended.
func (w *Worker) awaitAvailable(ctx context.Context, s *client.Session, job **apitype.Assignment) bool {
	for ctx.Err() == nil {
		state, changed := w.state()
		if state.Unavailable == "" {
			return true
		}
		if *job != nil {
			w.logRefused(**job, s.Fail(ctx, (*job).JobID, apitype.JobFailure{Code: atelier.FailUnavailable, Message: Redact(state.Cause), Retryable: true}))
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
