package database

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
)

// An account that waits for one read is not behind all of those of another.
func TestReadersTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReaders(1)
		if _, err := r.take(t.Context()); err != nil {
			t.Fatal(err)
		}
		var order []atelier.Wallet
		wait := func(account atelier.Wallet) {
			go func() {
				session, err := r.take(admission.WithAccount(t.Context(), account))
				if err != nil {
					t.Errorf("take: %v", err)
				}
				order = append(order, account) // one at a time has the connection
				r.give(session)
			}()
			synctest.Wait()
		}
		for range 20 {
			wait("0xmany")
		}
		wait("0xone")
		r.give(nil)
		synctest.Wait()
		if len(order) != 21 || order[1] != "0xone" {
			t.Errorf("the order is %v, want 0xone as the second", order)
		}
		if len(r.idle) != 1 || r.waiting.Len() != 0 {
			t.Errorf("%d connections are idle and %d wait, want 1 and none", len(r.idle), r.waiting.Len())
		}
	})
}

// A caller that leaves while it waits keeps no connection and no place.
func TestReadersThatLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newReaders(1)
		session, err := r.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := r.take(ctx)
			failed <- err
		}()
		synctest.Wait()
		leave()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("a caller that left: %v, want %v", err, context.Canceled)
		}
		r.give(session)
		if len(r.idle) != 1 || r.waiting.Len() != 0 || r.waiting.Accounts() != 0 {
			t.Errorf("%d connections are idle and %d wait, want 1 and none", len(r.idle), r.waiting.Len())
		}
	})
}
