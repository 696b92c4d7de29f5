package retention_test

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/retention"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// fill stores workflows that have ended, each with a log of four events.
func (f *fixture) fill(n int) (ids []string) {
	f.T.Helper()
	for range n {
		id := f.begin(store.WorkflowPrefix)
		f.end(id, atelier.StatusCompleted)
		ids = append(ids, id)
	}
	return ids
}

// A process that dies in the middle of a sweep leaves nothing half removed, and its heir removes the rest: rows and
// objects.
func TestCrashAtEveryCommit(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		n, step := int64(1), int64(1)
		if testing.Short() {
			step = 5
		}
		for ; crashAt(t, n, after); n += step {
		}
		if n < 20 {
			t.Errorf("a sweep has only %d commits", n-1)
		}
	}
}

// crashAt sweeps until the process dies at its n-th commit, and again in another process. It reports false when there
// are fewer commits.
func crashAt(t *testing.T, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := newFixtureOn(t, db.DB, dir)
	f.AddAccount(atelier.Account{Wallet: ann}, billing.Credits{Spark: 1000 * atelier.MoneyUnit})
	f.AddAccount(atelier.Account{Wallet: wil, Worker: true}, billing.Credits{})
	flows := f.NewWorkflows()
	stop := f.RunFleet(f.Fleet)
	w := f.Connect(wil, apitype.WorkerSpec{Models: enginetest.AllModels(), Capacity: 64})
	f.painted(flows, w)
	stop()
	key := f.upload(f.Now())
	f.fill(40) // more than one batch
	f.Advance(31 * day)
	at := f.Now()
	db.Arm()
	if _, err := f.engine(always).Sweep(db.Alive); err != nil && !db.Dead() {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	heir := newFixtureOn(t, storetest.Open(t, store.Options{Path: path, NoSync: true}), dir)
	heir.FreezeAt(at.Add(5 * time.Minute)) // what the dead process held is free by then
	if _, err := heir.engine(always).Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := heir.counts("workflow", "job", "artifact", "event", "stored", "upload"); got != "0 0 0 0 0 0" {
		t.Errorf("after commit %d, %t: left are %s rows", n, after, got)
	}
	heir.Audit()
	heir.Advance(day)
	if _, err := heir.media.Sweep(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if left := append(heir.objects("results/"), heir.objects(key)...); len(left) > 0 {
		t.Errorf("after commit %d, %t: left are %q", n, after, left)
	}
	return db.Dead()
}

// Of several nodes one at a time removes a kind; together they remove each thing once.
func TestNodesShareTheWork(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.fill(100)
		f.Advance(31 * day)
		var (
			nodes sync.WaitGroup
			mu    sync.Mutex
			sum   int64
		)
		for range 3 {
			e := f.engine(retention.Ages{Workflows: 30 * day})
			nodes.Go(func() {
				for range 3 {
					removed, err := e.Sweep(t.Context())
					if err != nil {
						t.Error(err)
					}
					mu.Lock()
					sum += removed[retention.Workflows]
					mu.Unlock()
				}
			})
		}
		nodes.Wait()
		if left := storetest.CountRows(t, f.DB, "workflow"); sum != 100 || left != 0 {
			t.Errorf("three nodes removed %d of 100 workflows, and %d are left", sum, left)
		}
	})
}

// A kind that a node holds is left alone by another, until the first is silent for too long.
func TestANodeThatDies(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.fill(1)
		f.Advance(31 * day)
		f.Write(func(tx *store.Tx) error {
			_, held, err := tx.HoldRetention(retention.Workflows, "another", f.Now(), f.Now().Add(2*time.Minute))
			if !held {
				t.Error("another node cannot hold it, although it is free")
			}
			return err
		})
		e := f.engine(retention.Ages{Workflows: 30 * day})
		f.sweep(e, map[string]int64{})
		f.Advance(2*time.Minute + time.Second)
		f.sweep(e, map[string]int64{retention.Workflows: 1})
	})
}

// A node whose clock was ahead when it died holds a kind no longer than another would.
func TestANodeThatDiesAhead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		f.fill(1)
		f.Advance(31 * day)
		f.Write(func(tx *store.Tx) error {
			ahead := f.Now().Add(200 * day)
			_, _, err := tx.HoldRetention(retention.Workflows, "another", ahead, ahead.Add(2*time.Minute))
			return err
		})
		f.sweep(f.engine(retention.Ages{Workflows: 30 * day}), map[string]int64{retention.Workflows: 1})
	})
}

// A sweep by a clock that was ahead does not keep later ones from looking at everything.
func TestASweepAhead(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		e := f.engine(retention.Ages{Workflows: 30 * day})
		f.Advance(200 * day)
		f.sweep(e, map[string]int64{})
		f.Advance(-200 * day)
		id := f.begin(store.WorkflowPrefix)
		f.Advance(5 * day)
		f.end(id, atelier.StatusCompleted)
		f.Advance(31 * day)
		f.sweep(e, map[string]int64{retention.Workflows: 1})
	})
}

// stuckStore is a storage that moves nothing before it may.
type stuckStore struct {
	blob.SignedStore
	goOn chan struct{}
}

func (s stuckStore) Move(ctx context.Context, from, to string) error {
	<-s.goOn
	return s.SignedStore.Move(ctx, from, to)
}

// While the storage moves what one kind has left, the others go on.
func TestKindsTakeTurns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		goOn := make(chan struct{})
		f.media = media.New(f.DB, stuckStore{f.Store(), goOn}, media.Options{Now: f.Now})
		id := f.begin(store.WorkflowPrefix)
		f.item(id)
		f.end(id, atelier.StatusCompleted)
		f.Write(func(tx *store.Tx) error {
			_, err := tx.PutReplay(store.StoredReplay{Owner: ann, RunID: "r", Summary: []byte("{}"), Record: []byte("{}"), UpdatedAt: f.Now()})
			return err
		})
		f.Advance(31 * day)
		swept := make(chan error)
		go func() {
			_, err := f.engine(retention.Ages{Workflows: 30 * day, Replays: 30 * day}).Sweep(t.Context())
			swept <- err
		}()
		isThere := f.isRow("replay", "run_id", "r")
		for end := time.Now().Add(30 * time.Second); isThere(); {
			if time.Now().After(end) {
				t.Error("replay records wait for the objects of workflows")
				break
			}
		}
		close(goOn)
		if err := <-swept; err != nil || f.isThere(id) {
			t.Errorf("the sweep ended with %v; the workflow is there: %t", err, f.isThere(id))
		}
	})
}

// A batch of uploads has no more to look at than its size, whatever may be removed of them.
func TestUploadsThatStay(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		open := f.begin(store.WorkflowPrefix)
		for range 40 {
			f.upload(f.Now())
		}
		f.Advance(31 * day)
		f.Read(func(tx *store.Tx) error {
			list, err := tx.UsedUploads(time.Time{}, f.Now(), store.Upload{}, 16)
			if len(list) != 16 {
				t.Errorf("a batch of 16 looks at %d", len(list))
			}
			return err
		})
		e := f.engine(retention.Ages{Uploads: 30 * day})
		f.sweep(e, map[string]int64{})
		f.end(open, atelier.StatusCompleted)
		f.Advance(day)
		f.sweep(e, map[string]int64{retention.Uploads: 40})
	})
}

// Between the sweeps that look at everything, one looks at what has become old enough since the last.
func TestWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		long := f.begin(store.WorkflowPrefix)
		f.Advance(5 * day)
		f.end(long, atelier.StatusCompleted)
		e := f.engine(retention.Ages{Workflows: 30 * day})
		f.Advance(30*day - time.Hour)
		f.sweep(e, map[string]int64{}) // the first looks at everything
		f.Advance(-29 * day)
		f.fill(3)
		f.Advance(29*day + 2*time.Hour)
		f.sweep(e, map[string]int64{})
		f.Advance(22 * time.Hour)
		f.sweep(e, map[string]int64{retention.Workflows: 1}) // of everything: the one that took five days
		f.Advance(2 * time.Hour)
		f.sweep(e, map[string]int64{retention.Workflows: 3})
		if f.isThere(long) {
			t.Error("the one that took long is still there")
		}
	})
}

// Who reads while a sweep removes sees a workflow whole or not at all, and a stream of its log ends.
func TestReadersBesideASweep(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		flows := f.NewWorkflows()
		f.RunFleet(f.Fleet)
		w := f.Connect(wil, apitype.WorkerSpec{Models: enginetest.AllModels(), Capacity: 64})
		var ids []string
		for range 12 {
			id, _ := f.painted(flows, w)
			ids = append(ids, id)
		}
		events := f.events(ids[0])
		f.Advance(31 * day)
		ctx, stop := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		for i := range 3 {
			readers.Go(func() {
				for n := i; ctx.Err() == nil; n++ {
					f.readWhole(ctx, flows, atelier.WorkflowID(ids[n%len(ids)]), events)
				}
			})
		}
		readers.Go(func() {
			for ctx.Err() == nil {
				if _, err := flows.List(ctx, ann, 0, 5); err != nil && ctx.Err() == nil {
					t.Errorf("list: %v", err)
				}
			}
		})
		f.sweep(f.engine(retention.Ages{Workflows: 30 * day}), map[string]int64{retention.Workflows: 12})
		stop()
		readers.Wait()
	})
}

// readWhole reads a workflow and follows it, which either finds all of its log or nothing.
func (f *fixture) readWhole(ctx context.Context, flows interface {
	Workflow(context.Context, atelier.Wallet, atelier.WorkflowID) (apitype.Workflow, error)
}, id atelier.WorkflowID, events int) {
	found, err := flows.Workflow(ctx, ann, id)
	if ctx.Err() != nil || atelier.HasCode(err, atelier.CodeNotFound) {
		return
	}
	if err != nil || len(found.Events) != events || len(found.Artifacts) == 0 {
		f.T.Errorf("a reader got %v and %d events of %d", err, len(found.Events), events)
	}
}

// A log of which only the last event is left is read and followed to its end.
func TestShortenedLogs(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		f := newFixture(t, o)
		flows := f.NewWorkflows()
		f.RunFleet(f.Fleet)
		w := f.Connect(wil, apitype.WorkerSpec{Models: enginetest.AllModels(), Capacity: 64})
		id, _ := f.painted(flows, w)
		before := f.events(id)
		f.Advance(31 * day)
		f.sweep(f.engine(retention.Ages{Logs: 30 * day}), map[string]int64{retention.Logs: int64(before - 1)})
		got, err := flows.Workflow(t.Context(), ann, atelier.WorkflowID(id))
		if err != nil || got.Status != atelier.StatusCompleted || len(got.Artifacts) != 1 || len(got.Events) != 1 || got.Events[0].Type != atelier.EventWorkflowCompleted {
			t.Errorf("it is read as %s with %d artifacts and %+v, %v", got.Status, len(got.Artifacts), got.Events, err)
		}
		ended := false
		log, err := flows.Follow(t.Context(), ann, atelier.WorkflowID(id), -1, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		for u, err := range log { // it ends
			if err != nil {
				t.Fatal(err)
			}
			ended = ended || u.Event != nil && u.Event.Type == atelier.EventWorkflowCompleted
		}
		if !ended {
			t.Error("a stream has no event of the end")
		}
		storetest.CheckStored(t, f.DB, ann)
	})
}

// With a retention, a database has as many rows and bytes after the tenth month as after the third.
func TestAnInstallationStopsGrowing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	e := f.engine(always)
	var third int64
	for month := range 10 {
		f.fill(60)
		for range 20 {
			id := f.begin(store.RunPrefix)
			f.end(id, atelier.StatusCompleted)
		}
		f.Advance(31 * day)
		if _, err := e.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := f.counts("workflow", "workflow_summary", "workflow_label", "chat_run", "event", "stored"); got != "0 0 0 0 0 0" {
			t.Errorf("after month %d there are %s rows", month, got)
		}
		size := storetest.Size(t, f.DB)
		if month == 2 {
			third = size
		}
		if month > 2 && size > third {
			t.Errorf("after month %d the file has %d bytes, after the third it had %d", month+1, size, third)
		}
	}
}

// What is removed is counted by kind.
func TestMetrics(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t))
	f.fill(3)
	f.Advance(31 * day)
	metrics := telemetry.NewMetrics()
	e := retention.New(f.DB, f.media, retention.Options{Ages: always, Now: f.Now, Log: enginetest.Log, Metrics: metrics})
	f.sweep(e, map[string]int64{retention.Workflows: 3})
	answer := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	if want := `atelier_retention_removed_total{kind="workflows"} 3`; !strings.Contains(answer.Body.String(), want) {
		t.Errorf("the metrics lack %s", want)
	}
}
