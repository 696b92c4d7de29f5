package fleet_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worktest"
)

// scripts are the possible courses of a job, each a list of commits.
var scripts = map[string]func(f *fixture, worker testWorker, j *atelier.Job) error{
	"complete": func(f *fixture, worker testWorker, j *atelier.Job) error {
		if _, err := worker.progress(j, 0.5); err != nil {
			return err
		}
		worker.Upload(j, "a0", "a1")
		return worker.complete(j, "a0", "a1")
	},
	"fail": func(f *fixture, worker testWorker, j *atelier.Job) error { return worker.Fail(j, atelier.FailError) },
	"drop": func(f *fixture, worker testWorker, j *atelier.Job) error { return worker.Fail(j, atelier.FailDropped) },
	"give back": func(f *fixture, worker testWorker, j *atelier.Job) error {
		return worker.Fail(j, atelier.FailUnavailable)
	},
	"cancel": func(f *fixture, worker testWorker, j *atelier.Job) error {
		err := f.DB.Write(context.Background(), func(tx *store.Tx) error { _, err := f.Fleet.Cancel(tx, j.ID); return err })
		if err != nil {
			return err
		}
		return worker.Fail(j, atelier.FailError)
	},
}

// The process dies before and after every commit of every script. Whatever a new
// process finds, the job ends once, is charged once or not at all, and nothing
// stays held.
//
//atelier:norace
func TestCrashAtEveryCommit(t *testing.T) {
	t.Parallel()
	step := int64(1)
	if !worktest.Exhaustive() {
		step = 4
	}
	for name, script := range scripts {
		for _, after := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for n := int64(1); crashAt(t, script, n, after); n += step {
				}
			})
		}
	}
}

// crashAt runs a script that dies at its n-th commit. It reports false when
// the script has fewer.
func crashAt(t *testing.T, script func(*fixture, testWorker, *atelier.Job) error, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := newFixtureOn(t, db.DB, dir)
	ann, wil := f.account("ann", 25), f.account("wil", 0)
	worker := f.connect(wil)
	db.Arm()
	submitted, err := f.submit(ann, "one")
	if err == nil {
		if j, claimed := f.Fleet.ClaimJob(db.Alive, wil, worker.ID, time.Minute); claimed == nil && j != nil {
			_ = script(f, worker, j) // it may die in the middle
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	bringToEnd(t, path, dir, ann, wil, submitted.ID, err == nil)
	return db.Dead()
}

// bringToEnd starts a new process on the same data and ends all jobs.
func bringToEnd(t *testing.T, path, dir string, ann, wil atelier.Wallet, accepted atelier.JobID, wasAccepted bool) {
	t.Helper()
	f := newFixtureOn(t, storetest.Open(t, store.Options{Path: path, NoSync: true}), dir)
	f.Advance(time.Hour) // every lease of the dead process has ended
	f.expire()
	worker := f.connect(wil)
	for {
		d, err := f.Fleet.Demand(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if d.Models[model][atelier.NetworkFast].JobsQueued == 0 {
			break
		}
		j := worker.MustClaim()
		worker.finish(j)
	}
	f.Audit()
	var jobs []store.StoredJob
	err := f.DB.Read(t.Context(), func(tx *store.Tx) (err error) {
		jobs, err = storetest.JobsOf(tx, atelier.JobOwner{Kind: owner, ID: "o"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(jobs) == 0 && !wasAccepted:
		f.wantBalance(ann, 25, 0)
	case len(jobs) != 1 || (wasAccepted && jobs[0].ID != accepted):
		t.Errorf("accepted %v %s, found %d jobs", wasAccepted, accepted, len(jobs))
	case !jobs[0].State.Terminal():
		t.Errorf("the job is still %s", jobs[0].State)
	case jobs[0].State == atelier.JobCompleted:
		f.wantBalance(ann, 15, 10)
	default:
		f.wantBalance(ann, 25, 0)
	}
}
