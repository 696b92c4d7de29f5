package bus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/database"
)

const (
	notifyWithin = 2 * time.Second // sending one batch
	proveWithin  = 5 * time.Second // connecting, and the first notification through a new connection
	redialMost   = 5 * time.Second // the pause between two attempts grows up to this

	// payloadBytes is the most of one notification: PostgreSQL takes less than 8000.
	payloadBytes = 7500
)

// postgresLink sends nudges as notifications of the PostgreSQL that the nodes share, and
// listens on a dedicated connection.
//
// A notification is the id of the node that sends it and then its topics, a line each. An
// empty topic wakes all subscribers. Without topics it is the one by which a node proves
// that it hears.
type postgresLink struct {
	line      *line
	channel   *database.Channel
	node      string
	heartbeat time.Duration
	cancel    context.CancelFunc
	ended     chan struct{}
}

func openPostgres(o Options, l *line) *postgresLink {
	ctx, cancel := context.WithCancel(context.Background())
	p := &postgresLink{line: l, channel: o.Channel, node: rand.Text()[:10], heartbeat: o.Heartbeat, cancel: cancel, ended: make(chan struct{})}
	go p.run(ctx)
	return p
}

// run listens, and connects again after a growing pause, until ctx ends.
func (p *postgresLink) run(ctx context.Context) {
	defer close(p.ended)
	pause := clock.Backoff{First: redialAfter, Most: redialMost}
	for {
		connected, err := p.listen(ctx)
		if ctx.Err() != nil {
			return
		}
		p.line.report(err)
		if connected {
			pause.Reset()
		}
		if !clock.Sleep(ctx, pause.Next()) {
			return
		}
	}
}

// listen receives nudges until the connection breaks. It reports whether there was one.
func (p *postgresLink) listen(ctx context.Context) (connected bool, err error) {
	opening, cancel := context.WithTimeout(ctx, proveWithin)
	defer cancel()
	l, err := p.channel.Listen(opening, p.heartbeat)
	if err != nil {
		return false, err
	}
	defer l.Close()
	if err := p.prove(opening, l); err != nil {
		return false, err
	}
	p.line.report(nil)
	for {
		payload, err := l.Next(ctx)
		if err != nil {
			return true, err
		}
		p.receive(payload)
	}
}

// errDeaf means that the connection works, but not for listening.
var errDeaf = errors.New("notifications do not arrive: LISTEN does not work through a connection pooler in transaction mode")

// prove sends a notification through the pool and waits for it on the new connection.
func (p *postgresLink) prove(ctx context.Context, l *database.Listener) error {
	if err := p.channel.Notify(ctx, p.node); err != nil {
		return err
	}
	for {
		payload, err := l.Next(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return errDeaf
		case err != nil:
			return err
		case payload == p.node:
			return nil
		}
		p.receive(payload)
	}
}

func (p *postgresLink) receive(payload string) {
	from, topics, any := strings.Cut(payload, "\n")
	if from == p.node || !any {
		return
	}
	for topic := range strings.SplitSeq(topics, "\n") {
		if topic == "" {
			p.line.bridge.hub.wakeAll()
		} else {
			p.line.bridge.hub.wake(topic)
		}
	}
}

func (p *postgresLink) send(b batch) error {
	ctx, cancel := context.WithTimeout(context.Background(), notifyWithin)
	defer cancel()
	if err := p.channel.Notify(ctx, payloads(p.node, b)...); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// payloads are the notifications of a batch, each as long as one may be.
func payloads(node string, b batch) (out []string) {
	var text strings.Builder
	for topic := range b.topics {
		if len(topic) > payloadBytes/2 || strings.ContainsAny(topic, "\n\x00") || !utf8.ValidString(topic) {
			b.all = true // no topic of ours is like that
		}
		if b.all {
			break
		}
		if text.Len()+len(topic) >= payloadBytes {
			out = append(out, text.String())
			text.Reset()
		}
		if text.Len() == 0 {
			text.WriteString(node)
		}
		text.WriteByte('\n')
		text.WriteString(topic)
	}
	if b.all {
		return []string{node + "\n"}
	}
	return append(out, text.String())
}

func (p *postgresLink) close() {
	p.cancel()
	<-p.ended
}
