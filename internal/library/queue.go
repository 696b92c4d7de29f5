package library

import (
	"context"
	"slices"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/store"
)

// mostWaiting is how many files wait to be read in the background. Others are read when
// they are wanted again.
const mostWaiting = 256

// queue holds the files that are to be read in the background. Accounts take turns, and an account that wants
// much takes no place from one that wants little.
type queue struct {
	mu    sync.Mutex
	turns admission.Turns[atelier.Wallet, store.LibraryItem]
	added chan struct{} // has a value when there may be something to read
}

func newQueue() *queue { return &queue{added: make(chan struct{}, 1)} }

// add puts a file behind the others of its account. When the queue is full, the account that waits for most
// loses its last one.
func (q *queue) add(item store.LibraryItem) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if slices.ContainsFunc(q.turns.Waiting(item.Wallet), func(i store.LibraryItem) bool { return i.ID == item.ID }) {
		return
	}
	if q.turns.Add(item.Wallet, item); q.turns.Len() > mostWaiting {
		q.turns.Shorten(item.Wallet)
	}
	q.signal()
}

func (q *queue) signal() {
	select {
	case q.added <- struct{}{}:
	default:
	}
}

// next waits for a file whose account has its turn. The caller calls done when it has read it.
func (q *queue) next(ctx context.Context) (item store.LibraryItem, done func(), err error) {
	for {
		if item, done, ok := q.take(); ok {
			return item, done, nil
		}
		select {
		case <-ctx.Done():
			return item, nil, ctx.Err()
		case <-q.added:
		}
	}
}

func (q *queue) take() (item store.LibraryItem, done func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	account, item, ok := q.turns.Next(func(store.LibraryItem) bool { return true })
	if !ok {
		return item, nil, false
	}
	q.signal() // another reader may go on with another account
	return item, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.turns.Done(account)
		q.signal()
	}, true
}
