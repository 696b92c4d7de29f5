package run

import (
	"context"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// A reader at another node follows a draft through the database. The node of the reader asks for drafts while it needs
// them, and the nodes that have some store them meanwhile, not for every word.
const (
	askDrafts    = time.Second            // how often drafts are asked for
	shareDrafts  = 3 * time.Second        // how long they are stored after that
	draftPause   = 200 * time.Millisecond // between two times
	draftPortion = 128                    // a long text is stored when it has grown by this part
)

// The topics of the bus.
const (
	draftsWantedTopic = "runs/drafts-wanted"
	draftsTopic       = "runs/drafts" // some were stored
)

// share stores the drafts of this node while other nodes want them, until ctx ends.
func (e *Engine) share(ctx context.Context) {
	sub := e.bus.Subscribe(draftsWantedTopic)
	defer sub.Close()
	var until time.Time
	for {
		var next <-chan time.Time
		if time.Now().Before(until) {
			next = time.After(draftPause)
		}
		select {
		case <-ctx.Done():
			return
		case <-sub.C():
			until = time.Now().Add(shareDrafts)
		case <-next:
		}
		if err := e.storeDrafts(ctx); err != nil && ctx.Err() == nil {
			e.opts.Log.Warn("store text of chat runs failed", "error", err)
		}
	}
}

// storeDrafts stores the drafts of this node that have changed.
func (e *Engine) storeDrafts(ctx context.Context) error {
	var changed []store.RunDraft
	for id, d := range e.drafts.of(true) {
		if now, ok := d.unstored(); ok {
			now.RunID = id
			changed = append(changed, now)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	err := e.db.Write(ctx, func(tx *store.Tx) error {
		for _, d := range changed {
			if d.Version == 0 {
				if err := tx.DeleteRunDraft(d.RunID); err != nil {
					return err
				}
			} else if err := tx.PutRunDraft(d); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		e.bus.Publish(draftsTopic)
	}
	return err
}

// unstored is a draft that is to be stored; one without a version is to be deleted.
func (d *draft) unstored() (now store.RunDraft, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	grown := len(d.content) - d.length
	if d.version == d.stored && (d.version == 0 || grown == 0 || grown*draftPortion < len(d.content)) {
		return now, false
	}
	d.stored, d.length = d.version, len(d.content)
	return store.RunDraft{Version: d.version, Round: d.round, Content: strings.ReplaceAll(string(d.content), "\x00", "")}, true
}

// endDraft ends the draft of a run that this node no longer works on.
func (e *Engine) endDraft(id atelier.RunID, d *draft) {
	d.setLocal(false)
	d.mu.Lock()
	isStored := d.stored != 0
	d.stored = 0
	d.mu.Unlock()
	if !isStored {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := e.db.Write(ctx, func(tx *store.Tx) error { return tx.DeleteRunDraft(id) }); err != nil {
		e.opts.Log.Warn("delete text of chat run failed", "run", id, "error", err)
	}
}

// fetch reads the drafts that readers of this node follow and other nodes have, until ctx ends.
func (e *Engine) fetch(ctx context.Context) {
	sub := e.bus.Subscribe(draftsTopic)
	defer sub.Close()
	var asked time.Time
	for {
		wanted := e.drafts.of(false)
		var next <-chan time.Time
		if len(wanted) > 0 {
			if time.Since(asked) >= askDrafts {
				asked = time.Now()
				e.bus.Publish(draftsWantedTopic)
			}
			next = time.After(askDrafts)
			if err := e.readDrafts(ctx, wanted); err != nil && ctx.Err() == nil {
				e.opts.Log.Warn("read text of chat runs failed", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-sub.C():
		case <-e.drafts.wanted:
			asked = time.Time{}
		case <-next:
		}
	}
}

// readDrafts reads drafts that other nodes have stored.
func (e *Engine) readDrafts(ctx context.Context, wanted map[atelier.RunID]*draft) error {
	ids := make([]atelier.RunID, 0, len(wanted))
	for id := range wanted {
		ids = append(ids, id)
	}
	var found []store.RunDraft
	err := e.db.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = tx.RunDrafts(ids)
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range found {
		wanted[f.RunID].replace(f)
		delete(wanted, f.RunID)
	}
	for _, d := range wanted {
		d.replace(store.RunDraft{})
	}
	return nil
}

// replace makes a draft what another node has stored, unless a model of this node writes it meanwhile.
func (d *draft) replace(by store.RunDraft) {
	d.mu.Lock()
	isSame := d.isLocal || d.version == by.Version && len(d.content) >= len(by.Content)
	d.mu.Unlock()
	if !isSame {
		d.change(func() { d.version, d.round, d.content = by.Version, by.Round, []byte(by.Content) })
	}
}
