package account

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/atelier-project/atelier"
)

// Those who come while a lookup runs share the next one, and never the one
// that began before they came.
func TestLookupsAreSharedForwardOnly(t *testing.T) {
	t.Parallel()
	began, finish := make(chan int), make(chan struct{})
	var (
		mu    sync.Mutex
		count int
	)
	l := newLookups(func(context.Context, string) (atelier.Account, error) {
		mu.Lock()
		count++
		n := count
		mu.Unlock()
		began <- n
		<-finish
		return atelier.Account{Username: string(rune('0' + n))}, nil
	})
	answers := make(chan string, 10)
	ask := func() {
		a, err := l.account(context.Background(), "hash")
		if err != nil {
			t.Error(err)
		}
		answers <- a.Username
	}
	go ask()
	<-began // the first lookup runs
	for range 5 {
		go ask()
	}
	waiting := func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.next["hash"] != nil && l.next["hash"].waiters == 5
	}
	for !waiting() { // until each has registered for the next
		runtime.Gosched()
	}
	finish <- struct{}{}
	if got := <-answers; got != "1" {
		t.Errorf("the first got lookup %s", got)
	}
	<-began
	finish <- struct{}{}
	for range 5 {
		if got := <-answers; got != "2" {
			t.Errorf("one that came later got lookup %s, want 2", got)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.running) != 0 || len(l.next) != 0 || count != 2 {
		t.Errorf("left over: %d running, %d next; %d lookups", len(l.running), len(l.next), count)
	}
}

// One that gives up does not take the others' answer away.
func TestGivingUpALookup(t *testing.T) {
	t.Parallel()
	began, finish := make(chan struct{}), make(chan struct{})
	l := newLookups(func(ctx context.Context, _ string) (atelier.Account, error) {
		began <- struct{}{}
		<-finish
		return atelier.Account{}, ctx.Err()
	})
	first := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _, err := l.account(ctx, "hash"); first <- err }()
	<-began
	second, giveUp := context.WithCancel(context.Background())
	giveUp()
	if _, err := l.account(second, "hash"); err != context.Canceled {
		t.Errorf("the one that gave up: got %v", err)
	}
	cancel() // the first caller leaves; its lookup serves others and goes on
	finish <- struct{}{}
	if err := <-first; err != nil {
		t.Errorf("the lookup ended with its caller: %v", err)
	}
	<-began
	finish <- struct{}{}
}
