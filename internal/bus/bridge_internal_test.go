package bus

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeLink is a link that a test connects and loses.
type fakeLink struct{}

func (fakeLink) send(batch) error { return nil }
func (fakeLink) close()           {}

// Every subscriber looks at once when the bus is lost, every two seconds while it is, once
// when it is back, and not at all while it is connected.
func TestSubscribersLookWhileTheBusIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &Bus{hub: hub{topics: map[string]*topic{}}}
		b.bridge = newBridge(&b.hub, slog.New(slog.DiscardHandler))
		first, second := b.bridge.line("first"), b.bridge.line("second")
		first.link, second.link = fakeLink{}, fakeLink{}
		b.bridge.start()
		defer b.Close()
		sub := b.Subscribe("a")
		var (
			mu    sync.Mutex
			woken []time.Duration
			began = time.Now()
		)
		go func() {
			for {
				select {
				case <-sub.C():
					mu.Lock()
					woken = append(woken, time.Since(began))
					mu.Unlock()
				case <-t.Context().Done():
					return
				}
			}
		}()
		check := func(what string, want ...time.Duration) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(woken, want) {
				t.Fatalf("%s: woken at %v, want %v", what, woken, want)
			}
			woken, began = nil, time.Now()
		}
		away := errors.New("away")

		time.Sleep(5 * time.Second)
		check("before the first connection", 2*time.Second, 4*time.Second)
		first.report(nil)
		check("connected", 0)
		time.Sleep(time.Hour)
		check("while it is connected")
		first.report(away)
		check("lost", 0)
		first.report(away)
		time.Sleep(7 * time.Second)
		check("while it is lost", 2*time.Second, 4*time.Second, 6*time.Second)
		first.report(nil)
		check("connected again", 0)
		time.Sleep(time.Hour)
		check("while it is connected again")
		second.report(nil)
		check("the second line is connected", 0)
		second.report(away)
		check("the second line is lost", 0)
		time.Sleep(time.Hour)
		check("without the second line")
	})
}

// Subscribers look at once and once more when something changed that is not known, here and on other nodes.
func TestPublishAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &Bus{hub: hub{topics: map[string]*topic{}}}
		b.bridge = newBridge(&b.hub, slog.New(slog.DiscardHandler))
		b.bridge.line("only").link = fakeLink{}
		sub := b.Subscribe("a")
		for _, look := range []time.Duration{0, lookEvery} {
			if look == 0 {
				b.PublishAll()
				b.PublishAll()
			}
			time.Sleep(look)
			synctest.Wait()
			select {
			case <-sub.C():
			default:
				t.Errorf("after %s the subscriber was not woken", look)
			}
			if sent := b.bridge.outbox.drain(); !sent.all {
				t.Errorf("after %s the other nodes get %v, want a nudge for all", look, sent)
			}
		}
		b.PublishAll()
		time.Sleep(lookEvery / 2)
		b.PublishAll() // this also has its moment
		b.bridge.outbox.drain()
		time.Sleep(lookEvery / 2)
		synctest.Wait()
		if sent := b.bridge.outbox.drain(); !sent.empty() {
			t.Errorf("sooner than a moment after the last the other nodes get %v, want nothing", sent)
		}
		time.Sleep(lookEvery / 2)
		synctest.Wait()
		if sent := b.bridge.outbox.drain(); !sent.all {
			t.Errorf("a moment after the last the other nodes get %v, want a nudge for all", sent)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if sent := b.bridge.outbox.drain(); !sent.empty() {
			t.Errorf("much later the other nodes get %v, want nothing", sent)
		}
	})
}

// However many topics wait, no notification is longer than PostgreSQL takes, and together
// they have every topic once.
func TestPayloads(t *testing.T) {
	t.Parallel()
	var b batch
	for i := range 3000 {
		b.add(strings.Repeat("t", i%500) + "/" + string(rune('a'+i%26)) + strings.Repeat("u", i/500))
	}
	seen := map[string]bool{}
	list := payloads("node", b)
	for _, text := range list {
		lines := strings.Split(text, "\n")
		if len(text) >= 8000 || lines[0] != "node" {
			t.Errorf("a notification of %d bytes begins with %q", len(text), lines[0])
		}
		for _, topic := range lines[1:] {
			if seen[topic] || topic == "" {
				t.Errorf("the topic %q is there twice, or is empty", topic)
			}
			seen[topic] = true
		}
	}
	if len(seen) != len(b.topics) {
		t.Errorf("%d topics of %d in %d notifications", len(seen), len(b.topics), len(list))
	}
	for _, odd := range []string{"two\nlines", "nul\x00", "\xff", strings.Repeat("x", 9000)} {
		var b batch
		b.add("a")
		b.add(odd)
		if got := payloads("node", b); len(got) != 1 || got[0] != "node\n" {
			t.Errorf("with the topic %.10q: got %q, want one that wakes all", odd, got)
		}
	}
}
