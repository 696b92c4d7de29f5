package workflow

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/store"
)

// Events reads the log of a workflow of an account, after a sequence. Of a log that is
// too long it returns the first part; the caller reads on after it.
func (e *Engine) Events(ctx context.Context, w atelier.Wallet, id atelier.WorkflowID, after int64) ([]apitype.WorkflowEvent, error) {
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

// Update is one item of a stream: an event, the status of the workflow, or, with neither,
// a heartbeat.
type Update struct {
	Event    *apitype.WorkflowEvent
	Standing *journal.Standing
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
	signed := func(url string) string {
		key, ours := cutBlob(url)
		if !ours {
			return url
		}
		url, _ = e.signer(ctx)(key) // its lifetime begins when it is sent
		return url
	}
	parent := journal.Parent{Log: string(id), Next: row.Events, Standing: journal.Standing{Status: row.Status, Waiting: row.Waiting}}
	return func(yield func(Update, error) bool) {
		for n, err := range e.journal.FollowParent(ctx, parent, after, beat) {
			u := Update{Standing: n.Standing}
			if n.Event != nil {
				record := recordOf(string(id), *n.Event, signed)
				u.Event = &record
			}
			if !yield(u, err) {
				return
			}
		}
	}, nil
}

func cutBlob(url string) (string, bool) { return strings.CutPrefix(url, blobURL) }

// previewMark begins the key of a preview in the URLs that are stored.
const previewMark = "preview:"

// previewURL is the URL of a preview as it is stored.
func previewURL(at fleet.Location) string {
	return blobURL + previewMark + at.ContentType + ":" + at.Key
}
