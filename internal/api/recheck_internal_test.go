package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelier-project/atelier"
)

// Requests that last share one look at their credential in a heartbeat, end
// when it is refused and only then, and cost nothing when they are over.
func TestRechecks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		answers := map[string]error{}
		looks := map[string]int{}
		k := newRechecks(time.Second, func(_ context.Context, credential string) (atelier.Caller, error) {
			looks[credential]++
			return atelier.Caller{}, answers[credential]
		})
		enter := func(credential string) (*call, func()) {
			c := &call{Context: t.Context(), r: &http.Request{Header: http.Header{"Authorization": {"Bearer " + credential}}}}
			return c, k.enter(c)
		}
		ann, leaveAnn := enter("ann")
		ann2, leaveAnn2 := enter("ann")
		bob, leaveBob := enter("bob")
		pass := func() { time.Sleep(time.Second); synctest.Wait() }
		pass()
		if looks["ann"] != 1 || looks["bob"] != 1 {
			t.Errorf("looked %v, want each once", looks)
		}
		answers["ann"], answers["bob"] = errors.New("the database is away"), errors.New("the database is away")
		pass()
		for _, c := range []*call{ann, ann2, bob} {
			if c.Err() != nil {
				t.Errorf("a call ended with the database: %v", context.Cause(c))
			}
		}
		answers["ann"], answers["bob"] = &atelier.Error{Code: atelier.CodeAccountSuspended}, nil
		pass()
		for _, c := range []*call{ann, ann2} {
			if err := c.ended(c.Err()); !atelier.Has(err, atelier.CodeAccountSuspended) {
				t.Errorf("got %v, want the suspension", err)
			}
		}
		if bob.Err() != nil {
			t.Errorf("another account's call ended: %v", context.Cause(bob))
		}
		leaveAnn()
		leaveAnn2()
		leaveBob()
		if err := bob.ended(bob.Err()); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that is over: got %v", err)
		}
		pass()
		before := looks["ann"] + looks["bob"]
		time.Sleep(time.Minute)
		if after := looks["ann"] + looks["bob"]; after != before || len(k.open) != 0 || k.running {
			t.Errorf("%d looks and %d credentials although nobody is there", after-before, len(k.open))
		}
		_, leave := enter("ann")
		pass()
		if got := looks["ann"] + looks["bob"]; got != before+1 {
			t.Errorf("it did not look again when somebody came")
		}
		leave()
		pass()
	})
}
