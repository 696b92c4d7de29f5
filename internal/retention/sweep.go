package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/store"
)

// sweep removes what is no longer kept of one kind, a batch at a time.
type sweep struct {
	kind    kind
	renewed time.Time // when the kind was held
	next    part
	done    store.RetentionTimes // once it is over
	removed int64
	isOver  bool
	err     error
}

// errTaken says that another node has taken a kind, because this one took too long.
var errTaken = errors.New("another node has taken it over")

// Sweep removes all that is no longer kept, and returns how much of each kind. It leaves a kind alone that another
// node is removing. The kinds take turns at the database, so that none waits until all of another is removed; one
// whose objects are being moved lets others go on.
func (e *Engine) Sweep(ctx context.Context) (map[string]int64, error) {
	removed := map[string]int64{}
	var (
		ready []*sweep
		errs  []error
	)
	end := func(s *sweep) {
		if s.removed > 0 {
			removed[s.kind.name] = s.removed
			e.opts.Log.Info("removed what is no longer kept", "kind", s.kind.name, "removed", s.removed)
		}
		if s.err != nil && ctx.Err() == nil {
			e.failed.Inc(s.kind.name)
			errs = append(errs, fmt.Errorf("%s: %w", s.kind.name, s.err))
		}
	}
	for _, k := range e.kinds {
		if k.age == 0 {
			continue
		}
		if s, held := e.begin(ctx, k); held {
			ready = append(ready, s)
		} else {
			end(s)
		}
	}
	moved := make(chan *sweep)
	for moving := 0; len(ready)+moving > 0; {
		if len(ready) == 0 {
			ready, moving = append(ready, <-moved), moving-1
			continue
		}
		select {
		case s := <-moved:
			ready, moving = append(ready, s), moving-1
			continue
		default:
		}
		s := ready[0]
		ready = ready[1:]
		if s.isOver || s.err != nil {
			e.leave(ctx, s)
			end(s)
			continue
		}
		keys := e.step(ctx, s)
		if len(keys) == 0 {
			ready = append(ready, s)
			continue
		}
		moving++
		go func() {
			if err := e.media.Discard(ctx, keys); err != nil {
				s.err = err
			}
			moved <- s
		}()
	}
	return removed, errors.Join(errs...)
}

// begin holds a kind. It reports false while another node does, or when that failed.
func (e *Engine) begin(ctx context.Context, k kind) (s *sweep, held bool) {
	now := e.opts.Now()
	s = &sweep{kind: k, renewed: now, next: part{before: now.Add(-k.age), limit: firstBatch}, done: store.RetentionTimes{Swept: now, Whole: now}}
	var last store.RetentionTimes
	s.err = e.db.WriteDeletion(ctx, func(tx *store.Tx) (err error) {
		last, held, err = tx.HoldRetention(k.name, e.node, now, now.Add(lease))
		return err
	})
	isKnown := !last.Swept.After(now.Add(lease)) && !last.Whole.After(now.Add(lease)) // by a clock that was not ahead
	if isKnown && now.Sub(last.Whole) < wholeEvery {
		s.next.since, s.done.Whole = last.Swept.Add(-k.age-longest), last.Whole
	}
	return s, held && s.err == nil
}

// step removes a batch, and pauses for as long as that took. It returns the keys of the objects that no row names any
// more.
func (e *Engine) step(ctx context.Context, s *sweep) []string {
	var b batch
	started := time.Now()
	s.err = e.db.WriteDeletion(ctx, func(tx *store.Tx) (err error) {
		b = batch{}
		if now := e.opts.Now(); now.Sub(s.renewed) > lease/2 {
			_, held, err := tx.HoldRetention(s.kind.name, e.node, now, now.Add(lease))
			if err == nil && !held {
				err = errTaken
			}
			if err != nil {
				return err
			}
			tx.OnCommit(func() { s.renewed = now })
		}
		b, err = s.kind.remove(tx, s.next)
		return err
	})
	if s.err != nil {
		return nil
	}
	took := time.Since(started)
	s.removed += b.removed
	e.removed.Add(float64(b.removed), s.kind.name)
	s.isOver = !b.more
	s.next.after, s.next.limit = b.last, nextBatch(s.next.limit, took)
	if !clock.Sleep(ctx, max(took, leastPause)) && !s.isOver {
		s.err = ctx.Err()
	}
	return b.keys
}

// leave lets another node hold a kind of which all is removed. One that failed is held until the lease ends.
func (e *Engine) leave(ctx context.Context, s *sweep) {
	if s.err == nil {
		s.err = e.db.WriteDeletion(ctx, func(tx *store.Tx) error { return tx.LeaveRetention(s.kind.name, e.node, s.done) })
	}
}
