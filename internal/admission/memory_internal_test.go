package admission

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
)

// What fits is given at once; what does not waits until another releases its share, and for
// some time only.
func TestMemoryIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(100, 60)
		if err := m.Acquire(t.Context(), "a", 60); err != nil {
			t.Fatal(err)
		}
		if err := m.AcquireNow("b", 41); !atelier.HasCode(err, atelier.CodeUnavailable) {
			t.Errorf("there is no room, and got %v", err)
		}
		got := make(chan error, 1)
		go func() { got <- m.Acquire(t.Context(), "b", 50) }()
		synctest.Wait()
		if err := m.AcquireNow("c", 40); err != nil {
			t.Errorf("less than is waited for, and there is room: %v", err)
		}
		m.Release("c", 40)
		m.Release("a", 60)
		if err := <-got; err != nil {
			t.Errorf("there is room again: %v", err)
		}
		began := time.Now()
		err := m.Acquire(t.Context(), "a", 51)
		if e, ok := err.(*atelier.Error); !ok || e.Code != atelier.CodeUnavailable || e.RetryAfter == 0 || time.Since(began) != memoryWait {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := m.Acquire(ctx, "a", 51); err == nil {
			t.Error("a request that was given up got memory")
		}
		m.Release("b", 50)
		if m.used != 0 || len(m.held) != 0 || len(m.waiting) != 0 {
			t.Errorf("left over: %+v", m)
		}
	})
}

// An account has no more than its share, and one that sends much does not keep the
// others waiting: the one that would hold least is next.
func TestMemoryIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(100, 60)
		order := make(chan string, 10)
		ask := func(owner string, bytes int64) {
			go func() {
				if err := m.Acquire(t.Context(), owner, bytes); err == nil {
					order <- fmt.Sprint(owner, bytes)
				}
			}()
			synctest.Wait()
		}
		for range 3 {
			ask("greedy", 30) // the third is over its share
		}
		ask("other", 40) // and does not keep this one waiting
		ask("greedy", 1)
		ask("third", 60)
		close := []string{<-order, <-order, <-order}
		if got := fmt.Sprint(close); got != "[greedy30 greedy30 other40]" {
			t.Errorf("got %s", got)
		}
		m.Release("greedy", 30)
		synctest.Wait()
		m.Release("other", 40)
		synctest.Wait()
		if got := <-order + " " + <-order; got != "greedy1 third60" {
			t.Errorf("next were %s, want those that hold least even then", got)
		}
	})
}

// Accounts that ask for nearly everything, one after the other, do not keep those
// waiting that want little, whether these wait or take more for what they hold.
func TestMuchDoesNotKeepLittleWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := NewMemory(100, 60)
		ask := func(owner string, bytes int64) {
			go func() { _ = m.Acquire(t.Context(), owner, bytes) }()
			synctest.Wait()
		}
		ask("a", 60)
		for range 3 {
			ask("b", 60) // does not fit beside it
			ask("a", 60) // over its share
		}
		began := time.Now()
		if err := m.Acquire(t.Context(), "honest", 10); err != nil || time.Since(began) > 0 {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		if err := m.AcquireNow("honest", 10); err != nil {
			t.Error(err)
		}
		m.Release("a", 60) // now b has its turn
		synctest.Wait()
		if m.held["b"] != 60 {
			t.Errorf("b holds %d", m.held["b"])
		}
		if err := m.AcquireNow("honest", 10); err != nil {
			t.Error(err)
		}
		if err := m.AcquireNow("another", 11); err == nil {
			t.Error("more was given than there is")
		}
	})
}
