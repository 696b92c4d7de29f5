package run

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// execute works on a run that this node has, in a place that was reserved.
func (e *Engine) execute(row store.StoredRun, q requestDocument, s state) {
	e.mu.Lock()
	serving := e.serving
	if serving == nil { // it drains: the next node takes the run
		serving = drained
	}
	ctx, stop := context.WithCancelCause(serving)
	id := row.ID // the rest of the row is large, and not kept while the run waits
	x := &execution{engine: e, id: id, row: row, request: q, state: s, stop: stop, large: e.places.IsLarge(id)}
	e.running[id] = x
	e.mu.Unlock()
	var leave func()
	x.draft, leave = e.drafts.enter(id)
	e.setLocal(id, x.draft, true)
	sharing, endSharing := context.WithCancel(context.Background())
	var shared sync.WaitGroup
	if !e.opts.IsAlone {
		shared.Go(func() { x.share(sharing) })
	}
	go func() {
		x.runSafely(ctx)
		stop(nil)
		endSharing()
		shared.Wait()
		e.setLocal(id, x.draft, false)
		leave()
		e.mu.Lock()
		if e.running[id] == x {
			delete(e.running, id)
		}
		e.mu.Unlock()
		e.unreserve(id) // before the nudge: this node may take the run again
		if x.handedOver {
			e.bus.Publish(queuedTopic)
		}
	}()
}

// drained is the context of work that must not begin.
var drained = func() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errDraining)
	return ctx
}()

// patience is how long a node keeps a run that an outage of the database has
// interrupted before it gives it back.
const patience = time.Second

// runSafely is run that ends a run which makes the program panic: the next node would
// panic too.
func (x *execution) runSafely(ctx context.Context) {
	defer func() {
		if cause := recover(); cause != nil {
			x.engine.opts.Log.Error("chat run panicked", "run", x.row.ID, "panic", cause, "stack", string(debug.Stack()))
			if err := x.fail(ctx, errInternal()); err != nil {
				x.engine.opts.Log.Error("end chat run failed", "run", x.row.ID, "error", err)
			}
		}
	}()
	x.run(ctx)
}

func errInternal() *atelier.Error {
	return &atelier.Error{Code: atelier.CodeInternal, Message: "The service failed."}
}

// run works on a run until it is over, waits for its user, or has to be left to
// another node.
func (x *execution) run(ctx context.Context) {
	e := x.engine
	err := x.answer(ctx)
	if errors.Is(err, chat.ErrParked) {
		if err = x.awaitWorkflows(ctx); err == nil {
			x.handOver() // it waits for a place, as others do
			return
		}
	}
	switch why := context.Cause(ctx); {
	case err == nil, errors.Is(err, chat.ErrPaused):
		return
	case errors.Is(err, errLost), errors.Is(why, errLost), errors.Is(why, errCancelled):
		return
	case why != nil:
		x.handOver()
		return
	case !atelier.IsOutage(err):
		e.opts.Log.Error("chat run failed", "run", x.row.ID, "error", err)
		err = x.fail(ctx, errInternal())
		if err == nil || errors.Is(err, errLost) {
			return
		}
	}
	e.opts.Log.Warn("chat run interrupted", "run", x.row.ID, "error", err)
	clock.Sleep(ctx, patience)
	x.handOver() // if the database does not answer yet, Serve gives it back
}

// awaitWorkflows follows the workflows of a run that only waits for them, and reports their
// progress. Meanwhile the run takes no memory but for its state, and has given the other bytes
// back.
func (x *execution) awaitWorkflows(ctx context.Context) error {
	state := int64(len(x.row.State))
	x.request, x.row.Request, x.row.State = requestDocument{}, nil, nil
	x.engine.offer(x.engine.places.Shrink(x.row.ID, state))
	seen, err := x.seen(ctx)
	if err != nil {
		return err
	}
	rounds := x.state.rounds(x.engine.artifactURL(ctx), seen)
	calls := rounds[len(rounds)-1].Calls
	errs := make([]error, len(calls))
	var following sync.WaitGroup
	for i, c := range calls {
		if c.WorkflowID != "" && c.Outcome == nil {
			following.Go(func() { errs[i] = x.engine.chats.Watch(ctx, x.row.Wallet, x, c, x.receive) })
		}
	}
	following.Wait()
	return errors.Join(errs...)
}

// handOver gives the run back, so that another node takes it at once.
func (x *execution) handOver() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := x.engine.db.Write(ctx, func(tx *store.Tx) (err error) {
		x.handedOver, err = tx.TakeRun(x.row, "")
		return err
	})
	if err != nil {
		x.engine.opts.Log.Warn("hand over chat run failed", "run", x.row.ID, "error", err)
	}
}

// answer lets the chat engine answer, from where the run is.
func (x *execution) answer(ctx context.Context) error {
	q, err := x.chatRequest(ctx)
	if err != nil {
		return x.end(ctx, chat.Completion{}, err)
	}
	seen, err := x.seen(ctx)
	if err != nil {
		return err
	}
	done, err := x.engine.chats.Continue(ctx, q, x.state.rounds(x.engine.artifactURL(ctx), seen), x, x.receive)
	if x.over {
		return nil
	}
	if errors.Is(err, chat.ErrPaused) || errors.Is(err, chat.ErrParked) || errors.Is(err, errLost) || ctx.Err() != nil {
		return err
	}
	return x.end(ctx, done, err)
}

// chatRequest is the request of the run for the chat engine.
func (x *execution) chatRequest(ctx context.Context) (*chat.Request, error) {
	var owner atelier.Account
	err := x.engine.db.Read(ctx, func(tx *store.Tx) (err error) {
		owner, err = tx.Account(x.row.Wallet)
		return err
	})
	if err != nil {
		return nil, err
	}
	d := x.request.withURLs(x.engine.signer(ctx))
	q := &chat.Request{
		ID: string(x.row.ID), Caller: d.caller(owner), Model: d.Model, Tools: d.Tools,
		ToolChoice: chat.ToolChoice{Mode: d.ToolMode, Function: d.ToolFunction}, Family: toolFamily, Execute: true, MaxTokens: d.MaxTokens,
		Thinking: d.Thinking, Profile: d.Profile, Params: d.Params, Terms: d.terms(), Filter: d.Filter, Session: d.Session,
		Rounds: chat.MaxRunRounds, Tier: d.Tier, Trim: !d.Whole, Allowed: d.Allowed,
	}
	if d.NoTools {
		q.Family = ""
	}
	for _, m := range d.Messages {
		q.Messages = append(q.Messages, m.message())
	}
	if err := x.showPictures(ctx, q.Messages); err != nil {
		return nil, err
	}
	for _, m := range d.Media {
		q.Media = append(q.Media, chat.Media{MediaReference: m.reference()})
	}
	for _, m := range d.Made {
		q.Made = append(q.Made, m.reference())
	}
	return q, nil
}

// seen finds, for the workflows that are under way, the last event that the log of the
// run has reported.
func (x *execution) seen(ctx context.Context) (map[string]int64, error) {
	if !x.state.dispatched() {
		return nil, nil
	}
	var log []atelier.Event
	err := x.engine.db.Read(ctx, func(tx *store.Tx) (err error) {
		log, err = tx.Events(string(x.row.ID), -1, keptEvents, maxLogBytes)
		return err
	})
	out := map[string]int64{}
	for _, ev := range log {
		if p, ok := ev.Payload.(apitype.CallProgress); ok {
			out[p.ToolCallID] = p.WorkflowSequence
		}
	}
	return out, err
}

// dispatched reports whether a call of the last round has a workflow and no outcome.
func (s *state) dispatched() bool {
	if len(s.Rounds) == 0 {
		return false
	}
	return slices.ContainsFunc(s.Rounds[len(s.Rounds)-1].Calls, func(c callDocument) bool { return c.WorkflowID != "" && c.Outcome == nil })
}
