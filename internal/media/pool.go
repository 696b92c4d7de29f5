package media

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
)

// decodePool limits the decoding of uploaded pictures: their memory, their use of
// processors, and the share of one account. In each lane, one picture of each
// account is decoded at a time, and accounts take turns: however much one of them
// sends, another waits for at most one picture of each account before it.
type decodePool struct {
	small, large lane
}

const (
	// smallPicture is the memory up to which a picture never waits behind large
	// ones: about what a picture of two megapixels takes.
	smallPicture = 32 << 20

	// decodeMemory is what large pictures that are decoded at the same time may
	// take together. One that takes more is decoded alone.
	decodeMemory = 512 << 20

	// decodeWait is how long an upload waits for its turn.
	decodeWait = 20 * time.Second
)

func newDecodePool() *decodePool {
	cores := runtime.GOMAXPROCS(0)
	return &decodePool{
		small: lane{free: smallPicture * int64(max(2, cores)), slots: max(2, cores)},
		large: lane{free: decodeMemory, slots: max(1, cores/2)},
	}
}

// ErrBusy says that a picture cannot be decoded now, for lack of memory, time or a
// process: it may be valid.
var ErrBusy = errors.New("media: too many pictures are being decoded")

// orRetry replaces ErrBusy by an error for the caller, which says what to do.
func orRetry(err error, say string) error {
	if !errors.Is(err, ErrBusy) {
		return err
	}
	busy := atelier.Errorf(atelier.CodeUnavailable, "%s", say)
	busy.RetryAfter = 5 * time.Second
	return busy
}

// enter waits for the account's turn to decode a picture that takes so much
// memory. The caller calls leave when it is done. ErrBusy says that it waited too long.
func (p *decodePool) enter(ctx context.Context, account string, memory int64) (leave func(), err error) {
	l := &p.small
	if memory > smallPicture {
		l, memory = &p.large, min(memory, decodeMemory)
	}
	ctx, cancel := context.WithTimeout(ctx, decodeWait)
	defer cancel()
	t := &turn{memory: memory, granted: make(chan struct{})}
	l.wait(account, t)
	select {
	case <-t.granted:
		return func() { l.leave(account, t) }, nil
	case <-ctx.Done():
		l.abandon(account, t)
		return nil, ErrBusy
	}
}

// lane is a part of the pool with a budget of its own.
type lane struct {
	mu       sync.Mutex
	free     int64 // memory
	slots    int   // how many more can be decoded at the same time
	accounts []*line
}

// line is the queue of one account in a lane. The account whose turn ended last is
// last.
type line struct {
	account string
	waiting []*turn
	busy    bool
}

type turn struct {
	memory  int64
	granted chan struct{}
}

func (l *lane) wait(account string, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.accounts, func(n *line) bool { return n.account == account })
	if i < 0 {
		l.accounts, i = append(l.accounts, &line{account: account}), len(l.accounts)
	}
	l.accounts[i].waiting = append(l.accounts[i].waiting, t)
	l.grant()
}

// grant gives turns while there is capacity, to accounts in their order. A picture
// that does not fit yet keeps those behind it waiting, or it would never fit.
func (l *lane) grant() {
	for _, n := range l.accounts {
		if n.busy || len(n.waiting) == 0 {
			continue
		}
		t := n.waiting[0]
		if t.memory > l.free || l.slots == 0 {
			return
		}
		n.waiting, n.busy = n.waiting[1:], true
		l.free, l.slots = l.free-t.memory, l.slots-1
		close(t.granted)
	}
}

func (l *lane) leave(account string, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free, l.slots = l.free+t.memory, l.slots+1
	l.change(account, func(n *line) { n.busy = false })
}

// abandon gives up a turn, whether or not it was granted.
func (l *lane) abandon(account string, t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-t.granted:
		l.free, l.slots = l.free+t.memory, l.slots+1
		l.change(account, func(n *line) { n.busy = false })
	default:
		l.change(account, func(n *line) { n.waiting = slices.DeleteFunc(n.waiting, func(w *turn) bool { return w == t }) })
	}
}

// change changes an account's line, moves it to the end or removes it when it is
// empty, and gives free capacity to others.
func (l *lane) change(account string, do func(*line)) {
	i := slices.IndexFunc(l.accounts, func(n *line) bool { return n.account == account })
	n := l.accounts[i]
	do(n)
	l.accounts = slices.Delete(l.accounts, i, i+1)
	if n.busy || len(n.waiting) > 0 {
		l.accounts = append(l.accounts, n)
	}
	l.grant()
}
