package endpoint

import (
	"context"
	"errors"
	"net/http"
	"sync"
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
		var (
			mu      sync.Mutex
			answers = map[string]error{}
			looks   = map[string]int{}
		)
		k := newRechecks(time.Second, func(_ context.Context, shown Credential) (atelier.Caller, error) {
			mu.Lock()
			defer mu.Unlock()
			looks[shown.Bearer]++
			return atelier.Caller{}, answers[shown.Bearer]
		}, nil)
		answer := func(ann, bob error) {
			mu.Lock()
			defer mu.Unlock()
			answers["ann"], answers["bob"] = ann, bob
		}
		looked := func(credential string) int {
			mu.Lock()
			defer mu.Unlock()
			return looks[credential]
		}
		enter := func(credential string) (*Call, func()) {
			c := &Call{Context: t.Context(), Request: &http.Request{Header: http.Header{"Authorization": {"Bearer " + credential}}}}
			return c, k.enter(c)
		}
		ann, leaveAnn := enter("ann")
		ann2, leaveAnn2 := enter("ann")
		bob, leaveBob := enter("bob")
		pass := func() { time.Sleep(time.Second); synctest.Wait() }
		pass()
		if ann, bob := looked("ann"), looked("bob"); ann != 1 || bob != 1 {
			t.Errorf("looked %d and %d times, want each once", ann, bob)
		}
		away := errors.New("the database is away")
		answer(away, away)
		pass()
		for _, c := range []*Call{ann, ann2, bob} {
			if c.Err() != nil {
				t.Errorf("a call ended with the database: %v", context.Cause(c))
			}
		}
		answer(&atelier.Error{Code: atelier.CodeAccountSuspended}, nil)
		pass()
		for _, c := range []*Call{ann, ann2} {
			if err := c.Ended(c.Err()); !atelier.HasCode(err, atelier.CodeAccountSuspended) {
				t.Errorf("got %v, want the suspension", err)
			}
		}
		if bob.Err() != nil {
			t.Errorf("another account's call ended: %v", context.Cause(bob))
		}
		leaveAnn()
		leaveAnn2()
		leaveBob()
		if err := bob.Ended(bob.Err()); !errors.Is(err, context.Canceled) {
			t.Errorf("a call that is over: got %v", err)
		}
		pass()
		before := looked("ann") + looked("bob")
		time.Sleep(time.Minute)
		synctest.Wait()
		if after := looked("ann") + looked("bob"); after != before {
			t.Errorf("%d looks although no request is open", after-before)
		}
		k.mu.Lock()
		if len(k.open) != 0 || k.running {
			t.Errorf("%d credentials are left over, running: %v", len(k.open), k.running)
		}
		k.mu.Unlock()
		_, leave := enter("ann")
		pass()
		if got := looked("ann") + looked("bob"); got != before+1 {
			t.Errorf("it did not look again when a request came")
		}
		leave()
		pass()
	})
}

// A change of credentials is seen within a second, long before the heartbeat, and nothing is looked up without one. A
// call that its key no longer allows ends too.
func TestChangesAreSeenWithinASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			mu     sync.Mutex
			number int64
			limits *atelier.KeyLimits
			looks  int
		)
		k := newRechecks(time.Hour, func(context.Context, Credential) (atelier.Caller, error) {
			mu.Lock()
			defer mu.Unlock()
			looks++
			return atelier.Caller{Limits: limits}, nil
		}, func(context.Context) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			return number, nil
		})
		enter := func(groups []atelier.KeyGroup) (*Call, func()) {
			c := &Call{
				Context: t.Context(), Request: &http.Request{Header: http.Header{"Authorization": {"Bearer ann"}}},
				server: &Server{}, route: &Route{Handler: Handler{}.In(groups, true, atelier.RoleViewer)},
			}
			return c, k.enter(c)
		}
		chat, leaveChat := enter([]atelier.KeyGroup{atelier.GroupChat})
		media, leaveMedia := enter([]atelier.KeyGroup{atelier.GroupMedia})
		pass := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
		pass(time.Second)
		first := looks
		pass(10 * time.Minute)
		if looks != first || first != 1 {
			t.Errorf("%d looks in the first second and %d in ten minutes without a change, want 1 and 0", first, looks-first)
		}
		mu.Lock()
		number, limits = 1, &atelier.KeyLimits{Groups: []atelier.KeyGroup{atelier.GroupMedia}}
		mu.Unlock()
		pass(time.Second)
		if !atelier.HasCode(chat.Ended(chat.Err()), atelier.CodeKeyLimit) {
			t.Errorf("a call of a group that the key lost ended with %v, want key_limit", context.Cause(chat))
		}
		if media.Err() != nil {
			t.Errorf("a call of a group that the key has ended: %v", context.Cause(media))
		}
		leaveChat()
		leaveMedia()
		pass(time.Second)
		if k.running {
			t.Error("it runs without a call")
		}
	})
}

// A change is not forgotten when the database does not answer at once.
func TestChangesAreSeenAfterAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			mu     sync.Mutex
			number int64
			answer error
		)
		k := newRechecks(time.Hour, func(context.Context, Credential) (atelier.Caller, error) {
			mu.Lock()
			defer mu.Unlock()
			return atelier.Caller{}, answer
		}, func(context.Context) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			return number, nil
		})
		set := func(n int64, err error) {
			mu.Lock()
			number, answer = n, err
			mu.Unlock()
			time.Sleep(time.Second)
			synctest.Wait()
		}
		c := &Call{Context: t.Context(), Request: &http.Request{Header: http.Header{"Authorization": {"Bearer ann"}}}}
		leave := k.enter(c)
		set(0, nil)
		set(1, errors.New("the database is away"))
		if c.Err() != nil {
			t.Errorf("the call ended with the database: %v", context.Cause(c))
		}
		set(1, &atelier.Error{Code: atelier.CodeBadCredential})
		if err := c.Ended(c.Err()); !atelier.HasCode(err, atelier.CodeBadCredential) {
			t.Errorf("a second after the database answers again: got %v, want the revocation", err)
		}
		leave()
		time.Sleep(time.Second)
	})
}

// Whatever may follow something for long is ended when its credential is.
func TestStreamsAreRechecked(t *testing.T) {
	t.Parallel()
	events := Handle(func(*Call, struct{}) (string, error) { return "", nil }).OrEvents()
	for name, h := range map[string]Handler{"a stream": Stream(func(*Call, struct{}) error { return nil }), "an answer or events": events} {
		if !h.recheck {
			t.Errorf("the credential of %s is not checked again", name)
		}
	}
}

// A look at the number of changes that hangs ends: the looks of the heartbeat come after it.
func TestALookThatHangsEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &rechecks{changes: func(ctx context.Context) (int64, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}}
		if _, err := k.count(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a look that hangs: %v, want %v", err, context.DeadlineExceeded)
		}
	})
}
