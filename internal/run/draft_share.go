package run

import (
	"context"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// A reader at another node follows a draft through the database. Its node asks for the draft while it is read, and the
// node that has it stores it meanwhile, not for every word.
const (
	askAgain     = time.Second            // how often a draft is asked for
	shareFor     = 3 * time.Second        // how long it is stored after that
	sharePause   = 200 * time.Millisecond // between two times
	sharePortion = 128                    // a long text is stored when it has grown by this part
)

// The topics of the bus: a draft is wanted, and was stored.
func wantedTopic(id atelier.RunID) string { return "runs/draft-wanted/" + string(id) }
func draftTopic(id atelier.RunID) string  { return "runs/draft/" + string(id) }

// share stores the draft of the run while other nodes want it, until ctx ends.
func (x *execution) share(ctx context.Context) {
	e, id := x.engine, x.id
	sub := e.bus.Subscribe(wantedTopic(id))
	defer sub.Close()
	var (
		until  time.Time
		stored store.RunDraft // as other nodes read it
	)
	for ctx.Err() == nil {
		var next <-chan time.Time
		if time.Now().Before(until) {
			next = time.After(sharePause)
		}
		select {
		case <-ctx.Done():
		case <-sub.C():
			until = time.Now().Add(shareFor)
		case <-next:
		}
		now := x.draft.read(id)
		if ctx.Err() != nil {
			now = store.RunDraft{RunID: id}
		}
		grown := len(now.Content) - len(stored.Content)
		if now.Version == stored.Version && (now.Version == 0 || grown == 0 || grown*sharePortion < len(now.Content)) {
			continue
		}
		if err := e.storeDraft(now, stored.Version); err == nil {
			stored = now
			e.bus.Publish(draftTopic(id))
		} else {
			e.opts.Log.Warn("store text of chat run failed", "run", id, "error", err)
		}
	}
}

// storeDraft stores a draft, or deletes the one that was stored before.
func (e *Engine) storeDraft(d store.RunDraft, before int64) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return e.db.Write(ctx, func(tx *store.Tx) error {
		if d.Version == 0 {
			return tx.DeleteRunDraft(d.RunID, before)
		}
		return tx.PutRunDraft(d)
	})
}

// read is the draft as other nodes can read it.
func (d *draft) read(id atelier.RunID) store.RunDraft {
	d.mu.Lock()
	defer d.mu.Unlock()
	return store.RunDraft{RunID: id, Version: d.version, Round: d.round, Content: strings.ReplaceAll(string(d.content), "\x00", "")}
}

// fetch reads a draft that another node writes, until ctx ends.
func (e *Engine) fetch(ctx context.Context, id atelier.RunID, d *draft) {
	sub := e.bus.Subscribe(draftTopic(id))
	defer sub.Close()
	var asked time.Time
	for ctx.Err() == nil {
		if time.Since(asked) >= askAgain {
			asked = time.Now()
			e.bus.Publish(wantedTopic(id))
		}
		var now store.RunDraft
		err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
			now, err = tx.RunDraft(id)
			return err
		})
		if err == nil {
			d.replace(now)
		} else if ctx.Err() == nil {
			e.opts.Log.Warn("read text of chat run failed", "run", id, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-sub.C():
		case <-time.After(askAgain):
		}
	}
}

// replace makes a draft what another node has stored, unless a model of this node writes it.
func (d *draft) replace(by store.RunDraft) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isLocal || d.version == by.Version && len(d.content) >= len(by.Content) {
		return
	}
	d.version, d.round, d.content = by.Version, by.Round, []byte(by.Content)
	d.notify()
}
