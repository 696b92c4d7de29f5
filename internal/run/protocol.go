package run

import (
	"context"
	"strings"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/store"
)

// Item is what a protocol of another service has started: a workflow or a run. One of the two is set.
type Item struct {
	Workflow *apitype.Workflow
	Run      *Noted
}

// ItemPosition is the place of an item in the list of its protocol.
type ItemPosition = store.ProtocolItem

func isRun(id string) bool { return strings.HasPrefix(id, idPrefix) }

// Item reads a workflow or a run of an account that was started with a note. Any other is not found.
func (e *Engine) Item(ctx context.Context, w atelier.Wallet, id string) (Item, error) {
	if isRun(id) {
		r, err := e.Noted(ctx, w, atelier.RunID(id))
		return Item{Run: &r}, err
	}
	found, err := e.workflows.Workflow(ctx, w, atelier.WorkflowID(id))
	if err == nil && found.Note == nil {
		err = atelier.Missing("id", id, "workflow")
	}
	return Item{Workflow: &found}, err
}

// Items reads what a protocol has started for an account: at most limit of those that are older than a place, the
// newest first, or of those that are newer, the oldest first. It returns the place of each, and whether there are more.
func (e *Engine) Items(ctx context.Context, w atelier.Wallet, protocol string, from *ItemPosition, newer bool, limit int) (list []Item, places []ItemPosition, more bool, err error) {
	var found []store.ProtocolItem
	err = e.db.Read(ctx, func(tx *store.Tx) (err error) {
		found, err = tx.ProtocolItems(w, protocol, from, newer, limit+1)
		return err
	})
	if more = len(found) > limit; more {
		found = found[:limit]
	}
	for i := 0; i < len(found) && err == nil; i++ {
		item, gone := e.Item(ctx, w, found[i].ID)
		switch {
		case gone == nil:
			list, places = append(list, item), append(places, found[i])
		case !atelier.HasCode(gone, atelier.CodeNotFound): // otherwise it was deleted meanwhile
			err = gone
		}
	}
	return list, places, more, err
}

// AwaitItem waits until an item is over, or waits for its user. It calls see with what a model writes, and with nil at
// every heartbeat. Its error ends the waiting.
func (e *Engine) AwaitItem(ctx context.Context, w atelier.Wallet, id string, every time.Duration, see func(*Text) error) error {
	rests := func(s atelier.Status) bool { return s.Terminal() || s == atelier.StatusWaitingForUser }
	if isRun(id) {
		news, err := e.Follow(ctx, w, atelier.RunID(id), -1, every)
		if err != nil {
			return err
		}
		for n, err := range news {
			if err != nil || n.Standing != nil && rests(n.Standing.Status) {
				return err
			}
			if n.Event != nil || n.Standing != nil {
				continue
			}
			if err := see(n.Text); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	news, err := e.workflows.Follow(ctx, w, atelier.WorkflowID(id), -1, every)
	if err != nil {
		return err
	}
	for n, err := range news {
		if err != nil || n.Standing != nil && rests(n.Standing.Status) {
			return err
		}
		if n.Event != nil || n.Standing != nil {
			continue
		}
		if err := see(nil); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// CancelItem ends an item. One that is over stays as it is.
func (e *Engine) CancelItem(ctx context.Context, w atelier.Wallet, id, reason string) (err error) {
	if !isRun(id) {
		_, err = e.workflows.Cancel(ctx, w, atelier.WorkflowID(id), reason)
		return err
	}
	if _, err = e.Cancel(ctx, w, atelier.RunID(id), reason); atelier.HasCode(err, atelier.CodeWrongState) {
		return nil
	}
	return err
}
