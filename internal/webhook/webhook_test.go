package webhook_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/webhook"
)

// A receiver that fails, breaks its connections and comes back gets every event, in order and with the same id each
// time.
func TestReceiverComesBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(500))
		w := f.add(ann, r.URL+"/hook")
		if !strings.HasPrefix(w.Secret, "whsec_") || f.read(ann, w.ID).Secret != "" {
			t.Errorf("the secret is %q, and is shown again as %q", w.Secret, f.read(ann, w.ID).Secret)
		}
		for _, name := range []string{"one", "two", "three"} {
			f.emit(ann, "wf", name)
		}
		f.settle()
		r.wants(t, "one")
		if d := f.log(ann, w.ID)[0]; *d.ResponseStatus != 500 || d.Response != "answer to one" || d.Error == "" || d.Status != atelier.DeliveryWaiting || d.NextAttemptAt == nil || d.Attempts != 1 {
			t.Errorf("after a failure: %+v", d)
		}
		f.settle() // its time has not come
		r.wants(t, "one")
		r.change(always(breaks))
		f.Advance(6 * time.Second)
		f.settle()
		r.wants(t, "one", "one")
		if d := f.log(ann, w.ID)[0]; d.ResponseStatus != nil || d.Error == "" || d.Attempts != 2 {
			t.Errorf("after a broken connection: %+v", d)
		}
		if since := f.read(ann, w.ID).FailingSince; since == nil {
			t.Error("it does not say that it fails")
		}
		r.change(always(204))
		f.Advance(time.Minute)
		f.settle()
		r.wants(t, "one", "one", "one", "two", "three")
		if ids := []string{r.all[0].id, r.all[1].id, r.all[2].id}; ids[0] == "" || ids[0] != ids[1] || ids[1] != ids[2] || r.all[3].id == ids[0] {
			t.Errorf("the ids are %q, then %q", ids, r.all[3].id)
		}
		if g := r.last(); !g.verify(w.Secret) || g.header.Get("Content-Type") != "application/json" {
			t.Errorf("the signature is wrong: %v", g.header)
		}
		if got := f.statuses(ann, w.ID); !slices.Equal(got, []string{"delivered", "delivered", "delivered"}) {
			t.Errorf("statuses = %q", got)
		}
		if f.read(ann, w.ID).FailingSince != nil {
			t.Error("it fails still")
		}
	})
}

// A receiver that does not answer is left after the timeout.
func TestReceiverHangs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o, func(o *webhook.Options) { o.Timeout = 50 * time.Millisecond })
		w := f.add(ann, newReceiver(t, always(hangs)).URL)
		f.emit(ann, "wf", "one")
		f.settle()
		if d := f.log(ann, w.ID)[0]; d.ResponseStatus != nil || d.Error == "" || d.Status != atelier.DeliveryWaiting || d.Attempts != 1 {
			t.Errorf("after a timeout: %+v", d)
		}
	})
}

// An event that a receiver refuses holds up its subject, and no other. It is given up after a day, while the
// webhook stays.
func TestOneSubjectFails(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, func(g got) int {
			if g.name == "bad" {
				return 400
			}
			return 200
		})
		w := f.add(ann, r.URL)
		f.emit(ann, "a", "bad")
		f.emit(ann, "a", "after bad")
		f.settle()
		var tries int
		for hours := range 27 {
			f.emit(ann, fmt.Sprint("b", hours), "good")
			f.Advance(time.Hour)
			f.settle()
			if d := f.log(ann, w.ID)[0]; d.Status == atelier.DeliveryFailed {
				if hours < 23 {
					t.Errorf("it is given up after %d hours", hours)
				}
				break
			} else if tries = d.Attempts; slices.Contains(r.names(), "after bad") {
				t.Fatal("a later event of the subject came first")
			}
		}
		f.Advance(time.Minute)
		f.settle()
		if !slices.Contains(r.names(), "after bad") || tries < 8 || tries > 40 {
			t.Errorf("after %d tries got %q", tries, r.names())
		}
		if f.read(ann, w.ID).Status != atelier.WebhookEnabled {
			t.Error("the webhook is disabled")
		}
	})
}

// A webhook that fails for a day is tried less and less often, and disabled with a reason. Enabled again it gets
// what is redelivered.
func TestLastingFailure(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(503))
		w := f.add(ann, r.URL)
		for i := range 20 {
			f.emit(ann, fmt.Sprint("wf", i), fmt.Sprint(i))
		}
		for range 24 * 60 / 5 {
			f.settle()
			f.Advance(5 * time.Minute)
		}
		if n := len(r.names()); n < 100 || n > 24*60/5+20 {
			t.Errorf("it was tried %d times in a day", n)
		}
		f.Advance(2 * time.Hour) // the next attempt, after the longest pause
		f.settle()
		now := f.read(ann, w.ID)
		if now.Status != atelier.WebhookDisabled || now.DisabledAt == nil || !strings.Contains(now.Reason, "503") {
			t.Fatalf("after a day it is %+v", now)
		}
		for _, d := range f.log(ann, w.ID) {
			if d.Status != atelier.DeliveryFailed || d.EndedAt == nil || d.NextAttemptAt != nil {
				t.Fatalf("a delivery is %+v", d)
			}
		}
		before := len(r.names())
		f.emit(ann, "wf", "unheard")
		f.Advance(time.Hour)
		f.settle()
		if len(r.names()) != before || len(f.log(ann, w.ID)) != 20 {
			t.Error("it gets events while it is disabled")
		}
		first := f.log(ann, w.ID)[0]
		if _, err := f.e.Redeliver(t.Context(), ann, w.ID, first.ID); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("redeliver while it is disabled: %v", err)
		}
		enabled := atelier.WebhookEnabled
		if on, err := f.e.Update(t.Context(), ann, w.ID, webhook.Change{Status: &enabled}); err != nil || on.Reason != "" || on.DisabledAt != nil {
			t.Fatalf("enabled: %+v, %v", on, err)
		}
		r.change(always(200))
		if _, err := f.e.Redeliver(t.Context(), ann, w.ID, first.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := f.e.Redeliver(t.Context(), ann, w.ID, first.ID); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("redeliver twice: %v", err)
		}
		f.settle()
		if g := r.last(); g.id != first.ID || g.name != "0" || f.log(ann, w.ID)[0].Status != atelier.DeliveryDone {
			t.Errorf("redelivered %+v", g)
		}
	})
}

// A receiver that wants no more is disabled at once.
func TestGone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	r := newReceiver(t, always(410))
	w := f.add(ann, r.URL)
	f.emit(ann, "a", "one")
	f.emit(ann, "b", "two")
	f.settle()
	if now := f.read(ann, w.ID); now.Status != atelier.WebhookDisabled || !strings.Contains(now.Reason, "410") {
		t.Errorf("it is %+v", now)
	}
	r.wants(t, "one")
}

// A redirect is an answer, and is not followed.
func TestRedirect(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	r := newReceiver(t, always(302))
	w := f.add(ann, r.URL)
	f.emit(ann, "a", "one")
	f.settle()
	if d := f.log(ann, w.ID)[0]; *d.ResponseStatus != 302 || !strings.Contains(d.Error, "Redirects") {
		t.Errorf("a redirect: %+v", d)
	}
	r.wants(t, "one")
}

// While a secret is rotated both sign, and a day later only the new one does.
func TestRotation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(200))
		w := f.add(ann, r.URL)
		again, err := f.e.Rotate(t.Context(), ann, w.ID)
		if err != nil || again.Secret == w.Secret || again.Secret == "" || again.OldSecretEnd == nil {
			t.Fatalf("rotated: %+v, %v", again, err)
		}
		for _, c := range []struct {
			name     string
			old, new bool
		}{{"at once", true, true}, {"a day later", false, true}} {
			f.emit(ann, "a", c.name)
			f.settle()
			if g := r.last(); g.name != c.name || g.verify(w.Secret) != c.old || g.verify(again.Secret) != c.new {
				t.Errorf("%s: the old one signs: %v, the new one: %v", c.name, g.verify(w.Secret), g.verify(again.Secret))
			}
			f.Advance(24 * time.Hour)
		}
		if f.read(ann, w.ID).OldSecretEnd != nil {
			t.Error("the old secret signs still")
		}
	})
}

// Addresses that are not on the public Internet are refused when they are named, and at each connection.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), func(o *webhook.Options) { o.Fetch = fetch.Options{} })
	r := newReceiver(t, always(200))
	if list, err := f.e.List(t.Context(), ann); err != nil || list.Private {
		t.Errorf("the list says that private addresses are allowed: %v, %v", list.Private, err)
	}
	for _, url := range []string{
		r.URL, "http://localhost/", "http://169.254.169.254/", "http://[::1]/", "http://10.0.0.1/", "ftp://example.com/", "nonsense", "http://user:pass@example.com/", "https://example.com/" + strings.Repeat("x", 2048),
	} {
		var refused *atelier.Error
		_, err := f.e.Create(t.Context(), ann, url, []atelier.WebhookEvent{atelier.HookAll})
		if !atelier.HasCode(err, atelier.CodeInvalidRequest) {
			t.Errorf("%s: %v", url, err)
		} else if refused, _ = err.(*atelier.Error); refused.Field != "url" {
			t.Errorf("%s: the field is %q", url, refused.Field)
		}
	}
	w := f.add(ann, "https://example.com/")
	f.Write(func(tx *store.Tx) error { // as if the name led there now
		row, err := tx.Webhook(ann, w.ID)
		row.URL = r.URL
		if err == nil {
			err = tx.UpdateWebhook(row.Webhook)
		}
		return err
	})
	f.emit(ann, "a", "one")
	f.settle()
	if d := f.log(ann, w.ID)[0]; !strings.Contains(d.Error, "not on the public Internet") {
		t.Errorf("it was sent: %+v", d)
	}
	r.wants(t)
}

// Receivers that hang, of one account, hold up no other account and none of its other webhooks.
func TestHangingReceivers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), func(o *webhook.Options) { o.Timeout = time.Hour })
	hanging, good := newReceiver(t, always(hangs)), newReceiver(t, always(200))
	t.Cleanup(hanging.CloseClientConnections)
	for range 2 {
		f.add(ann, hanging.URL)
	}
	other := f.add(bob, good.URL)
	for i := range 20 {
		f.emit(ann, fmt.Sprint("a", i), "hangs")
	}
	f.settleBut(func(w atelier.Wallet) bool { return w == ann })
	f.emit(bob, "b", "one")
	f.emit(bob, "b", "two")
	f.settleBut(func(w atelier.Wallet) bool { return w == ann })
	good.wants(t, "one", "two")
	if got := f.statuses(bob, other.ID); !slices.Equal(got, []string{"delivered", "delivered"}) {
		t.Errorf("statuses = %q", got)
	}
	if n := len(hanging.names()); n > 2 {
		t.Errorf("%d requests of two webhooks hang at once", n)
	}
}

// Webhooks whose next event waits for one that has failed hold up no other, however many they are.
func TestManyFailingSubjects(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		const many = 101 // more than are queued at once
		f := newFixture(t, o, func(o *webhook.Options) { o.Limit = many })
		bad, good := newReceiver(t, always(500)), newReceiver(t, always(200))
		for range many {
			f.add(ann, bad.URL)
		}
		other := f.add(bob, good.URL)
		f.emit(ann, "a", "fails")
		f.settle()
		f.emit(ann, "a", "waits")
		f.Advance(2 * time.Second) // they rest no more, and the event that has failed is not due
		f.emit(bob, "b", "one")
		if _, err := f.e.Queue(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := f.statuses(bob, other.ID); got[0] == string(atelier.DeliveryWaiting) {
			t.Fatal("it is not sent")
		}
		f.settle()
		good.wants(t, "one")
	})
}

// A request names an address for what it starts: one webhook of the account has their secret and their log.
func TestRequestWebhooks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(200))
		if _, err := f.e.Read(t.Context(), ann, webhook.RequestsID); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("before the first: %v", err)
		}
		all := &atelier.RequestWebhook{URL: r.URL, Events: []atelier.WebhookEvent{atelier.HookAll}}
		failures := &atelier.RequestWebhook{URL: r.URL, Events: []atelier.WebhookEvent{atelier.HookWorkflowFailed}}
		f.Write(func(tx *store.Tx) error { return f.e.Admit(tx, ann) })
		f.Write(func(tx *store.Tx) error { return f.e.Admit(tx, ann) })
		f.Write(func(tx *store.Tx) error { return notify(tx, ann, "wf", "wanted", f.Now(), all) })
		f.Write(func(tx *store.Tx) error { return notify(tx, ann, "wf2", "unwanted", f.Now(), failures) })
		f.Write(func(tx *store.Tx) error { return notify(tx, ann, "wf3", "not named", f.Now(), nil) })
		shown, err := f.e.Rotate(t.Context(), ann, webhook.RequestsID)
		if err != nil || shown.URL != nil || shown.Secret == "" {
			t.Fatalf("rotated: %+v, %v", shown, err)
		}
		f.settle()
		r.wants(t, "wanted")
		if !r.last().verify(shown.Secret) {
			t.Error("the signature is wrong")
		}
		if log := f.log(ann, webhook.RequestsID); len(log) != 1 || log[0].URL != r.URL || log[0].WebhookID != shown.ID {
			t.Errorf("the log is %+v", log)
		}
		if _, err := f.e.Update(t.Context(), ann, webhook.RequestsID, webhook.Change{URL: &r.URL}); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("changed: %v", err)
		}
		if err := f.e.Delete(t.Context(), ann, shown.ID); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("deleted: %v", err)
		}
		list, err := f.e.List(t.Context(), ann)
		if err != nil || len(list.Webhooks) != 0 || list.Requests == nil {
			t.Errorf("listed: %+v, %v", list, err)
		}
	})
}

// Nothing of one account is reachable by another, and a webhook that is deleted leaves nothing.
func TestOtherAccounts(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(200))
		w := f.add(ann, r.URL)
		mine := f.add(bob, r.URL)
		f.emit(ann, "wf", "ann's")
		f.settle()
		r.wants(t, "ann's")
		delivery, enabled := f.log(ann, w.ID)[0].ID, atelier.WebhookEnabled
		for name, call := range map[string]func() error{
			"read": func() error { _, err := f.e.Read(t.Context(), bob, w.ID); return err },
			"update": func() error {
				_, err := f.e.Update(t.Context(), bob, w.ID, webhook.Change{Status: &enabled})
				return err
			},
			"delete":     func() error { return f.e.Delete(t.Context(), bob, w.ID) },
			"rotate":     func() error { _, err := f.e.Rotate(t.Context(), bob, w.ID); return err },
			"deliveries": func() error { _, err := f.e.Deliveries(t.Context(), bob, w.ID, webhook.Query{Limit: 1}); return err },
			"redeliver":  func() error { _, err := f.e.Redeliver(t.Context(), bob, w.ID, delivery); return err },
			"test":       func() error { _, err := f.e.Test(t.Context(), bob, w.ID); return err },
			"of another": func() error { _, err := f.e.Redeliver(t.Context(), bob, mine.ID, delivery); return err },
		} {
			if err := call(); !atelier.HasCode(err, atelier.CodeNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := f.e.Delete(t.Context(), ann, w.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := f.e.Deliveries(t.Context(), ann, w.ID, webhook.Query{Limit: 1}); !atelier.HasCode(err, atelier.CodeNotFound) {
			t.Errorf("after the deletion: %v", err)
		}
	})
}

// An account has a limited number of webhooks.
func TestLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), func(o *webhook.Options) { o.Limit = 2 })
	for i := range 3 {
		_, err := f.e.Create(t.Context(), ann, "https://example.com/", []atelier.WebhookEvent{atelier.HookAll})
		if (err != nil) != (i == 2) {
			t.Errorf("webhook %d: %v", i+1, err)
		}
	}
}

// Deliveries beyond the newest of a webhook are deleted, but for those that wait.
func TestSweep(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(200))
		w := f.add(ann, r.URL)
		f.emit(ann, "a", "old")
		f.settle()
		f.Advance(31 * 24 * time.Hour)
		if n, err := f.e.Sweep(t.Context()); n != 0 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
		f.emit(ann, "a", "later")
		f.Write(func(tx *store.Tx) error { _, err := tx.TrimLog(w.ID, 1); return err })
		if log := f.log(ann, w.ID); len(log) != 1 || log[0].Status != atelier.DeliveryWaiting {
			t.Errorf("the log is %+v", log)
		}
	})
}

// An account cannot pile up events: those of its requests are given up when too many wait, and the next ones are sent.
func TestTooManyWait(t *testing.T) {
	t.Parallel()
	f := newFixtureOn(t, storetest.Open(t, storetest.SQLite(t)))
	f.addAccounts()
	r := newReceiver(t, always(200))
	to := &atelier.RequestWebhook{URL: r.URL, Events: []atelier.WebhookEvent{atelier.HookAll}}
	f.Write(func(tx *store.Tx) error {
		if err := f.e.Admit(tx, ann); err != nil {
			return err
		}
		for i := range 10_001 {
			if err := notify(tx, ann, fmt.Sprint("wf", i), "too many", f.Now(), to); err != nil {
				return err
			}
		}
		return nil
	})
	if _, err := f.e.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if log := f.log(ann, webhook.RequestsID); log[0].Status != atelier.DeliveryFailed || !strings.Contains(log[0].Error, "More events") {
		t.Fatalf("it is %+v", log[0])
	}
	f.Write(func(tx *store.Tx) error { return notify(tx, ann, "wf", "next", f.Now(), to) })
	f.serve(2)
	f.settle()
	r.wants(t, "next")
}

// Nodes that queue at the same time send each event once, in order.
func TestManyNodes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(200))
		w := f.add(ann, r.URL)
		var want []string
		for i := range 12 {
			f.emit(ann, "wf", fmt.Sprint(i))
			want = append(want, fmt.Sprint(i))
		}
		news := f.Bus.Subscribe("webhooks/due")
		defer news.Close()
		for len(r.names()) < len(want) || slices.ContainsFunc(f.log(ann, w.ID), func(d apitype.WebhookDelivery) bool { return d.EndedAt == nil }) {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if _, err := f.e.Queue(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			select {
			case <-news.C():
			case <-time.After(50 * time.Millisecond): // it may have been nudged before
			}
		}
		r.wants(t, want...)
	})
}

// Nothing is sent for an account that is suspended.
func TestSuspended(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	r := newReceiver(t, always(200))
	w := f.add(ann, r.URL)
	f.emit(ann, "a", "one")
	f.Write(func(tx *store.Tx) error { _, err := tx.SuspendAccount(ann, f.Now()); return err })
	f.settle()
	r.wants(t)
	if d := f.log(ann, w.ID)[0]; d.Status != atelier.DeliveryWaiting || !strings.Contains(d.Error, "suspended") {
		t.Errorf("the delivery is %+v", d)
	}
	if _, err := f.e.Create(t.Context(), ann, r.URL, []atelier.WebhookEvent{atelier.HookAll}); !atelier.HasCode(err, atelier.CodeAccountSuspended) {
		t.Errorf("created: %v", err)
	}
}

// A webhook that fails says when its next attempt is. A delivery that waits for it is tried at once when its owner
// asks for that, with those of its subject that come before it.
func TestSendNow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(503))
		w := f.add(ann, r.URL)
		if w.NextAttempt != nil {
			t.Errorf("a new webhook has an attempt at %v", w.NextAttempt)
		}
		f.emit(ann, "wf", "one")
		for range 6 {
			f.settle()
			f.Advance(5 * time.Minute)
		}
		f.settle()
		failing := f.read(ann, w.ID)
		if failing.FailingSince == nil || failing.NextAttempt == nil || !failing.NextAttempt.After(*failing.FailingSince) {
			t.Fatalf("it fails since %v, and is tried next at %v", failing.FailingSince, failing.NextAttempt)
		}
		f.emit(ann, "another", "two")
		failing = f.read(ann, w.ID)
		for _, d := range f.log(ann, w.ID) { // the second, which was never tried, waits for the webhook too
			if d.NextAttemptAt == nil || d.NextAttemptAt.Before(*failing.NextAttempt) {
				t.Errorf("%s is tried at %v, want not before the webhook, which is at %v", d.Subject, d.NextAttemptAt, failing.NextAttempt)
			}
		}
		r.change(always(200))
		f.settle()
		waiting := f.log(ann, w.ID)[0]
		if waiting.Status != atelier.DeliveryWaiting {
			t.Fatalf("before its time it is %+v", waiting)
		}
		if _, err := f.e.Redeliver(t.Context(), ann, w.ID, waiting.ID); err != nil {
			t.Fatal(err)
		}
		f.settle()
		if d := f.log(ann, w.ID)[0]; d.Status != atelier.DeliveryDone || d.Attempts != waiting.Attempts+1 {
			t.Errorf("sent now it is %+v", d)
		}
	})
}

// A test is sent at once, also to a webhook that rests, and ends with its one attempt. It fails nothing but itself, and
// shows that a receiver is back.
func TestTests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		r := newReceiver(t, always(503))
		w := f.add(ann, r.URL)
		try := func() apitype.WebhookDelivery {
			t.Helper()
			sent, err := f.e.Test(t.Context(), ann, w.ID)
			if err != nil || sent.Type != atelier.HookTest || sent.Status != atelier.DeliveryWaiting || sent.Payload["type"] != "test" {
				t.Fatalf("got %+v, %v", sent, err)
			}
			if again, err := f.e.Test(t.Context(), ann, w.ID); err != nil || again.ID != sent.ID {
				t.Fatalf("a second one before the first is sent: %+v, %v", again, err)
			}
			f.settle()
			list := f.log(ann, w.ID)
			return list[slices.IndexFunc(list, func(d apitype.WebhookDelivery) bool { return d.ID == sent.ID })]
		}
		d := try()
		if d.Status != atelier.DeliveryFailed || d.Attempts != 1 || d.NextAttemptAt != nil || d.ResponseStatus == nil || *d.ResponseStatus != 503 {
			t.Errorf("a test that failed: %+v", d)
		}
		if now := f.read(ann, w.ID); now.FailingSince != nil || now.Status != atelier.WebhookEnabled {
			t.Errorf("the webhook after it: %+v", now)
		}
		f.emit(ann, "wf", "one")
		f.settle()
		r.change(always(200))
		if d = try(); d.Status != atelier.DeliveryDone {
			t.Errorf("a test while the webhook rests: %+v", d)
		}
		if now := f.read(ann, w.ID); now.FailingSince != nil {
			t.Errorf("the webhook after a test that arrived: %+v", now)
		}
		off := atelier.WebhookDisabled
		if _, err := f.e.Update(t.Context(), ann, w.ID, webhook.Change{Status: &off}); err != nil {
			t.Fatal(err)
		}
		if _, err := f.e.Test(t.Context(), ann, w.ID); !atelier.HasCode(err, atelier.CodeWrongState) {
			t.Errorf("a test of a disabled webhook: %v", err)
		}
	})
}
