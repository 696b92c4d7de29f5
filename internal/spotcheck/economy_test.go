package spotcheck_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/enginetest"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/spotcheck"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// In a month with spot checks, workers earn what they earn without; no honest one is found at
// fault, one that delivers other pictures is, and what the checks cost goes to those that are
// trusted.
func TestEconomyOfChecks(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1, 2, 20261117}
	if testing.Short() {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			without, with := playMonth(t, seed, 0), playMonth(t, seed, 20)
			for i := range without.usd {
				if without.usd[i] == 0 || with.usd[i] != without.usd[i] || with.svc[i] != without.svc[i] {
					t.Errorf("worker %d earned %s USD and %s svc with checks, %s and %s without", i, with.usd[i], with.svc[i], without.usd[i], without.svc[i])
				}
			}
			if n := without.faults["0xcheat"]; n != 0 {
				t.Errorf("%d faults without checks", n)
			}
			if with.faults["0xcheat"] == 0 || len(with.faults) != 1 {
				t.Errorf("at fault are %v", with.faults)
			}
			t.Logf("%d checks cost %s Spark and found %v; workers earned %v USD, and %v svc with checks", with.checks, with.spent, with.faults, with.usd, with.svc)
		})
	}
}

// month is what came of a month.
type month struct {
	usd, svc []atelier.Money // of the workers; the last one delivers other pictures
	faults   map[atelier.Wallet]int
	checks   int
	spent    atelier.Money // on checks
}

func playMonth(t *testing.T, seed uint64, percent float64) (m month) {
	t.Helper()
	draws := rand.New(rand.NewPCG(seed, 3))
	f := newMonth(t, storetest.SQLite(t), 10_000*unit, func(o *spotcheck.Options) { o.Percent, o.Draw = percent, draws.Float64 })
	random, lots := rand.New(rand.NewPCG(seed, 4)), rand.New(rand.NewPCG(seed, 5))
	var workers, trusted []enginetest.Worker
	for _, n := range []string{"w0", "w1", "w2", "cheat"} {
		workers = append(workers, f.worker(n))
	}
	for _, n := range []string{"sue", "tom"} {
		trusted = append(trusted, f.worker(n))
	}
	made := func(w enginetest.Worker, j *atelier.Job) []byte {
		if w.Wallet == "0xcheat" {
			return picture(1000+lots.Uint64(), 1)
		}
		return picture(uint64(j.Spec.Seed), lots.Uint64())
	}
	for range 60 {
		w := workers[random.IntN(len(workers))]
		f.ask(func(s *fleet.Submission) { s.Spec.Seed = random.Int64N(900) })
		j := w.MustClaim()
		f.deliver(w, j, made(w, j))
		for {
			f.advance()
			open, _ := f.all()
			if len(open) == 0 {
				break
			}
			w := trusted[lots.IntN(len(trusted))]
			j := w.MustClaim()
			f.deliver(w, j, made(w, j))
		}
	}
	_, decided := f.all()
	m.faults, m.checks, m.spent = map[atelier.Wallet]int{}, len(decided), f.paid()
	for _, c := range decided {
		if c.AtFault != "" {
			m.faults[c.AtFault]++
		}
	}
	f.FreezeAt(time.Date(2026, 12, 1, 2, 0, 0, 0, time.UTC))
	if _, err := f.Billing.CloseMonths(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	for _, w := range workers {
		c, err := f.Billing.Claim(t.Context(), w.Wallet, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		m.usd, m.svc = append(m.usd, c.USD), append(m.svc, c.Svc)
	}
	f.Audit()
	return m
}

// The process dies at every commit of a check, before it and after it. Another process brings
// the check to its end: it is decided once, nothing is paid twice, and nothing is left.
func TestCrashAtEveryCommit(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprint("after ", after), func(t *testing.T) {
			t.Parallel()
			n, step := int64(1), int64(1)
			if testing.Short() {
				step = 7
			}
			for crashAt(t, n, after) {
				n += step
			}
			if n < 8 {
				t.Errorf("it has only %d commits", n-1)
			}
		})
	}
}

func crashAt(t *testing.T, n int64, after bool) bool {
	t.Helper()
	dir := t.TempDir()
	path := storetest.Furnish(t, filepath.Join(dir, "atelier.db"))
	db := storetest.OpenMortal(t, path, n, after)
	f := newFixture(t, db.DB, dir)
	f.Freeze()
	f.open(100 * unit)
	for _, name := range []string{"one", "sue", "tom"} {
		f.worker(name)
	}
	db.Arm()
	_ = f.bring(db.Alive) // the process may be dead
	dead := db.Dead()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	heir := newFixture(t, storetest.Open(t, store.Options{Path: path, NoSync: true}), dir)
	heir.Freeze()
	heir.Advance(time.Hour) // every lease has ended
	if err := heir.Fleet.Expire(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := heir.bring(context.Background()); err != nil {
		t.Errorf("it died at commit %d, after it: %v; then %v", n, after, err)
	}
	if _, decided := heir.all(); len(decided) > 0 {
		c := heir.want(atelier.SpotCheckWrong, "0xone", "")
		if want := price * atelier.Money(len(c.Renders)-1); heir.paid() != want {
			t.Errorf("the checks cost %s, want %s", heir.paid(), want)
		}
	}
	heir.Audit()
	if t.Failed() {
		t.Fatalf("it died at commit %d, after it: %v", n, after)
	}
	return dead
}

// bring orders a picture, unless there is one, and brings its check to the end, or until ctx
// ends. The worker of one delivers other pictures, and gets the order first.
func (f *fixture) bring(ctx context.Context) error {
	var workers []enginetest.Worker
	for _, w := range []atelier.Wallet{"0xone", "0xsue", "0xtom"} {
		connected, err := f.Fleet.Connect(ctx, w, apitype.WorkerSpec{Name: string(w), Network: atelier.NetworkFast, Models: []string{model}, Capacity: 1})
		if err != nil {
			return err
		}
		workers = append(workers, enginetest.Worker{Env: f.Env, Wallet: w, ID: connected.ID})
	}
	for ctx.Err() == nil {
		f.Advance(time.Second)
		if done, err := f.step(ctx, workers); done || err != nil {
			return err
		}
	}
	return ctx.Err()
}

// step orders the picture, takes the check a step further, or has a worker make a job.
func (f *fixture) step(ctx context.Context, workers []enginetest.Worker) (done bool, err error) {
	var (
		orders []store.StoredJob
		checks []store.SpotCheck
	)
	err = f.DB.Read(ctx, func(tx *store.Tx) (err error) {
		if orders, err = storetest.JobsOf(tx, atelier.JobOwner{Kind: "test", ID: "t"}); err == nil {
			checks, err = tx.SpotChecksBefore(time.Time{}, "", 1)
		}
		return err
	})
	if err != nil || len(checks) > 0 && checks[0].State != atelier.SpotCheckOpen {
		return true, err
	}
	if len(orders) > 0 && orders[0].State == atelier.JobCompleted && len(checks) == 0 {
		return true, nil // a trusted worker got it after the crash
	}
	if len(orders) == 0 {
		return false, f.DB.Write(ctx, func(tx *store.Tx) error { _, err := f.Fleet.Submit(tx, f.order()); return err })
	}
	if err := f.checks.Advance(ctx); err != nil {
		return false, err
	}
	for _, w := range workers {
		j, err := f.Fleet.ClaimJob(ctx, w.Wallet, w.ID, 0)
		if err != nil {
			return false, err
		}
		if j == nil {
			continue
		}
		file := picture(uint64(j.Spec.Seed), uint64(len(w.Wallet)))
		if w.Wallet == "0xone" {
			file = picture(99, 1)
		}
		_, err = f.Fleet.Complete(ctx, w.Wallet, w.ID, j.ID, apitype.Completion{Artifacts: []apitype.ReportedArtifact{{ID: "a0", Data: file}}})
		return false, err
	}
	return false, nil
}
