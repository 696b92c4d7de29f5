package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// lookEvery is how often all subscribers look again while nudges of other nodes may not
// arrive.
const lookEvery = 2 * time.Second

// retryAfter is how long a batch waits that a connected server did not take.
const retryAfter = 250 * time.Millisecond

// bridge connects the hub of this node to those of the others.
//
// The first line carries the nudges. The second, if there is one, is heard all the time,
// and carries those of this node while the first is not connected, so that other nodes,
// whose own first line may be fine, do not wait for them.
type bridge struct {
	hub     *hub
	log     *slog.Logger
	lines   []*line
	outbox  outbox
	changed chan struct{} // holds a signal when a line was lost or connected
	stop    chan struct{} // closed to end the tasks
	tasks   sync.WaitGroup
}

// link is a way to the other nodes. It reports to its line whether it is connected.
type link interface {
	send(batch) error // returns nil when the server has confirmed all of it
	close()
}

// line is a link and whether it is connected.
type line struct {
	link
	name   string
	bridge *bridge
	opened chan struct{} // closed when it has been connected once
	open   func()        // closes it

	mu       sync.Mutex
	why      error // it is not connected; nil when it is
	reported bool  // the link has reported
}

func newBridge(h *hub, log *slog.Logger) *bridge {
	return &bridge{
		hub: h, log: log,
		outbox:  outbox{ready: make(chan struct{}, 1)},
		changed: make(chan struct{}, 1),
		stop:    make(chan struct{}),
	}
}

func (b *bridge) line(name string) *line {
	opened := make(chan struct{})
	l := &line{name: name, bridge: b, opened: opened, open: sync.OnceFunc(func() { close(opened) }), why: errors.New("no connection yet")}
	b.lines = append(b.lines, l)
	return l
}

func (b *bridge) start() {
	b.tasks.Go(b.watch)
	b.tasks.Go(b.send)
}

// fault is why the line is not connected; nil when it is.
func (l *line) fault() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == nil {
		return nil
	}
	return fmt.Errorf("bus: not connected to %s: %w", l.name, l.why)
}

// report records that the link is connected, or why it is not, and has all subscribers
// look: nudges were missed, or are about to be. A link reports that it is connected when
// it has proof that nudges arrive from then on.
func (l *line) report(why error) {
	l.mu.Lock()
	changed := !l.reported || (why == nil) != (l.why == nil)
	l.reported, l.why = true, why
	l.mu.Unlock()
	if !changed {
		return
	}
	b := l.bridge
	b.hub.wakeAll()
	select {
	case b.changed <- struct{}{}:
	default:
	}
	if why != nil {
		b.log.Warn("bus: not connected, retrying", "link", l.name, "error", why)
		return
	}
	b.outbox.signal() // what waits can be sent now
	b.log.Info("bus: connected", "link", l.name)
	l.open()
}

// watch wakes all subscribers every lookEvery while the first line is not connected.
func (b *bridge) watch() {
	for {
		var again <-chan time.Time
		if b.lines[0].fault() != nil {
			again = time.After(lookEvery)
		}
		select {
		case <-b.stop:
			return
		case <-b.changed:
		case <-again:
			b.hub.wakeAll()
		}
	}
}

// send empties the outbox, one round trip at a time, until the bridge closes. The answer
// of the server confirms the batch; without it the batch is kept, so a nudge is not lost
// when a server dies while it is on the wire. Nudges published during the round trip go
// with the next one.
func (b *bridge) send() {
	for {
		select {
		case <-b.stop:
			b.sendBatch()
			return
		case <-b.outbox.ready:
		}
		if b.sendBatch() {
			continue
		}
		select {
		case <-b.stop:
		case <-time.After(retryAfter):
		}
	}
}

// sendBatch sends what waits by the first line that takes it. It reports false when one
// was connected and none did. When none is connected, the next that is signals the outbox.
func (b *bridge) sendBatch() bool {
	var waiting *batch
	for _, l := range b.lines {
		if l.fault() != nil {
			continue
		}
		if waiting == nil {
			drained := b.outbox.drain()
			waiting = &drained
		}
		if waiting.empty() {
			return true
		}
		err := l.link.send(*waiting)
		if err == nil {
			return true
		}
		b.log.Debug("bus: send nudges failed, will retry", "link", l.name, "topics", len(waiting.topics), "error", err)
	}
	if waiting == nil {
		return true
	}
	b.outbox.putBack(*waiting)
	return false
}

func (b *bridge) close() {
	close(b.stop)
	b.tasks.Wait()
	for _, l := range b.lines {
		l.link.close()
		l.mu.Lock()
		l.why = errors.New("it was closed")
		l.mu.Unlock()
	}
}
