package journal

import (
	"context"
	"errors"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// page is how many events are read at once, and how many a tail remembers.
const page = 256

// pageBytes limits the events that are read at once, and so what the readers of one log
// share.
const pageBytes = 1 << 20

// lookAgain is how long a lost nudge can go unnoticed.
const lookAgain = 2 * time.Minute

// Follow reads a log from after a sequence, first the existing events and then new ones,
// until ctx ends or the caller stops. It yields a batch whenever it has one. An empty
// batch means that there is nothing new: once when all existing events have been read, and
// then at every beat.
func (j *Journal) Follow(ctx context.Context, log string, after int64, beat time.Duration) iter.Seq2[[]atelier.Event, error] {
	return j.follow(ctx, log, after, beat, never)
}

// errWoken is no error: the caller was woken by its own channel.
var errWoken = errors.New("journal: woken")

// follow is Follow that yields errWoken when a channel of the caller is closed.
func (j *Journal) follow(ctx context.Context, log string, after int64, beat time.Duration, wake func() <-chan struct{}) iter.Seq2[[]atelier.Event, error] {
	return func(yield func([]atelier.Event, error) bool) {
		sub := j.bus.Subscribe(topic(log)) // before the first read, so that no event is missed
		defer sub.Close()
		t := j.enter(log)
		defer j.leave(log, t)
		beats := time.NewTicker(beat)
		defer beats.Stop()
		var looked time.Time
		for live := false; ; {
			batch, err := t.read(ctx, j.db, log, after)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if len(batch) > 0 {
				after = batch[len(batch)-1].Sequence
				if !yield(batch, nil) {
					return
				}
				continue
			}
			if !live {
				if live = true; !yield(nil, nil) {
					return
				}
			}
			for looked = time.Now(); time.Since(looked) < lookAgain; {
				select {
				case <-ctx.Done():
					return
				case <-beats.C:
					if !yield(nil, nil) {
						return
					}
					continue
				case <-wake():
					select {
					case <-sub.C(): // events come first
					default:
						if !yield(nil, errWoken) {
							return
						}
						continue
					}
				case <-sub.C():
				}
				break
			}
		}
	}
}

// tail is the end of a log that has readers on this node: its newest events, read once for
// all of them. For a single reader it keeps nothing.
type tail struct {
	readers atomic.Int32

	mu     sync.Mutex
	recent []atelier.Event // consecutive
	size   int64           // of the recent ones, in bytes, at most
}

func (j *Journal) enter(log string) *tail {
	j.mu.Lock()
	defer j.mu.Unlock()
	t := j.tails[log]
	if t == nil {
		t = &tail{}
		j.tails[log] = t
	}
	t.readers.Add(1)
	return t
}

func (j *Journal) leave(log string, t *tail) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if t.readers.Add(-1) == 0 {
		delete(j.tails, log)
	}
	if len(j.tails) == 0 {
		j.tails = map[string]*tail{} // a Go map never shrinks
	}
}

// read returns events after a sequence: from memory when another reader has read them,
// else from the database, for all readers.
func (t *tail) read(ctx context.Context, db *store.DB, log string, after int64) ([]atelier.Event, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.recent); n > 0 {
		first, last := t.recent[0].Sequence, t.recent[n-1].Sequence
		if after >= first-1 && after < last {
			return t.recent[after+1-first:], nil
		}
	}
	var (
		batch []atelier.Event
		size  int64
	)
	err := db.ReadDetached(ctx, func(tx *store.Tx) (err error) {
		batch, size, err = tx.SizedEvents(log, after, page, pageBytes)
		return err
	})
	if err != nil || len(batch) == 0 {
		return nil, err
	}
	if t.readers.Load() > 1 {
		t.remember(batch, size)
	} else {
		t.recent, t.size = nil, 0
	}
	return batch, nil
}

// remember keeps events that follow those it has, or come later. The returned slices are
// never written to again.
func (t *tail) remember(batch []atelier.Event, size int64) {
	n := len(t.recent)
	if n > 0 && batch[0].Sequence <= t.recent[n-1].Sequence {
		return // already delivered
	}
	follows := n > 0 && batch[0].Sequence == t.recent[n-1].Sequence+1
	if !follows || t.size+size > pageBytes {
		t.recent, t.size = batch[:len(batch):len(batch)], size
		return
	}
	joined := append(append(make([]atelier.Event, 0, n+len(batch)), t.recent...), batch...)
	t.recent, t.size = joined[max(0, len(joined)-page):], t.size+size
}
