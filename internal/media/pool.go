package media

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
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
	d := &decoding{memory: memory, granted: make(chan struct{})}
	l.wait(account, d)
	select {
	case <-d.granted:
		return func() { l.leave(account, d) }, nil
	case <-ctx.Done():
		l.abandon(account, d)
		return nil, ErrBusy
	}
}

// lane is a part of the pool with its own budget.
type lane struct {
	mu    sync.Mutex
	free  int64 // memory
	slots int   // how many more can be decoded at the same time
	turns admission.Turns[string, *decoding]
}

// decoding is a picture that waits for its turn, or has it.
type decoding struct {
	memory  int64
	granted chan struct{} // closed with the lock held
}

func (l *lane) wait(account string, d *decoding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turns.Add(account, d)
	l.grant()
}

// grant gives turns while there is capacity.
func (l *lane) grant() {
	for {
		_, d, ok := l.turns.Next(func(d *decoding) bool { return d.memory <= l.free && l.slots > 0 })
		if !ok {
			return
		}
		l.free, l.slots = l.free-d.memory, l.slots-1
		close(d.granted)
	}
}

func (l *lane) leave(account string, d *decoding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(account, d)
}

func (l *lane) end(account string, d *decoding) {
	l.free, l.slots = l.free+d.memory, l.slots+1
	l.turns.Done(account)
	l.grant()
}

// abandon gives up a turn, whether or not it was granted.
func (l *lane) abandon(account string, d *decoding) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-d.granted:
		l.end(account, d)
	default:
		l.turns.Remove(account, func(other *decoding) bool { return other == d })
		l.grant()
	}
}
