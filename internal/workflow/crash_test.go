package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/atelier-project/atelier/internal/worktest"
)

// crashingFixture is a process that dies at a certain commit, and what it has
// promised until then.
type crashingFixture struct {
	*fixture
	ctx      context.Context // ends when it dies
	ids      []string        // workflows that were accepted
	promised map[string]atelier.Status
}

var errDead = errors.New("the process is dead")

func (s *crashingFixture) open(q workflow.StartRequest) error {
	q.Key = fmt.Sprint("start", len(s.ids))
	started, err := s.e.Start(s.ctx, s.owner(), q)
	if err == nil {
		s.ids = append(s.ids, started.Workflow.WorkflowID)
	}
	return err
}

// does claims the next job, which must be of a step, and does something with
// it.
func (s *crashingFixture) does(part string, do func(*atelier.Job) error) error {
	j, err := s.Fleet.ClaimJob(s.ctx, wil, s.worker.ID, 2*time.Minute)
	if err != nil || j == nil {
		return errors.Join(err, errDead)
	}
	if j.Owner.Part != part {
		s.T.Errorf("got a job of %s, want one of %s", j.Owner.Part, part)
	}
	return do(j)
}

// completes does a job, and records that its step is promised to be completed.
func (s *crashingFixture) completes(part string) error {
	return s.does(part, func(j *atelier.Job) error {
		err := s.complete(j)
		if err == nil {
			s.promised[j.Owner.ID+" "+part] = atelier.StatusCompleted
		}
		return err
	})
}

func (s *crashingFixture) fails(part, code string) error {
	return s.does(part, func(j *atelier.Job) error { return s.worker.Fail(j, code) })
}

// replaceWorker disconnects the worker and connects another one some time later: a fallback
// worker or one that is not.
func (s *crashingFixture) replaceWorker(fallback bool) error {
	if err := s.Fleet.Disconnect(s.ctx, wil, s.worker.ID); err != nil {
		return err
	}
	s.Advance(11 * time.Minute) // what is reserved is so for ten
	connected, err := s.Fleet.Connect(s.ctx, wil, apitype.WorkerSpec{
		Name: "worker", Network: fast, Models: enginetest.AllModels(), Capacity: 64, Fallback: fallback,
	})
	s.worker.ID = connected.ID
	return err
}

// inOrder does one thing after the other until one fails.
func inOrder(list ...func() error) error {
	for _, do := range list {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// scripts are the ways a workflow can go. Each has its number of commits.
var scripts = []struct {
	name    string
	commits int64
	play    func(*crashingFixture) error
}{
	{"one step", 4, func(s *crashingFixture) error {
		return inOrder(func() error { return s.open(plan(fox)) }, func() error {
			return s.does("step/0", func(j *atelier.Job) error {
				if _, err := s.Fleet.Progress(s.ctx, wil, s.worker.ID, j.ID, apitype.JobProgress{Progress: 0.5, Message: "half"}); err != nil {
					return err
				}
				return s.complete(j)
			})
		})
	}},
	{"chain", 7, func(s *crashingFixture) error {
		return inOrder(func() error { return s.open(plan(fox, upscale("b", "a", true), upscale("c", "b", true))) },
			func() error { return s.completes("step/0") }, func() error { return s.completes("step/1") }, func() error { return s.completes("step/2") })
	}},
	{"fan", 9, func(s *crashingFixture) error {
		return inOrder(func() error {
			return s.open(plan(fox, upscale("b", "a", true), upscale("c", "a", true), step("d", "image_to_3d", nil,
				from("b", 0, "image_index", "sourceImageIndex"), from("c", 0, "image_index", "leftViewImageIndex"))))
		}, func() error { return s.completes("step/0") }, func() error { return s.completes("step/1") },
			func() error { return s.completes("step/2") }, func() error { return s.completes("step/3") })
	}},
	{"fail", 3, func(s *crashingFixture) error {
		return inOrder(func() error { return s.open(plan(fox, upscale("b", "a", true))) }, func() error { return s.fails("step/0", atelier.FailError) })
	}},
	{"drop", 5, func(s *crashingFixture) error {
		return inOrder(func() error { return s.open(plan(fox)) },
			func() error { return s.fails("step/0", atelier.FailDropped) }, func() error { return s.completes("step/0") })
	}},
	{"cancel", 4, func(s *crashingFixture) error {
		return inOrder(func() error { return s.open(plan(fox, image("b", "a hen"), upscale("c", "a", true))) }, func() error {
			return s.does("step/0", func(j *atelier.Job) error {
				if _, err := s.e.Cancel(s.ctx, ann, atelier.WorkflowID(s.ids[0]), "enough"); err != nil {
					return err
				}
				s.promised[s.ids[0]] = atelier.StatusCancelled
				return s.complete(j)
			})
		})
	}},
	{"credit", 5, func(s *crashingFixture) error {
		q := plan(fox)
		q.Terms.Token = atelier.PaySvc
		return inOrder(func() error { return s.open(q) },
			func() error { return s.Billing.Credit(s.ctx, ann, billing.Credits{Svc: 10 * atelier.MoneyUnit}) },
			func() error {
				_, err := s.e.Resume(s.ctx, ann, atelier.WorkflowID(s.ids[0]), workflow.ResumeRequest{})
				return err
			}, func() error { return s.completes("step/0") })
	}},
	{"approve", 4, func(s *crashingFixture) error {
		return inOrder(func() error { return s.open(asks(fox)) }, func() error {
			_, err := s.e.Confirm(s.ctx, ann, atelier.WorkflowID(s.ids[0]), workflow.Decision{Key: "yes", Confirm: true, Preview: s.get(s.ids[0]).BillingPreview})
			if err == nil {
				s.promised[s.ids[0]] = atelier.StatusCompleted
			}
			return err
		}, func() error { return s.completes("step/0") })
	}},
	{"remake", 10, func(s *crashingFixture) error {
		return inOrder(func() error { return s.replaceWorker(true) }, func() error { return s.open(plan(fox)) }, func() error { return s.completes("step/0") },
			func() error { return s.replaceWorker(false) }, func() error {
				r, err := s.e.Remake(s.ctx, s.owner(), workflow.RemakeRequest{Key: "again", Source: atelier.WorkflowID(s.ids[0]), StepID: "a"})
				if err == nil {
					s.ids = append(s.ids, r.Workflow.WorkflowID)
				}
				return err
			}, func() error { return s.completes("step/0") })
	}},
	{"reseed", 6, func(s *crashingFixture) error {
		return inOrder(func() error { return s.open(plan(fox)) }, func() error { return s.completes("step/0") }, func() error {
			r, err := s.e.Reseed(s.ctx, s.owner(), workflow.ReseedRequest{Key: "again", Source: atelier.WorkflowID(s.ids[0])})
			if err == nil {
				s.ids = append(s.ids, r.Workflow.WorkflowID)
			}
			return err
		}, func() error { return s.completes("step/0") })
	}},
}

// The process dies at every commit of every way a workflow can go, before it
// and after it. Whatever a new process finds, it brings to an end, once; what
// was promised is kept, what was made is paid, and nothing else is.
//
//atelier:norace
func TestCrashAtEveryCommit(t *testing.T) {
	t.Parallel()
	for i, script := range scripts {
		t.Run(script.name, func(t *testing.T) {
			t.Parallel()
			if !worktest.Exhaustive() { // one death will do
				crashAt(t, script.play, 1+int64(i)*3%script.commits, i%2 == 0)
				return
			}
			for _, after := range []bool{false, true} {
				n := int64(1)
				for crashAt(t, script.play, n, after) {
					n++
				}
				if n != script.commits+1 {
					t.Errorf("it has %d commits, want %d", n-1, script.commits)
				}
			}
		})
	}
}

// in keeps the files in a directory.
func in(dir string) func(*options) { return func(o *options) { o.Dir = dir } }

// crashAt plays a script that dies at its n-th commit, and then what was left.
// It reports false when the script has fewer.
func crashAt(t *testing.T, play func(*crashingFixture) error, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	s := &crashingFixture{fixture: newFixtureOn(t, db.DB, full, in(dir)), ctx: db.Alive, promised: map[string]atelier.Status{}}
	s.addAccounts()
	s.connect()
	db.Arm()
	if err := play(s); (err != nil) != db.Dead() {
		t.Errorf("dead %v at commit %d: %v", db.Dead(), n, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s.bringToEnd(storetest.Open(t, store.Options{Path: path, NoSync: true}), dir)
	if t.Failed() {
		t.Fatalf("it died at commit %d, after it: %v", n, after)
	}
	return db.Dead()
}

// bringToEnd starts a new process on what was left, does everything that can
// be done, and looks at what came of it.
func (s *crashingFixture) bringToEnd(db *store.DB, dir string) {
	s.T.Helper()
	f := newFixtureOn(s.T, db, full, in(dir))
	f.Advance(time.Hour) // every lease has ended, and so has the time to report that the new process gives
	if err := f.Fleet.Expire(context.Background()); err != nil {
		s.T.Fatal(err)
	}
	f.connect()
	var all []apitype.Workflow
	for left := 10; ; left-- {
		page, err := f.e.List(context.Background(), ann, 0, 100)
		if err != nil {
			s.T.Fatal(err)
		}
		over := true
		for _, w := range page.Workflows {
			over = over && w.Status.Terminal()
			f.release(w)
		}
		if all = page.Workflows; over {
			break
		}
		if left == 0 {
			s.T.Fatalf("it does not end: %s", statuses(all[0]))
		}
		for f.queued() > 0 {
			if err := f.complete(f.worker.MustClaim()); err != nil {
				s.T.Fatal(err)
			}
		}
	}
	s.judge(f, all)
}

// release lets a workflow go on that waits for its user.
func (f *fixture) release(w apitype.Workflow) {
	f.T.Helper()
	var err error
	switch {
	case w.Status != atelier.StatusWaitingForUser:
		return
	case *w.AwaitingCostApproval: // the preview has expired meanwhile
		_, err = f.decide(w.WorkflowID, workflow.Decision{})
	default:
		if err = f.Billing.Credit(context.Background(), ann, billing.Credits{Svc: 10 * atelier.MoneyUnit}); err == nil {
			_, err = f.e.Resume(context.Background(), ann, atelier.WorkflowID(w.WorkflowID), workflow.ResumeRequest{})
		}
	}
	if err != nil {
		f.T.Fatal(err)
	}
}

// judgeRemakes checks that a step was made again at most once, and names the workflow that did.
func judgeRemakes(t testing.TB, f *fixture, all []apitype.Workflow) {
	t.Helper()
	by := map[string]string{}
	for _, w := range all {
		if w.RemakeOf == nil || w.Status != atelier.StatusCompleted {
			continue
		}
		if by[w.RemakeOf.WorkflowID] != "" {
			t.Errorf("%s was made again twice", w.RemakeOf.WorkflowID)
		}
		by[w.RemakeOf.WorkflowID] = w.WorkflowID
	}
	for _, w := range all {
		again := f.get(w.WorkflowID).Steps[0].Remake
		if again == nil {
			again = &apitype.StepRemake{}
		}
		if again.WorkflowID != by[w.WorkflowID] {
			t.Errorf("%s says that it was made again by %q, want %q", w.WorkflowID, again.WorkflowID, by[w.WorkflowID])
		}
	}
}

// judge holds what there is in the end against what was promised.
func (s *crashingFixture) judge(f *fixture, all []apitype.Workflow) {
	s.T.Helper()
	byID, cost, seen := map[string]apitype.Workflow{}, atelier.Money(0), newMoves()
	for _, w := range all {
		byID[w.WorkflowID] = w
		cost += paid(w)
		seen.replay(s.T, f, w)
		if want, ok := s.promised[w.WorkflowID]; ok && w.Status != want {
			s.T.Errorf("the workflow was promised to be %s and is %s", want, w.Status)
		}
		for i, step := range w.Steps {
			if want, ok := s.promised[fmt.Sprintf("%s step/%d", w.WorkflowID, i)]; ok && step.Status != want {
				s.T.Errorf("the step %s was promised to be %s and is %s", step.ID, want, step.Status)
			}
		}
	}
	for _, id := range s.ids {
		if _, ok := byID[id]; !ok {
			s.T.Errorf("%s was accepted and is gone", id)
		}
	}
	if len(all) > len(s.ids)+1 {
		s.T.Errorf("%d workflows were accepted, and there are %d", len(s.ids), len(all))
	}
	judgeRemakes(s.T, f, all)
	b, err := f.Billing.Balance(context.Background(), ann)
	if err != nil || b.Spark.Debit+b.Svc.Debit != cost {
		s.T.Errorf("%s was paid or is held, %v, and the steps cost %s", b.Spark.Debit+b.Svc.Debit, err, cost)
	}
	f.Audit()
	// A caller that heard nothing asks again, with its key.
	for k := range min(len(all), 1) {
		q := plan(fox)
		q.Key = fmt.Sprint("start", k)
		again, err := f.try(q)
		if err != nil || !again.Idempotent || (len(s.ids) > k && again.Workflow.WorkflowID != s.ids[k]) {
			s.T.Errorf("asked again: %s, %v, want %v", again.Workflow.WorkflowID, err, s.ids)
		}
	}
}
