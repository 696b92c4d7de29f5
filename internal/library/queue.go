package library

import (
	"context"
	"slices"
	"sync"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
)

// mostWaiting is how many files wait to be read in the background. Others are read when
// they are wanted again.
const mostWaiting = 256

// queue holds the files that are to be read in the background. Accounts take turns, one
// file of each is read at a time, and an account that wants much takes no place from one
// that wants little.
type queue struct {
	mu       sync.Mutex
	accounts []*line // in the order of their turns
	waiting  int
	added    chan struct{} // has a value when there may be something to read
}

// line is what one account waits for.
type line struct {
	account atelier.Wallet
	items   []store.LibraryItem
	busy    bool
}

func newQueue() *queue { return &queue{added: make(chan struct{}, 1)} }

// add puts a file at the end of its account's line. When the queue is full, the account that
// waits for most loses its last one: of several, its own, or the one whose turn is last.
func (q *queue) add(item store.LibraryItem) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.line(item.Wallet)
	if slices.ContainsFunc(l.items, func(i store.LibraryItem) bool { return i.ID == item.ID }) {
		return
	}
	if l.items, q.waiting = append(l.items, item), q.waiting+1; q.waiting > mostWaiting {
		longest := l
		for _, other := range slices.Backward(q.accounts) {
			if len(other.items) > len(longest.items) {
				longest = other
			}
		}
		longest.items, q.waiting = longest.items[:len(longest.items)-1], q.waiting-1
		q.dropIfEmpty(longest)
	}
	q.signal()
}

func (q *queue) line(account atelier.Wallet) *line {
	for _, l := range q.accounts {
		if l.account == account {
			return l
		}
	}
	l := &line{account: account}
	q.accounts = append(q.accounts, l)
	return l
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
	i := slices.IndexFunc(q.accounts, func(l *line) bool { return !l.busy && len(l.items) > 0 })
	if i < 0 {
		return item, nil, false
	}
	l := q.accounts[i]
	item, l.items, l.busy = l.items[0], l.items[1:], true
	q.waiting--
	q.accounts = append(slices.Delete(q.accounts, i, i+1), l) // behind the others
	q.signal()                                                // another reader may go on with another account
	return item, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		l.busy = false
		q.dropIfEmpty(l)
		q.signal()
	}, true
}

// dropIfEmpty removes the line of an account that waits for nothing.
func (q *queue) dropIfEmpty(l *line) {
	if !l.busy && len(l.items) == 0 {
		q.accounts = slices.DeleteFunc(q.accounts, func(other *line) bool { return other == l })
	}
}
