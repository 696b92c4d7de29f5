package fleet_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// scripts are the ways a job can go, each a list of commits.
var scripts = map[string]func(y *yard, h hand, j *atelier.Job) error{
	"complete": func(y *yard, h hand, j *atelier.Job) error {
		if _, err := h.progress(j, 0.5); err != nil {
			return err
		}
		h.upload(j, "a0", "a1")
		return h.complete(j, "a0", "a1")
	},
	"fail": func(y *yard, h hand, j *atelier.Job) error { return h.fail(j, atelier.FailError) },
	"drop": func(y *yard, h hand, j *atelier.Job) error { return h.fail(j, atelier.FailDropped) },
	"cancel": func(y *yard, h hand, j *atelier.Job) error {
		err := y.db.Write(context.Background(), func(tx *store.Tx) error { _, err := y.e.Cancel(tx, j.ID); return err })
		if err != nil {
			return err
		}
		return h.fail(j, atelier.FailError)
	},
}

// The process dies at every commit of every way a job can go, before it and
// after it. Whatever a new process finds, the job ends once, is charged once
// or not at all, and nothing stays held.
func TestCrashAtEveryCommit(t *testing.T) {
	t.Parallel()
	for name, script := range scripts {
		for _, after := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for n := int64(1); crashAt(t, script, n, after); n++ {
				}
			})
		}
	}
}

// crashAt runs a script that dies at its n-th commit. It reports false when
// the script has fewer.
func crashAt(t *testing.T, script func(*yard, hand, *atelier.Job) error, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "atelier.db")
	var (
		armed   atomic.Bool
		commits atomic.Int64
		dead    atomic.Bool
	)
	db, err := store.Open(t.Context(), store.Options{Path: path, Crash: func(late bool) bool {
		if !armed.Load() || late != after {
			return false
		}
		if commits.Add(1) == n {
			dead.Store(true)
		}
		return dead.Load()
	}})
	if err != nil {
		t.Fatal(err)
	}
	y := &yard{t: t, db: db}
	y.start(dir)
	ann, wil := y.account("ann", 25), y.account("wil", 0)
	h := y.connect(wil)
	armed.Store(true)
	submitted, err := y.submit(ann, "one")
	if err == nil {
		if j, claimed := y.e.ClaimJob(t.Context(), wil, h.id, 50*time.Millisecond); claimed == nil && j != nil {
			_ = script(y, h, j) // it may die in the middle
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	bringToEnd(t, path, dir, ann, wil, submitted.ID, err == nil)
	return dead.Load()
}

// bringToEnd starts a new process on what was left and brings everything to its
// end.
func bringToEnd(t *testing.T, path, dir string, ann, wil atelier.Wallet, accepted atelier.JobID, wasAccepted bool) {
	t.Helper()
	y := &yard{t: t, db: storetest.Open(t, store.Options{Path: path})}
	y.start(dir)
	y.advance(time.Hour) // every lease of the dead process has ended
	if err := y.e.Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := y.connect(wil)
	for {
		d, err := y.e.Demand(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d.Models[model][atelier.NetworkFast].JobsQueued == 0 {
			break
		}
		j := h.must()
		h.upload(j, "a0", "a1")
		if err := h.complete(j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
	}
	y.audit()
	var jobs []store.StoredJob
	err := y.db.Read(t.Context(), func(tx *store.Tx) (err error) {
		jobs, err = tx.JobsOf(atelier.JobOwner{Kind: owner, ID: "o"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(jobs) == 0 && !wasAccepted:
		y.want(ann, 25, 0)
	case len(jobs) != 1 || (wasAccepted && jobs[0].ID != accepted):
		t.Errorf("accepted %v %s, found %d jobs", wasAccepted, accepted, len(jobs))
	case !jobs[0].State.Terminal():
		t.Errorf("the job is still %s", jobs[0].State)
	case jobs[0].State == atelier.JobCompleted:
		y.want(ann, 15, 10)
	default:
		y.want(ann, 25, 0)
	}
}
