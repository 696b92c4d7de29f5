package account

import (
	"context"
	"testing"

	"github.com/atelier-project/atelier"
)

// A request that comes while a lookup runs gets another one: the answer it is
// given was read after it came.
func TestLookupsBeginAfterTheRequest(t *testing.T) {
	t.Parallel()
	began, finish := make(chan int), make(chan struct{})
	count := 0
	l := newLookups(func(context.Context, string) (atelier.Account, error) {
		l := count + 1
		count = l
		began <- l
		<-finish
		return atelier.Account{Username: string(rune('0' + l))}, nil
	})
	answers := make(chan string, 2)
	ask := func() {
		a, err := l.owner(context.Background(), "hash")
		if err != nil {
			t.Error(err)
		}
		answers <- a.Username
	}
	go ask()
	<-began // the first runs: no later request joins it
	go ask()
	<-began // the second does not share it
	finish <- struct{}{}
	finish <- struct{}{}
	if a, b := <-answers, <-answers; a == b {
		t.Errorf("both got lookup %s", a)
	}
	if len(l.waiting) != 0 {
		t.Errorf("%d lookups are left over", len(l.waiting))
	}
}

// Requests that are ready together share one lookup.
func TestLookupsAreShared(t *testing.T) {
	t.Parallel()
	l := newLookups(func(context.Context, string) (atelier.Account, error) {
		return atelier.Account{Username: "ann"}, nil
	})
	open := &lookup[atelier.Account]{done: make(chan struct{}), err: errBroken}
	l.waiting["hash"] = open // one that has not begun yet
	answers := make(chan error, 5)
	for range 5 {
		go func() { _, err := l.owner(context.Background(), "hash"); answers <- err }()
	}
	l.run(context.Background(), "hash", open)
	for range 5 {
		if err := <-answers; err != nil {
			t.Error(err)
		}
	}
}

// A lookup continues when its first caller leaves, and one that panics leaves
// no caller waiting.
func TestLookupsEnd(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(context.Background())
	leave()
	l := newLookups(func(ctx context.Context, hash string) (atelier.Account, error) {
		if hash == "bad" {
			panic("oops")
		}
		return atelier.Account{}, ctx.Err()
	})
	if _, err := l.owner(gone, "hash"); err != nil {
		t.Errorf("the lookup ended with its caller: %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = l.owner(gone, "bad")
	}()
	if len(l.waiting) != 0 {
		t.Error("a broken lookup is left over")
	}
}
