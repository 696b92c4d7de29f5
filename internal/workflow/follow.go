package workflow

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// Events reads the log of a workflow of an account, after a sequence. Of a log that is
// too long it returns the first part; the caller reads on after it.
func (e *Engine) Events(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID, after int64) ([]snapshot.EventRecord, error) {
	var log []atelier.Event
	err := e.db.Snapshot(ctx, func(tx *store.Tx) (err error) {
		if err := tx.OwnsWorkflow(w, id); err != nil {
			return err
		}
		log, err = tx.Events(string(id), after, maxLog, maxLogBytes)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNotFound(id)
	}
	if err != nil {
		return nil, err
	}
	v := view{record: &record{row: store.StoredWorkflow{ID: id}}, log: log, sign: e.signer(ctx)}
	return v.records(), nil
}

// Standing is the status of a workflow in a stream.
type Standing struct {
	Status  atelier.Status
	Waiting atelier.WaitingReason
}

// Update is one item of a stream: an event, the status of the workflow, or, with neither,
// a heartbeat.
type Update struct {
	Event    *snapshot.EventRecord
	Standing *Standing
}

// Follow streams the log of a workflow of an account after a sequence, then its status,
// and then what happens until the workflow is over. A change of status follows the
// event that caused it. Without news it yields a heartbeat at every beat.
func (e *Engine) Follow(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID, after int64, beat time.Duration) (iter.Seq2[Update, error], error) {
	var row store.StoredWorkflow
	err := e.db.ReadDetached(ctx, func(tx *store.Tx) (err error) {
		row, err = tx.Workflow(w, id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, errNotFound(id)
	}
	if err != nil {
		return nil, err
	}
	from := min(after, row.Events-1) // a reader that asks for a later sequence still sees the workflow end
	signed := func(url string) string {
		key, ours := cutBlob(url)
		if !ours {
			return url
		}
		url, _ = e.signer(ctx)(key) // its lifetime begins when it is sent
		return url
	}
	return func(yield func(Update, error) bool) {
		now, live := Standing{row.Status, row.Waiting}, false
		for batch, err := range e.journal.Follow(ctx, string(id), from, beat) {
			if err != nil {
				yield(Update{}, err)
				return
			}
			if len(batch) == 0 && live {
				if !yield(Update{}, nil) {
					return
				}
			} else if len(batch) == 0 { // everything in the log was sent
				live = true
				here := now
				if !yield(Update{Standing: &here}, nil) || here.Status.Terminal() {
					return
				}
			}
			for _, ev := range batch {
				if ev.Sequence > after {
					record := recordOf(string(id), ev, signed)
					if !yield(Update{Event: &record}, nil) {
						return
					}
				}
				then := Standing{ev.Status, ev.Waiting}
				if live && then != now && !yield(Update{Standing: &then}, nil) {
					return
				}
				now = then
				if live && now.Status.Terminal() {
					return
				}
			}
		}
	}, nil
}

func cutBlob(url string) (string, bool) { return strings.CutPrefix(url, blobURL) }
