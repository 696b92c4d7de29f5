package run

import (
	"context"
	"errors"
	"maps"
	"math"
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

// Serve works on runs until ctx ends, and then hands over those under way: another
// node, or the next process, continues them.
func (e *Engine) Serve(ctx context.Context) {
	work, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	sub := e.bus.Subscribe(queuedTopic, cancelledTopic)
	defer sub.Close()
	kept := time.Time{}
	for {
		if now := e.opts.Now(); now.Sub(kept) >= e.opts.Lease/3 || now.Before(kept) {
			if err := e.keepLease(ctx); err == nil {
				kept = now
				e.beginServing(work) // not before it has a lease: another node would take its runs
			} else if ctx.Err() == nil {
				e.opts.Log.Warn("renew lease of chat runs failed", "error", err)
				if now.Sub(kept) > e.opts.Lease {
					e.stopAll(errLost) // another node may have them
				}
			}
		}
		if err := errors.Join(e.stopEnded(ctx), e.takeIdle(ctx)); err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("look for chat runs failed", "error", err)
		}
		if !clock.Wait(ctx, sub.C(), e.opts.Lease/3) {
			break
		}
	}
	e.endServing()
	stop(errDraining)
	e.ended.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := e.db.Write(last, func(tx *store.Tx) error { return tx.ForgetNode(e.node) }); err != nil {
		e.opts.Log.Warn("end lease of chat runs failed", "error", err)
	}
	e.bus.Publish(queuedTopic)
}

func (e *Engine) beginServing(work context.Context) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.serving = work
}

func (e *Engine) endServing() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.serving = nil
}

// The reasons for which the work on a run ends before the run does.
var (
	errDraining  = errors.New("run: the node is shutting down")
	errLost      = errors.New("run: another node has the run, or it is over")
	errCancelled = errors.New("run: the run was cancelled")
)

// keepLease renews the lease of this node. It gives back the runs that the node has and
// does not work on: an outage of the database has interrupted the work, or has hidden
// that the run was stored.
func (e *Engine) keepLease(ctx context.Context) error {
	now := e.opts.Now()
	return e.db.Write(ctx, func(tx *store.Tx) error {
		e.mu.Lock()
		ids := slices.Collect(maps.Keys(e.places))
		e.mu.Unlock()
		if err := tx.GiveBackRuns(e.node, ids); err != nil {
			return err
		}
		return tx.KeepNode(e.node, now.Add(e.opts.Lease), now.Add(-time.Hour))
	})
}

// stopAll ends the work on all runs of this node.
func (e *Engine) stopAll(why error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, x := range e.running {
		x.stop(why)
	}
}

// stopEnded ends the work on runs that another node has ended.
func (e *Engine) stopEnded(ctx context.Context) error {
	e.mu.Lock()
	running := maps.Clone(e.running)
	e.mu.Unlock()
	var ended []atelier.RunID
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		ended, err = tx.EndedRuns(slices.Collect(maps.Keys(running)))
		return err
	})
	for _, id := range ended {
		running[id].stop(errCancelled) // not the work that a decision has begun since
	}
	return err
}

// signal ends the work on a run that was cancelled. It reports whether this node was
// working on it.
func (e *Engine) signal(id atelier.RunID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	x := e.running[id]
	if x != nil {
		x.stop(errCancelled)
	}
	return x != nil
}

// takenAtOnce is how many runs are looked for at once.
const takenAtOnce = 16

// takeIdle takes the runs that wait for a node, as many as this one has space for. A
// run that cannot be taken does not keep the others from it.
func (e *Engine) takeIdle(ctx context.Context) error {
	for {
		full, most := e.full()
		if most == 0 {
			return nil
		}
		var idle []store.IdleRun
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			idle, err = tx.IdleRuns(e.opts.Now(), takenAtOnce, full, most, pictureBytes)
			return err
		})
		if err != nil {
			return err
		}
		taken := 0
		for _, r := range idle {
			if e.has(r.ID) || !e.reserve(r.Wallet, r.ID, r.Bytes+pictureMemory(r.Files)) {
				continue
			}
			ok, err := e.take(ctx, r)
			if !ok {
				e.unreserve(r.ID)
			}
			if atelier.IsOutage(err) {
				return err
			}
			if err != nil {
				e.opts.Log.Error("take chat run failed", "run", r.ID, "error", err)
			}
			if ok {
				taken++
			}
		}
		if taken == 0 {
			return nil
		}
	}
}

// take takes one run. What an earlier node held for it is released, and a run whose
// node has died is marked as resumed.
func (e *Engine) take(ctx context.Context, idle store.IdleRun) (ok bool, err error) {
	var r *record
	err = e.db.Write(ctx, func(tx *store.Tx) error {
		ok = false
		if err := tx.LockAccount(idle.Wallet); err != nil { // before the run, as in all changes
			return err
		}
		row, err := tx.LockRun(idle.Wallet, idle.ID)
		if err != nil || row.Takeovers != idle.Takeovers || !row.Status.Active() {
			return err
		}
		if r, err = decode(row); err != nil {
			return err
		}
		r.now = e.now()
		if ok, err = tx.TakeRun(row, e.node); err != nil || !ok {
			return err
		}
		r.row.Node, r.row.Takeovers = e.node, row.Takeovers+1
		if row.Status == atelier.StatusQueued {
			return nil // nothing was begun
		}
		for _, kind := range []string{"llm/", "tool/"} {
			if err := e.billing.DropAll(tx, row.Wallet, kind+string(row.ID)+"/"); err != nil {
				return err
			}
		}
		if row.Node == "" {
			return nil // it was handed over
		}
		r.state.Resumes++
		r.emit(apitype.RunResumed{Reason: "interrupted"})
		return e.update(tx, r, row.Status)
	})
	if err != nil || !ok {
		return false, err
	}
	e.execute(r.row, r.request, r.state)
	return true, nil
}

// place is the place of a run among those that this node works on.
type place struct {
	wallet atelier.Wallet
	bytes  int64 // of its documents, and of the pictures that its model is shown
}

// bounds limit the runs that a node works on at once. What the large ones leave is for
// small runs.
type bounds struct {
	node, large, account load
	small                int64 // bytes that a small run has at most
}

var nodeBounds = bounds{
	node: load{runs: 1024, bytes: 64 << 20}, large: load{runs: 1024, bytes: 48 << 20}, account: load{runs: 64, bytes: 16 << 20}, small: 512 << 10,
}

// load is how much work runs are.
type load struct {
	runs  int
	bytes int64
}

func (l load) plus(bytes int64) load { return load{l.runs + 1, l.bytes + bytes} }

// full reports whether a load has reached its bounds. The last run may exceed them.
func (l load) full(most load) bool { return l.runs >= most.runs || l.bytes >= most.bytes }

// has reports whether this node works on a run, or is about to. One that it has just
// paused is taken when its place is free.
func (e *Engine) has(id atelier.RunID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, has := e.places[id]
	e.refused = e.refused || has
	return has
}

// loads adds up the runs of this node: of each account, the large ones, and all.
func (e *Engine) loads() (byWallet map[atelier.Wallet]load, large, all load) {
	byWallet = map[atelier.Wallet]load{}
	for _, p := range e.places {
		byWallet[p.wallet] = byWallet[p.wallet].plus(p.bytes)
		all = all.plus(p.bytes)
		if p.bytes > e.bounds.small {
			large = large.plus(p.bytes)
		}
	}
	return byWallet, large, all
}

// full lists the accounts that have as many runs as they may, and returns how many bytes
// another run may have at most: 0 when the node has no space for any.
func (e *Engine) full() (accounts []atelier.Wallet, most int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	byWallet, large, all := e.loads()
	for w, l := range byWallet {
		if l.full(e.bounds.account) {
			accounts = append(accounts, w)
		}
	}
	switch {
	case e.serving == nil || all.full(e.bounds.node):
		return accounts, 0
	case large.full(e.bounds.large):
		return accounts, e.bounds.small
	}
	return accounts, math.MaxInt64
}

// reserve takes a place for a run of an account. It reports false when there is none:
// the run is taken when another has ended.
func (e *Engine) reserve(w atelier.Wallet, id atelier.RunID, bytes int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	byWallet, large, all := e.loads()
	if e.serving == nil || all.full(e.bounds.node) || byWallet[w].full(e.bounds.account) || bytes > e.bounds.small && large.full(e.bounds.large) {
		e.refused = true
		return false
	}
	e.places[id] = place{w, bytes}
	e.ended.Add(1)
	return true
}

// unreserve gives a place back.
func (e *Engine) unreserve(id atelier.RunID) {
	e.free(func() { delete(e.places, id) })
	e.ended.Done()
}

// giveBack gives the bytes of a run back that only waits, but for those that it keeps.
func (e *Engine) giveBack(id atelier.RunID, kept int64) {
	e.free(func() { e.places[id] = place{e.places[id].wallet, kept} })
}

// free makes places free, and has runs looked for that found none.
func (e *Engine) free(change func()) {
	e.mu.Lock()
	change()
	refused := e.refused
	e.refused = false
	e.mu.Unlock()
	if refused {
		e.bus.Publish(queuedTopic)
	}
}

// execute works on a run that this node has, in a place that was reserved.
func (e *Engine) execute(row store.StoredRun, q requestDocument, s state) {
	e.mu.Lock()
	serving := e.serving
	if serving == nil { // it drains: the next node takes the run
		serving = drained
	}
	ctx, stop := context.WithCancelCause(serving)
	id := row.ID // the rest of the row is large, and not kept while the run waits
	x := &execution{engine: e, row: row, request: q, state: s, stop: stop, large: e.places[id].bytes > e.bounds.small}
	e.running[id] = x
	e.mu.Unlock()
	go func() {
		x.runSafely(ctx)
		stop(nil)
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
	x.engine.giveBack(x.row.ID, state)
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
		ID: string(x.row.ID), Caller: atelier.Caller{Account: owner, Credential: atelier.CredentialAPIKey}, Model: d.Model, Tools: d.Tools,
		ToolChoice: chat.ToolChoice{Mode: d.ToolMode, Function: d.ToolFunction}, Family: toolFamily, Execute: true, MaxTokens: d.MaxTokens,
		Thinking: d.Thinking, Profile: d.Profile, Params: d.Params, Terms: d.terms(), Filter: d.Filter, Session: d.Session,
		Rounds: chat.MaxRunRounds, Tier: d.Tier, Trim: true,
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
