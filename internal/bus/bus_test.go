package bus_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/bus"
)

// patience is how long a test waits for something that should happen at once.
const patience = 2 * time.Minute

func alone(t testing.TB) *bus.Bus {
	t.Helper()
	b, err := bus.Open(t.Context(), bus.Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(b.Close)
	return b
}

// nudged reports whether a nudge is waiting now.
func nudged(s *bus.Subscription) bool {
	select {
	case <-s.C():
		return true
	default:
		return false
	}
}

func awaitNudge(t *testing.T, s *bus.Subscription, what string) {
	t.Helper()
	select {
	case <-s.C():
	case <-time.After(patience):
		t.Fatalf("%s: no nudge after %v", what, patience)
	}
}

func TestNudgeWaitsForBusySubscriber(t *testing.T) {
	t.Parallel()
	b := alone(t)
	s := b.Subscribe("workflow/1")
	defer s.Close()
	if nudged(s) {
		t.Fatal("got a nudge before any was published")
	}
	b.Publish("workflow/1")
	if !nudged(s) {
		t.Fatal("the nudge published after Subscribe was missed")
	}
}

func TestNudgesCoalesce(t *testing.T) {
	t.Parallel()
	b := alone(t)
	s := b.Subscribe("a", "b")
	defer s.Close()
	for range 100 {
		b.Publish("a")
		b.Publish("b")
	}
	if !nudged(s) {
		t.Fatal("got no nudge, want one")
	}
	if nudged(s) {
		t.Fatal("got a second nudge, want all of them in one")
	}
	b.Publish("b")
	if !nudged(s) {
		t.Fatal("a nudge after the first was read is missing")
	}
}

func TestTopicsAreSeparate(t *testing.T) {
	t.Parallel()
	b := alone(t)
	var subs []*bus.Subscription
	for i := range 200 {
		s := b.Subscribe(fmt.Sprintf("own/%d", i), fmt.Sprintf("shared/%d", i%10))
		defer s.Close()
		subs = append(subs, s)
	}
	b.Publish("own/7")
	for i, s := range subs {
		if got, want := nudged(s), i == 7; got != want {
			t.Errorf("own/7 published: subscriber %d nudged = %v, want %v", i, got, want)
		}
	}
	b.Publish("shared/3")
	for i, s := range subs {
		if got, want := nudged(s), i%10 == 3; got != want {
			t.Errorf("shared/3 published: subscriber %d nudged = %v, want %v", i, got, want)
		}
	}
}

func TestEmptyTopicHasNoSubscribers(t *testing.T) {
	t.Parallel()
	b := alone(t)
	s := b.Subscribe("a")
	defer s.Close()
	b.Publish("")
	if nudged(s) {
		t.Fatal("the empty topic woke a subscriber")
	}
}

func TestCloseEndsNudges(t *testing.T) {
	t.Parallel()
	b := alone(t)
	var subs []*bus.Subscription
	for range 5 {
		subs = append(subs, b.Subscribe("a", "b"))
	}
	// Closing the first, a middle one and the last changes the indices of the
	// others.
	for _, i := range []int{0, 2, 4} {
		subs[i].Close()
		subs[i].Close()
	}
	for _, topic := range []string{"a", "b"} {
		b.Publish(topic)
		for i, s := range subs {
			if got, want := nudged(s), i%2 == 1; got != want {
				t.Errorf("%s published: subscriber %d nudged = %v, want %v", topic, i, got, want)
			}
		}
	}
}

func TestSameTopicTwiceInOneSubscription(t *testing.T) {
	t.Parallel()
	b := alone(t)
	s := b.Subscribe("a", "a")
	b.Publish("a")
	if !nudged(s) || nudged(s) {
		t.Fatal("want exactly one nudge")
	}
	s.Close()
	b.Publish("a")
	if nudged(s) {
		t.Fatal("nudged after Close")
	}
}

func TestCloseWhilePublishing(t *testing.T) {
	t.Parallel()
	b := alone(t)
	topics := []string{"a", "b", "c"}
	stop := make(chan struct{})
	var publishers, subscribers sync.WaitGroup
	for _, topic := range topics {
		publishers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					b.Publish(topic)
					runtime.Gosched() // let the subscribers run
				}
			}
		})
	}
	for range 4 {
		subscribers.Go(func() {
			for range 50 {
				s := b.Subscribe(topics...)
				<-s.C()
				s.Close()
			}
		})
	}
	subscribers.Wait()
	close(stop)
	publishers.Wait()
	b.Close()
	b.Close()
	s := b.Subscribe("a")
	b.Publish("a")
	if !nudged(s) {
		t.Error("a closed bus still has to serve this node")
	}
}

func TestPingAlone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := alone(t).Ping(ctx); err != nil {
		t.Fatalf("Ping = %v, want nil without NATS", err)
	}
}

// TestUnsubscribingLeavesNoGarbage is not parallel: it measures the heap.
func TestUnsubscribingLeavesNoGarbage(t *testing.T) {
	b := alone(t)
	var before uint64
	for round := range 6 {
		if round == 1 { // the first has what is allocated once
			before = heap()
		}
		subs := make([]*bus.Subscription, 10_000)
		for i := range subs {
			subs[i] = b.Subscribe(fmt.Sprintf("workflow/%d", i), "shared")
		}
		for _, s := range subs {
			s.Close()
		}
	}
	if grown := int64(heap()) - int64(before); grown > 256<<10 {
		t.Errorf("the heap grew by %d bytes after all subscriptions were closed, want next to none", grown)
	}
	runtime.KeepAlive(b)
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkPublish(b *testing.B) {
	for _, others := range []int{1, 10_000} {
		b.Run(fmt.Sprintf("others=%d", others), func(b *testing.B) {
			hub := alone(b)
			for i := range others {
				defer hub.Subscribe(fmt.Sprintf("other/%d", i)).Close()
			}
			s := hub.Subscribe("mine")
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				hub.Publish("mine")
			}
		})
	}
}

func BenchmarkSubscribe(b *testing.B) {
	hub := alone(b)
	for i := range 10_000 {
		defer hub.Subscribe(fmt.Sprintf("other/%d", i)).Close()
	}
	b.ReportAllocs()
	for b.Loop() {
		hub.Subscribe("mine").Close()
	}
}
