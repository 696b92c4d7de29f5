package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

type shelf struct {
	*testing.T
	db *store.DB
	at time.Time
}

func newShelf(t *testing.T, o store.Options, limit int64) *shelf {
	t.Helper()
	s := &shelf{t, storetest.Open(t, o), now}
	s.db.LimitStored(limit)
	write(t, s.db, func(tx *store.Tx) error { return tx.InsertAccount(account("ann")) })
	return s
}

// start stores a run or a workflow of size bytes.
func (s *shelf) start(id string, size int) error {
	s.at = s.at.Add(time.Minute)
	document := bytes.Repeat([]byte("x"), size)
	return s.db.WriteStart(s.Context(), "0xann", s.at, func(tx *store.Tx) error {
		if strings.HasPrefix(id, "run_") {
			return tx.InsertRun(store.StoredRun{ID: atelier.RunID(id), Head: store.Head{Wallet: "0xann", Status: "queued", CreatedAt: s.at, UpdatedAt: s.at}, Request: document, State: []byte("{}")})
		}
		return tx.InsertWorkflow(store.StoredWorkflow{ID: atelier.WorkflowID(id), Head: store.Head{Wallet: "0xann", Status: "queued", CreatedAt: s.at, UpdatedAt: s.at}, Plan: document, State: []byte("{}")})
	})
}

func (s *shelf) end(id string, status atelier.Status) {
	s.Helper()
	s.at = s.at.Add(time.Minute)
	write(s.T, s.db, func(tx *store.Tx) error {
		if strings.HasPrefix(id, "run_") {
			r, err := tx.Run("0xann", atelier.RunID(id))
			from := r.Status
			r.Status, r.UpdatedAt = status, s.at
			return errors.Join(err, tx.UpdateRun(r, from))
		}
		w, err := tx.Workflow("0xann", atelier.WorkflowID(id))
		w.Status, w.UpdatedAt = status, s.at
		return errors.Join(err, tx.UpdateWorkflow(&w))
	})
}

// want checks which of some are there, and that the sum of the account is that of its rows.
func (s *shelf) want(there, gone string) {
	s.Helper()
	err := s.db.Read(s.Context(), func(tx *store.Tx) error {
		for _, id := range strings.Fields(there + " " + gone) {
			_, run := tx.Run("0xann", atelier.RunID(id))
			_, workflow := tx.Workflow("0xann", atelier.WorkflowID(id))
			if found, want := run == nil || workflow == nil, strings.Contains(" "+there+" ", " "+id+" "); found != want {
				s.Errorf("%s is stored: %t, want %t", id, found, want)
			}
		}
		var sum, total int64
		err := tx.Row(`SELECT (SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM stored), (SELECT bytes FROM stored_total WHERE wallet = '0xann')`).Scan(&sum, &total)
		if sum != total {
			s.Errorf("the sum is %d, that of the rows %d", total, sum)
		}
		return err
	})
	if err != nil {
		s.Error(err)
	}
}

// The workflows of an account that are not over are counted as they change.
func TestOpenWorkflowsAreCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newShelf(t, o, 1<<20)
		for _, step := range []struct {
			id             string
			to             atelier.Status
			active, paused int
		}{
			{"flow_a", atelier.StatusQueued, 1, 0},
			{"flow_b", atelier.StatusQueued, 2, 0},
			{"flow_a", atelier.StatusRunning, 2, 0},
			{"flow_a", atelier.StatusWaitingForUser, 1, 1},
			{"flow_a", atelier.StatusWaitingForUser, 1, 1},
			{"flow_b", atelier.StatusCancelled, 0, 1},
			{"flow_a", atelier.StatusRunning, 1, 0},
			{"flow_a", atelier.StatusCompleted, 0, 0},
		} {
			if step.to == atelier.StatusQueued {
				if err := s.start(step.id, 10); err != nil {
					t.Fatal(err)
				}
			} else {
				s.end(step.id, step.to)
			}
			if active, paused := s.open(); active != step.active || paused != step.paused {
				t.Errorf("after %s is %s: %d active, %d paused, want %d, %d", step.id, step.to, active, paused, step.active, step.paused)
			}
		}
		refused := errors.New("no")
		if err := s.db.Write(t.Context(), func(tx *store.Tx) error {
			w, err := tx.Workflow("0xann", "flow_a")
			w.Status = atelier.StatusRunning
			return errors.Join(err, tx.UpdateWorkflow(&w), refused)
		}); !errors.Is(err, refused) {
			t.Fatal(err)
		}
		if active, paused := s.open(); active != 0 || paused != 0 {
			t.Errorf("after a change that was undone: %d active, %d paused", active, paused)
		}
	})
}

// open is how many workflows are active and paused.
func (s *shelf) open() (active, paused int) {
	s.Helper()
	err := s.db.Read(s.Context(), func(tx *store.Tx) (err error) {
		if active, paused, err = tx.CountUnfinished("0xann"); err != nil {
			return err
		}
		all, err := tx.CountAllActive()
		if all != active {
			s.Errorf("%d workflows of all accounts are active, want %d", all, active)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return active, paused
}

// A workflow that fails as it is started has ended then: it goes like any other.
func TestWorkflowsThatFailAtOnceHaveEnded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newShelf(t, o, 0)
		err := s.db.Write(t.Context(), func(tx *store.Tx) error {
			return tx.InsertWorkflow(store.StoredWorkflow{ID: "wf_a", Head: store.Head{Wallet: "0xann", Status: atelier.StatusFailed, CreatedAt: s.at, UpdatedAt: s.at}, Plan: []byte("{}"), State: []byte("{}")})
		})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		err = s.db.Read(t.Context(), func(tx *store.Tx) (err error) {
			ids, err = tx.EndedBetween("wf_", "wf_z", s.at.Add(time.Second), 10)
			return err
		})
		if err != nil || len(ids) != 1 {
			t.Errorf("ended are %v, %v; want the workflow that failed", ids, err)
		}
	})
}

// When an account stores too much, what ended first goes first, runs and workflows alike.
// What is not over stays, and a start that does not fit beside it is refused.
func TestStoredBytesAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newShelf(t, o, 100<<10)
		for _, id := range []string{"run_open", "run_a", "flow_b", "run_c"} {
			if err := s.start(id, 20<<10); err != nil {
				t.Fatal(err)
			}
		}
		s.end("flow_b", "completed")
		s.end("run_a", "cancelled")
		s.end("run_c", "waiting_for_user")
		if err := s.start("run_d", 20<<10); err != nil {
			t.Fatal(err)
		}
		s.want("run_open run_a run_c run_d", "flow_b")
		if err := s.start("flow_e", 20<<10); err != nil {
			t.Fatal(err)
		}
		s.want("run_open run_c run_d flow_e", "run_a flow_b")

		err := s.start("run_f", 20<<10)
		var refused *atelier.Error
		if !errors.As(err, &refused) || refused.Code != atelier.CodeStoredBytes || refused.Details["storedBytesLimit"] != int64(100<<10) {
			t.Errorf("a start beside four that are not over: %v", err)
		}
		s.want("run_open run_c run_d flow_e", "run_f")
		s.end("run_open", "failed")
		if err := s.start("run_f", 60<<10); !atelier.HasCode(err, atelier.CodeStoredBytes) {
			t.Errorf("a start that does not fit: %v", err)
		}
		s.want("run_open run_c run_d flow_e", "run_f") // nothing is deleted in vain
		if err := s.start("run_f", 20<<10); err != nil {
			t.Error(err)
		}
		s.want("run_c run_d flow_e run_f", "run_open")
	})
}

// Many starts at once exceed the limit together no more than one alone.
func TestStoredBytesUnderConcurrency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newShelf(t, o, 200<<10)
		document := bytes.Repeat([]byte("x"), 10<<10)
		var wg sync.WaitGroup
		var started atomic.Int64
		for i := range 60 {
			wg.Go(func() {
				start := func(tx *store.Tx) error {
					if _, err := tx.LockForWork("0xann"); err != nil {
						return err
					}
					return tx.InsertRun(store.StoredRun{ID: atelier.RunID(fmt.Sprintf("run_%02d", i)), Head: store.Head{Wallet: "0xann", Status: "completed", CreatedAt: now, UpdatedAt: now}, Request: document, State: []byte("{}")})
				}
				err := s.db.WriteStart(t.Context(), "0xann", now, start)
				for atelier.HasCode(err, atelier.CodeStoredBytes) { // until others have ended
					err = s.db.WriteStart(t.Context(), "0xann", now, start)
				}
				if err == nil {
					started.Add(1)
					err = s.db.Write(t.Context(), func(tx *store.Tx) error {
						r, err := tx.Run("0xann", atelier.RunID(fmt.Sprintf("run_%02d", i)))
						return errors.Join(err, tx.UpdateRun(r, r.Status))
					})
				}
				if err != nil && !errors.Is(err, store.ErrNotFound) { // another start has deleted it
					t.Error(err)
				}
			})
		}
		wg.Wait()
		var total int64
		if err := s.db.Read(t.Context(), func(tx *store.Tx) error { return tx.Row(`SELECT bytes FROM stored_total`).Scan(&total) }); err != nil || total > 200<<10 {
			t.Errorf("%d bytes are stored, %v", total, err)
		}
		if started.Load() != 60 {
			t.Errorf("%d of 60 were started", started.Load())
		}
		s.want("", "")
	})
}

// What is over stays while its money is open, and while it may belong to a run that is not
// over.
func TestWhatIsUsedStays(t *testing.T) {
	t.Parallel()
	held := func(cause string) func(*shelf) {
		return func(s *shelf) {
			write(s.T, s.db, func(tx *store.Tx) error {
				return store.Exec(tx, `INSERT INTO hold (cause, token, wallet, amount, at) VALUES ('`+cause+`', 'spark', '0xann', 1, 1)`)
			})
		}
	}
	id := func(prefix string, at time.Time) string {
		return prefix + mint.OrderedUUIDAt(at) + "-7000-8000-000000000000"
	}
	open := func(at time.Time) func(*shelf) {
		return func(s *shelf) {
			if err := s.start(id("run_", at), 10); err != nil {
				s.Error(err)
			}
		}
	}
	run, made := "run_a", id("wf_durable_workflow_", now.Add(time.Hour))
	for _, tt := range []struct {
		what string
		id   string // of what has ended
		use  func(*shelf)
		used bool
	}{
		{"money is held for a round of the run", run, held("llm/run_a/1"), true},
		{"money is held for a tool of the run", run, held("tool/run_a/call"), true},
		{"money is held for another run", run, held("llm/run_ab/1"), false},
		{"a run is open that was started before the workflow", made, open(now), true},
		{"a run is open since yesterday", made, open(now.Add(-25 * time.Hour)), false},
		{"a run is open that was started after the workflow", made, open(now.Add(2 * time.Hour)), false},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, o store.Options) {
				s := newShelf(t, o, 60<<10)
				if err := s.start(tt.id, 40<<10); err != nil {
					t.Fatal(err)
				}
				s.end(tt.id, "cancelled")
				tt.use(s)
				if err := s.start("wf_new", 40<<10); tt.used != atelier.HasCode(err, atelier.CodeStoredBytes) {
					t.Errorf("the next start: %v", err)
				}
			})
		})
	}
}

// What a start uses is not deleted to make space for it: the workflow that made its input, and
// a session that grows.
func TestStartsKeepWhatTheyUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newShelf(t, o, 100<<10)
		for _, id := range []string{"wf_a", "wf_b"} {
			if err := s.start(id, 40<<10); err != nil {
				t.Fatal(err)
			}
			write(t, s.db, func(tx *store.Tx) error {
				job := atelier.JobID("job_" + id)
				_, err := tx.InsertJob(store.StoredJob{Job: atelier.Job{
					ID: job, ProjectID: atelier.ProjectID(job), Wallet: "0xann", Owner: atelier.JobOwner{Kind: "workflow", ID: id}, Network: "fast", Attempt: 1, CreatedAt: now,
				}})
				if err == nil {
					err = tx.InsertArtifact(atelier.Artifact{ID: "a", ProjectID: atelier.ProjectID(job), JobID: job, Kind: "image", Key: "results/" + id})
				}
				return errors.Join(err, store.Exec(tx, `UPDATE job SET state = 'completed' WHERE id = '`+string(job)+`'`))
			})
			s.end(id, "completed")
		}
		s.at = s.at.Add(time.Minute)
		err := s.db.WriteStart(t.Context(), "0xann", s.at, func(tx *store.Tx) error {
			err := tx.InsertWorkflow(store.StoredWorkflow{ID: "wf_c", Head: store.Head{Wallet: "0xann", Status: "queued", CreatedAt: s.at, UpdatedAt: s.at}, Plan: bytes.Repeat([]byte("x"), 30<<10), State: []byte("{}")})
			return errors.Join(err, tx.UseArtifact("results/wf_a", "wf_c"))
		})
		if err != nil {
			t.Fatal(err)
		}
		s.want("wf_a wf_c", "wf_b")
		err = s.db.WriteStart(t.Context(), "0xann", s.at, func(tx *store.Tx) error {
			err := tx.InsertRun(store.StoredRun{ID: "run_d", Head: store.Head{Wallet: "0xann", Status: "queued", CreatedAt: s.at, UpdatedAt: s.at}, Request: bytes.Repeat([]byte("x"), 40<<10), State: []byte("{}")})
			return errors.Join(err, tx.InsertRunFile("run_d", "results/wf_a"))
		})
		if !atelier.HasCode(err, atelier.CodeStoredBytes) {
			t.Errorf("a run with what the oldest workflow has made: %v", err)
		}
		s.want("wf_a wf_c", "run_d")
		write(t, s.db, func(tx *store.Tx) error {
			err := tx.InsertRun(store.StoredRun{ID: "run_d", Head: store.Head{Wallet: "0xann", Status: "queued", CreatedAt: s.at, UpdatedAt: s.at}, Request: []byte("{}"), State: []byte("{}")})
			return errors.Join(err, tx.InsertRunFile("run_d", "results/wf_a"), store.Exec(tx, `DELETE FROM workflow_input`))
		})
		if err := s.start("wf_e", 30<<10); !atelier.HasCode(err, atelier.CodeStoredBytes) {
			t.Errorf("a start beside an open run that has it: %v", err)
		}
		s.want("wf_a wf_c run_d", "wf_e")
		s.end("run_d", "completed")
		if err := s.start("wf_e", 30<<10); err != nil {
			t.Error(err)
		}
		s.want("wf_c wf_e", "wf_a")
	})
}

// A session is counted when it changes and when it is forgotten, and goes like what is over.
func TestSessionsAreCounted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s := newShelf(t, o, 60<<10)
		remember := func(session string, size int) error {
			s.at = s.at.Add(time.Minute)
			return s.db.WriteStart(t.Context(), "0xann", s.at, func(tx *store.Tx) error {
				if _, err := tx.LockManifest("0xann", session, []byte("{}"), s.at); err != nil {
					return err
				}
				return tx.SetManifest("0xann", session, bytes.Repeat([]byte("x"), size), s.at)
			})
		}
		if err := errors.Join(remember("a", 10<<10), s.start("run_z", 30<<10)); err != nil {
			t.Fatal(err)
		}
		s.end("run_z", "completed")
		if err := remember("a", 30<<10); err != nil { // it is the oldest, and grows
			t.Fatal(err)
		}
		s.want("", "run_z")
		if err := errors.Join(remember("b", 20<<10), remember("a", 31<<10), s.start("run_c", 20<<10)); err != nil {
			t.Fatal(err)
		}
		s.want("run_c", "")
		err := s.db.Read(t.Context(), func(tx *store.Tx) error {
			_, gone := tx.Manifest("0xann", "b")
			_, err := tx.Manifest("0xann", "a")
			if !errors.Is(gone, store.ErrNotFound) {
				t.Errorf("the session that was not changed for longer is there: %v", gone)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		write(t, s.db, func(tx *store.Tx) error {
			n, err := tx.ForgetSessions(s.at, 10)
			if n != 1 {
				t.Errorf("%d sessions were forgotten, want 1", n)
			}
			return err
		})
		s.want("run_c", "")
	})
}
