package webhook_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// The process dies at every commit between an event and its delivery, before it and after it. Another process
// continues: each event whose change was made arrives, in order, with one id; none arrives whose change was not
// made.
//
//atelier:norace
func TestCrashAtEveryCommit(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprint("after=", after), func(t *testing.T) {
			t.Parallel()
			n, step := int64(1), int64(1)
			if testing.Short() {
				step = 5
			}
			for crashAt(t, n, after) {
				n += step
			}
			if n < 12 {
				t.Errorf("it has only %d commits", n-1)
			}
		})
	}
}

// crashAt reports and delivers events until the process dies at its n-th commit, and continues in another. It
// reports false when there are fewer commits.
func crashAt(t *testing.T, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := newFixtureOn(t, db.DB)
	f.addAccounts()
	r := newReceiver(t, always(200))
	w := f.add(ann, r.URL)
	stop := f.serve(2)
	f.ClaimWaits.Wait(t, 2)
	db.Arm()
	var sure, maybe []string
	for i := range 3 {
		name := fmt.Sprint(i)
		if err := db.Write(db.Alive, func(tx *store.Tx) error { return notify(tx, ann, "wf", name, f.Now(), nil) }); err == nil {
			sure = append(sure, name)
		} else {
			maybe = append(maybe, name)
			break // the next change of the subject would begin with what is stored
		}
		f.pump(db)
	}
	stop()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	heir := newFixtureOn(t, storetest.Open(t, store.Options{Path: path, NoSync: true}))
	heir.Advance(time.Hour) // every lease has ended, and every pause
	if err := heir.Fleet.Expire(context.Background()); err != nil {
		t.Fatal(err)
	}
	heir.serve(2)
	for left := 10; ; left-- {
		heir.settle()
		if log := heir.statuses(ann, w.ID); !slices.ContainsFunc(log, func(s string) bool { return s != string(atelier.DeliveryDone) }) {
			break
		} else if left == 0 {
			t.Fatalf("died at commit %d, after it: %v: it does not end: %q", n, after, log)
		}
		heir.Advance(time.Minute)
	}
	var first []string
	ids := map[string]string{}
	for _, g := range r.all {
		if !slices.Contains(first, g.name) {
			first = append(first, g.name)
			ids[g.name] = g.id
		} else if ids[g.name] != g.id {
			t.Errorf("the event %s has the ids %s and %s", g.name, ids[g.name], g.id)
		}
	}
	if !slices.Equal(first, sure) && !slices.Equal(first, append(slices.Clone(sure), maybe...)) {
		t.Errorf("died at commit %d, after it: %v: got %q, want %q, and %q is unknown", n, after, r.names(), sure, maybe)
	}
	return db.Dead()
}

// pump delivers what is due until it is delivered, or the process dies.
func (f *fixture) pump(db *storetest.Mortal) {
	f.T.Helper()
	news := f.Bus.Subscribe("webhooks/due")
	defer news.Close()
	for !db.Dead() {
		if _, err := f.e.Queue(db.Alive); err != nil {
			return
		}
		waits := true
		if err := f.DB.Read(db.Alive, func(tx *store.Tx) error {
			hooks, err := tx.Webhooks(ann)
			if err != nil {
				return err
			}
			n, err := tx.CountSending(hooks[0].ID)
			if err == nil {
				waits, _, err = tx.AnyDue(f.Now())
			}
			waits = waits || n > 0
			return err
		}); err != nil || !waits {
			return
		}
		select {
		case <-news.C():
		case <-db.Alive.Done():
		}
	}
}
