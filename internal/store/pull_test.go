package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// One pull is fetched into a folder at a time, and only its latest attempt changes it.
func TestPull(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		db := storetest.Open(t, o)
		now := time.UnixMilli(1_000_000).UTC()
		until := now.Add(time.Minute)
		pull := func(id, connection, model, folder string) store.Pull {
			return store.Pull{ID: id, ConnectionID: connection, Model: model, Folder: folder, Files: []byte("[]"), CreatedAt: now}
		}
		a, b, c := pull("1", "rig", "z", "/models"), pull("2", "rig", "x", "/models"), pull("3", "other", "z", "/other")
		for _, p := range []store.Pull{a, b, c} {
			write(t, db, func(tx *store.Tx) error { return tx.InsertPull(p) })
		}
		refused := func(what string, want error, do func(*store.Tx) error) {
			t.Helper()
			if err := db.Write(t.Context(), do); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", what, err, want)
			}
		}
		waiting := func(at time.Time) (ids string) {
			t.Helper()
			write(t, db, func(tx *store.Tx) error {
				ids = ""
				list, err := tx.WaitingPulls(at)
				for _, p := range list {
					ids += p.ID
				}
				return err
			})
			return ids
		}
		take := func(p store.Pull, at time.Time) func(*store.Tx) error {
			return func(tx *store.Tx) error { _, err := tx.TakePull(p, at, at.Add(time.Minute)); return err }
		}
		report := func(attempt int64) func(*store.Tx) error {
			return func(tx *store.Tx) error { return tx.ReportPull("1", attempt, []byte(`["a"]`), 7, until) }
		}
		refused("the same again", store.ErrExists, func(tx *store.Tx) error { return tx.InsertPull(pull("4", "rig", "z", "/models")) })
		if got := waiting(now); got != "123" {
			t.Errorf("waiting %q", got)
		}
		write(t, db, take(a, now))
		refused("a second node", store.ErrNotFound, take(a, now))
		refused("another one into the folder", store.ErrNotFound, take(b, now))
		if got := waiting(now); got != "3" {
			t.Errorf("beside one that is fetched %q wait", got)
		}
		write(t, db, report(1))

		// The node dies: another one takes it, and the first changes nothing more.
		late := until.Add(time.Millisecond)
		if got := waiting(late); got != "123" {
			t.Errorf("after the node has died %q wait", got)
		}
		a.Attempt = 1
		write(t, db, take(a, late))
		refused("the first attempt reports", store.ErrNotFound, report(1))
		refused("the first attempt ends", store.ErrNotFound, func(tx *store.Tx) error {
			return tx.EndPull(store.Pull{ID: "1", Attempt: 1, State: atelier.PullCompleted})
		})
		refused("the first attempt gives it back", store.ErrNotFound, func(tx *store.Tx) error { return tx.ReleasePull("1", 1) })
		write(t, db, report(2))
		write(t, db, func(tx *store.Tx) error { return tx.ReleasePull("1", 2) })
		a.Attempt = 2
		write(t, db, take(a, late))
		write(t, db, func(tx *store.Tx) error {
			return tx.EndPull(store.Pull{ID: "1", Attempt: 3, State: atelier.PullFailed, Problem: "No space.", Files: []byte(`["b"]`), EndedAt: late})
		})
		var got store.Pull
		write(t, db, func(tx *store.Tx) (err error) { got, err = tx.Pull("rig", "z"); return err })
		if got.State != atelier.PullFailed || got.Problem != "No space." || string(got.Files) != `["b"]` || !got.StartedAt.Equal(now) || !got.EndedAt.Equal(late) {
			t.Errorf("ended as %+v", got)
		}
		cancel := func(tx *store.Tx) error { return tx.CancelPull("rig", "z", late) }
		refused("one that has ended is cancelled", store.ErrNotFound, cancel)
		write(t, db, func(tx *store.Tx) error { return tx.InsertPull(pull("4", "rig", "z", "/models")) })
		write(t, db, cancel)

		// The pulls of a connection go with it.
		write(t, db, func(tx *store.Tx) error { return tx.DeletePulls("rig") })
		if got := waiting(late); got != "3" {
			t.Errorf("waiting %q", got)
		}
	})
}
