package run

import (
	"context"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/chat"
	"github.com/atelier-project/atelier/internal/mint"

	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/wire"
)

// StartRequest asks for a run.
type StartRequest struct {
	Chat            chat.Request // without an id
	Key             string       // idempotency key, or empty
	Confirm         bool         // calls that cost something wait for the user
	ConfirmSpending bool         // those that no plan covers do
	ClientMessageID string

	// What is recorded and not used.
	MaxUnits      *float64
	ConfirmCost   *bool
	Sampling      map[string]any
	RuntimeConfig map[string]any

	// Weigh, if it is set, is called with the size of the request before it is stored,
	// and may refuse it.
	Weigh func(bytes int) error

	Webhook *atelier.RequestWebhook // that gets the events of the run; may be nil

	Note     wire.Raw // JSON that the protocol of the request keeps with the run; nil for none
	Protocol string   // of another service whose list has the run; empty for none
}

// Started is a run that was started, by this request or by an earlier one with the same
// key.
type Started struct {
	Run    apitype.Run
	Repeat bool // an earlier request has started it
}

// idPrefix begins the id of every run.
const idPrefix = store.RunPrefix

// startScope is the scope of the keys of starts.
const startScope = "run"

// maxRequest bounds a request as it is stored.
const maxRequest = 5 << 20

// Start stores a run. What it accepts is durable when it returns.
func (e *Engine) Start(ctx context.Context, q StartRequest) (Started, error) {
	wallet := q.Chat.Caller.Wallet
	if before, err := e.repeated(ctx, wallet, q.Key); before != nil || err != nil {
		return Started{Run: e.snapshotOf(ctx, before), Repeat: true}, err
	}
	if q.Webhook != nil {
		if err := e.opts.Webhooks.CheckURL("webhook.url", q.Webhook.URL); err != nil {
			return Started{}, err
		}
	}
	if err := e.chats.CheckModel(q.Chat.Caller, q.Chat.Model); err != nil {
		return Started{}, err
	}
	r, err := e.newRecord(ctx, q)
	if err != nil {
		return Started{}, err
	}
	mine := e.reserve(wallet, r.row.ID, int64(len(r.row.Request))+pictureMemory(len(r.files())))
	if mine {
		r.row.Node = e.node
	}
	var earlier *store.IdempotencyRecord
	fresh := *r
	err = e.db.WriteStart(ctx, wallet, r.now, func(tx *store.Tx) error {
		*r = fresh // the function may run again
		r.state = fresh.state.copy()
		active, err := tx.LockForWork(wallet)
		if err != nil {
			return err
		}
		if !active { // since the request was authenticated
			return &atelier.Error{Code: atelier.CodeAccountSuspended}
		}
		claim := store.IdempotencyRecord{Wallet: wallet, Scope: startScope, Key: q.Key, Resource: string(r.row.ID)}
		earlier, err = tx.Once(claim, r.now, func() error { return e.begin(tx, r) })
		return err
	})
	if mine && (err != nil || earlier != nil) {
		e.unreserve(r.row.ID)
	}
	switch {
	case err != nil:
		return Started{}, err
	case earlier != nil:
		before, err := e.read(ctx, wallet, atelier.RunID(earlier.Resource), -1)
		return Started{Run: e.snapshotOf(ctx, before), Repeat: true}, err
	}
	started := Started{Run: e.snapshotOf(ctx, &record{row: r.row, request: r.request, state: r.state, log: r.log})}
	if mine {
		e.execute(r.row, r.request, r.state)
	} else {
		e.bus.Publish(queuedTopic)
	}
	return started, nil
}

// newRecord is the record of a new run.
func (e *Engine) newRecord(ctx context.Context, q StartRequest) (*record, error) {
	now := e.now()
	request, err := e.keepFiles(ctx, q.Chat.Caller.Wallet, newRequestDocument(q))
	if err != nil {
		return nil, err
	}
	r := &record{now: now, request: request}
	text, err := wire.Marshal(r.request)
	if err != nil {
		return nil, err
	}
	if len(text) > maxRequest {
		return nil, atelier.Refuse("messages", "make a request of %d bytes with the tools; the limit is %d.", len(text), maxRequest)
	}
	if q.Weigh != nil {
		if err := q.Weigh(len(text)); err != nil {
			return nil, err
		}
	}
	r.row = store.StoredRun{ID: atelier.RunID(idPrefix + mint.OrderedUUID()), Head: store.Head{Wallet: q.Chat.Caller.Wallet, CreatedAt: now}, Request: text,
		Session: q.Chat.Session, Text: r.request.firstText(), Protocol: q.Protocol}
	return r, nil
}

// repeated finds the run that a key has started.
func (e *Engine) repeated(ctx context.Context, w atelier.Wallet, key string) (*record, error) {
	earlier, err := e.db.FindIdempotencyRecord(ctx, w, startScope, key)
	if err != nil || earlier == nil {
		return nil, err
	}
	return e.read(ctx, w, atelier.RunID(earlier.Resource), -1)
}

// begin stores a new run, unless its account has too many.
func (e *Engine) begin(tx *store.Tx, r *record) error {
	open, err := tx.CountOpenRuns(r.row.Wallet)
	if err != nil {
		return err
	}
	if open >= maxOpen {
		busy := atelier.Errorf(atelier.CodeCapacityFull, "%d chat runs of this account are not over: wait for one to end, or cancel one.", open)
		busy.RetryAfter = 30 * time.Second
		return busy
	}
	if err := r.move(atelier.StatusQueued, ""); err != nil {
		return err
	}
	if err := r.useFiles(tx); err != nil {
		return err
	}
	if r.request.Webhook != nil {
		if err := e.opts.Webhooks.Admit(tx, r.row.Wallet); err != nil {
			return err
		}
	}
	r.emit(apitype.RunCreated{RunID: r.row.ID})
	return e.insert(tx, r)
}
