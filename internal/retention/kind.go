package retention

import (
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
)

// The kinds of what is removed, as the configuration and the metrics name them.
const (
	Workflows  = "workflows"
	ChatRuns   = "chat_runs"
	Logs       = "logs"
	Uploads    = "uploads"
	Deliveries = "webhook_deliveries"
	Replays    = "replay_records"
	Actions    = "operator_actions"
)

// kind is one kind of what is kept for a time.
type kind struct {
	name   string
	age    time.Duration // 0 for ever
	remove func(tx *store.Tx, p part) (batch, error)
}

// part is what one transaction looks at: what ended before a time, and follows something, at most limit.
type part struct {
	before time.Time
	since  time.Time // when the first of those began, or were used; zero for all
	after  position
	limit  int
}

// position is the last of what a transaction has looked at. Zero is the beginning.
type position struct {
	id     string
	upload store.Upload
}

// batch is what one transaction has done.
type batch struct {
	removed int64
	last    position
	more    bool     // others follow
	keys    []string // of the objects that no row names any more
}

// kinds are those that there are, in an order in which one removes what keeps another.
func kinds(a Ages) []kind {
	return []kind{
		{Deliveries, a.Deliveries, expire((*store.Tx).ExpireDeliveries)},
		{ChatRuns, a.ChatRuns, func(tx *store.Tx, p part) (batch, error) { return ended(tx, p, store.RunPrefix, retireRun) }},
		{Workflows, a.Workflows, func(tx *store.Tx, p part) (batch, error) { return ended(tx, p, store.WorkflowPrefix, retireWorkflow) }},
		{Logs, a.Logs, shortenLogs},
		{Uploads, a.Uploads, retireUploads},
		{Replays, a.Replays, expire((*store.Tx).ExpireReplays)},
		{Actions, a.Actions, expire((*store.Tx).ExpireActions)},
	}
}

// expire removes rows that nothing needs: after it, the next are the first.
func expire(delete func(tx *store.Tx, before time.Time, limit int) (int64, error)) func(*store.Tx, part) (batch, error) {
	return func(tx *store.Tx, p part) (batch, error) {
		n, err := delete(tx, p.before, p.limit)
		return batch{removed: n, more: n == int64(p.limit)}, err
	}
}

// ended looks at chat runs or workflows that ended in time.
func ended(tx *store.Tx, p part, prefix string, each func(tx *store.Tx, id string, b *batch) error) (b batch, err error) {
	after := max(p.after.id, prefix)
	if after == prefix && !p.since.IsZero() {
		after += mint.OrderedUUIDAt(p.since)
	}
	ids, err := tx.EndedBetween(after, prefix+mint.OrderedUUIDAt(p.before), p.before, p.limit)
	b.more = len(ids) == p.limit
	for i, id := range ids {
		if err != nil {
			break
		}
		err, b.last.id = each(tx, id, &b), id
		if (b.removed >= mostEvents || len(b.keys) >= mostKeys) && i+1 < len(ids) {
			b.more = true
			break
		}
	}
	return b, err
}

func retireRun(tx *store.Tx, id string, b *batch) error {
	gone, err := tx.RetireRun(atelier.RunID(id))
	if gone {
		b.removed++
	}
	return err
}

func retireWorkflow(tx *store.Tx, id string, b *batch) error {
	keys, gone, err := tx.RetireWorkflow(atelier.WorkflowID(id))
	if gone {
		b.removed++
		b.keys = append(b.keys, keys...)
	}
	return err
}

func shortenLog(tx *store.Tx, id string, b *batch) error {
	n, err := journal.Shorten(tx, id)
	b.removed += n
	return err
}

// shortenLogs shortens the logs of chat runs, and then those of workflows.
func shortenLogs(tx *store.Tx, p part) (batch, error) {
	if p.after.id >= store.WorkflowPrefix {
		return ended(tx, p, store.WorkflowPrefix, shortenLog)
	}
	b, err := ended(tx, p, store.RunPrefix, shortenLog)
	if !b.more {
		b.more, b.last.id = true, store.WorkflowPrefix
	}
	return b, err
}

// retireUploads looks at uploads that were used last in time.
func retireUploads(tx *store.Tx, p part) (b batch, err error) {
	uploads, err := tx.UsedUploads(p.since, p.before, p.after.upload, p.limit)
	b.more = len(uploads) == p.limit
	for _, u := range uploads {
		if err != nil {
			break
		}
		var gone bool
		if gone, err = tx.RetireUpload(u, p.before); gone {
			b.removed++
			b.keys = append(b.keys, u.Key)
		}
		b.last.upload = u
	}
	return b, err
}
