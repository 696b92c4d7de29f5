package fleet_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// yard is an engine on real parts, with a clock that tests move.
type yard struct {
	t     testing.TB
	db    *store.DB
	blobs *blob.Door
	bill  *billing.Engine
	e     *fleet.Engine

	mu    sync.Mutex
	ahead time.Duration
	log   []string // what the hooks heard
}

const (
	lease = 15 * time.Second
	model = "z_image_turbo_bf16"
	owner = "test"
)

func newYard(t testing.TB, o store.Options) *yard {
	t.Helper()
	y := &yard{t: t, db: storetest.Open(t, o)}
	y.start(t.TempDir())
	return y
}

// start opens the rest on a database that is open.
func (y *yard) start(dir string) {
	y.t.Helper()
	disk, err := blob.OpenDisk(filepath.Join(dir, "media"))
	if err != nil {
		y.t.Fatal(err)
	}
	y.blobs = blob.NewDoor(disk, blob.DoorOptions{Secrets: []string{"a-secret-of-sixteen"}, URL: "http://x", Now: y.now})
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	b, err := bus.Open(y.t.Context(), "", quiet)
	if err != nil {
		y.t.Fatal(err)
	}
	y.bill = billing.New(y.db, y.now, func(atelier.PlanTier) int { return 0 })
	y.e = fleet.New(y.db, b, y.blobs, y.bill, fleet.Options{Lease: lease, DownloadTTL: time.Hour, Now: y.now, Log: quiet})
	note := func(what string) func(*store.Tx, atelier.Job) error {
		return func(tx *store.Tx, j atelier.Job) error {
			tx.OnCommit(func() { y.note(fmt.Sprintf("%s %s %d", what, j.Owner.Part, j.Attempt)) })
			return nil
		}
	}
	y.e.Tell(owner, fleet.Hooks{
		Started: note("started"), Progressed: note("progressed"), Dropped: note("dropped"),
		Ended: func(tx *store.Tx, j atelier.Job, made []atelier.Artifact) error {
			return note(fmt.Sprintf("%s/%d", j.State, len(made)))(tx, j)
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { y.e.Run(ctx); close(done) }()
	y.t.Cleanup(func() { cancel(); <-done; b.Close(); disk.Close() })
}

func (y *yard) now() time.Time {
	y.mu.Lock()
	defer y.mu.Unlock()
	return time.Now().Add(y.ahead).UTC().Truncate(time.Millisecond)
}

func (y *yard) advance(d time.Duration) { y.mu.Lock(); defer y.mu.Unlock(); y.ahead += d }

func (y *yard) note(s string) { y.mu.Lock(); defer y.mu.Unlock(); y.log = append(y.log, s) }

func (y *yard) heard() string { y.mu.Lock(); defer y.mu.Unlock(); return strings.Join(y.log, ", ") }

func (y *yard) account(name string, spark atelier.Money) atelier.Wallet {
	y.t.Helper()
	w := atelier.Wallet("0x" + name)
	err := y.db.Write(context.Background(), func(tx *store.Tx) error {
		if err := tx.InsertAccount(atelier.Account{Wallet: w, Username: name, Worker: true, CreatedAt: y.now()}); err != nil {
			return err
		}
		return y.bill.Book(tx, w, billing.Credits{Spark: spark})
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return w
}

// submit queues a job that costs 10.
func (y *yard) submit(w atelier.Wallet, part string, change ...func(*fleet.Submission)) (j atelier.Job, err error) {
	s := fleet.Submission{
		Wallet: w, Owner: atelier.JobOwner{Kind: owner, ID: "o", Part: part}, Network: atelier.Fast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: model, Arguments: map[string]any{"prompt": "x"},
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}, {ID: "a1", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10, USD: 50},
	}
	for _, f := range change {
		f(&s)
	}
	err = y.db.Write(context.Background(), func(tx *store.Tx) error {
		j, err = y.e.Submit(tx, s)
		return err
	})
	return j, err
}

func (y *yard) mustSubmit(w atelier.Wallet, part string, change ...func(*fleet.Submission)) atelier.Job {
	y.t.Helper()
	j, err := y.submit(w, part, change...)
	if err != nil {
		y.t.Fatalf("submit %s: %v", part, err)
	}
	return j
}

// hand is a connected worker.
type hand struct {
	y  *yard
	w  atelier.Wallet
	id string
}

func (y *yard) connect(w atelier.Wallet, models ...string) hand {
	y.t.Helper()
	if len(models) == 0 {
		models = []string{model}
	}
	worker, err := y.e.Connect(context.Background(), w, fleet.NewWorker{Name: "hand", Network: atelier.Fast, Models: models, Capacity: 1})
	if err != nil {
		y.t.Fatal(err)
	}
	return hand{y, w, worker.ID}
}

func (h hand) claim(wait time.Duration) *atelier.Job {
	h.y.t.Helper()
	j, err := h.y.e.Claim(context.Background(), h.w, h.id, wait)
	if err != nil {
		h.y.t.Fatalf("claim: %v", err)
	}
	return j
}

func (h hand) must() *atelier.Job {
	h.y.t.Helper()
	j := h.claim(10 * time.Second)
	if j == nil {
		h.y.t.Fatal("no job came")
	}
	return j
}

// upload puts an artifact where the worker's form would.
func (h hand) upload(j *atelier.Job, ids ...string) {
	h.y.t.Helper()
	caller := atelier.Caller{Account: atelier.Account{Wallet: h.w, Worker: true}, Credential: atelier.ByAPIKey}
	for _, id := range ids {
		place, err := h.y.e.UploadPlace(context.Background(), caller, j.ProjectID, id, false)
		if err != nil {
			h.y.t.Fatal(err)
		}
		if _, err := h.y.blobs.Put(context.Background(), place.Key, strings.NewReader("bytes"), blob.PutOptions{ContentType: place.ContentType}); err != nil {
			h.y.t.Fatal(err)
		}
	}
}

func (h hand) complete(j *atelier.Job, ids ...string) error {
	var made []fleet.Made
	for _, id := range ids {
		made = append(made, fleet.Made{ID: id, Seed: 7})
	}
	return h.y.e.Complete(context.Background(), h.w, h.id, j.ID, made, fleet.Metrics{Render: 1.5})
}

func (h hand) progress(j *atelier.Job, p float64) (fleet.Standing, error) {
	return h.y.e.Progress(context.Background(), h.w, h.id, j.ID, p, "half")
}

func (h hand) fail(j *atelier.Job, code string) error {
	return h.y.e.Fail(context.Background(), h.w, h.id, j.ID, atelier.JobError{Code: code, Message: "no"})
}

// order takes n jobs, one after the other, and says which came.
func (h hand) order(n int) string {
	h.y.t.Helper()
	var parts []string
	for range n {
		j := h.must()
		parts = append(parts, j.Owner.Part)
		if err := h.fail(j, atelier.FailError); err != nil {
			h.y.t.Fatal(err)
		}
	}
	return strings.Join(parts, " ")
}

func (y *yard) want(w atelier.Wallet, net, debit atelier.Money) {
	y.t.Helper()
	b, err := y.bill.Balance(context.Background(), w)
	if err != nil || b.Spark.Net != net || b.Spark.Debit != debit {
		y.t.Errorf("balance of %s: got net %d, debit %d, %v, want %d, %d", w, b.Spark.Net, b.Spark.Debit, err, net, debit)
	}
}

func (y *yard) audit() {
	y.t.Helper()
	if _, differences, err := y.bill.Audit(context.Background()); err != nil || len(differences) > 0 {
		y.t.Errorf("audit: %v %q", err, differences)
	}
}

func (y *yard) job(id string) (j store.StoredJob) {
	y.t.Helper()
	if err := y.db.Read(context.Background(), func(tx *store.Tx) (err error) { j, err = tx.Job(id); return err }); err != nil {
		y.t.Fatal(err)
	}
	return j
}

func TestAJobIsDone(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		y.want(ann, 15, 10)
		j := h.must()
		if j.Attempt != 1 || j.State != atelier.JobLeased || j.Spec.Arguments["prompt"] != "x" {
			t.Errorf("claimed %+v", j)
		}
		if _, err := y.e.Claim(t.Context(), wil, h.id, 0); !atelier.Has(err, atelier.CodeWorkerFull) {
			t.Errorf("a full worker: got %v", err)
		}
		s, err := h.progress(j, 0.5)
		if err != nil || s.Cancel || s.LeaseUntil.Before(y.now().Add(lease-time.Second)) {
			t.Errorf("progress: %+v, %v", s, err)
		}
		if err := h.complete(j, "a0", "a1"); err == nil || !strings.Contains(err.Error(), "not uploaded") {
			t.Errorf("before the upload: %v", err)
		}
		h.upload(j, "a0", "a1")
		for _, ids := range [][]string{{}, {"other"}, {"a0", "a0"}} {
			if err := h.complete(j, ids...); !atelier.Has(err, atelier.CodeInvalidRequest) {
				t.Errorf("complete with %q: %v", ids, err)
			}
		}
		if err := h.complete(j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		if err := h.complete(j, "a0", "a1"); !atelier.Has(err, atelier.CodeJobLost) {
			t.Errorf("completed twice: %v", err)
		}
		y.want(ann, 15, 10)
		y.audit()
		if got := y.heard(); got != "started one 1, progressed one 1, completed/2 one 1" {
			t.Errorf("heard %s", got)
		}
	})
}

func TestFewerResultsCostLess(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 25), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one")
	j := h.must()
	h.upload(j, "a1")
	if err := h.complete(j, "a1"); err != nil {
		t.Fatal(err)
	}
	y.want(ann, 20, 5)
	y.audit()
}

func TestFailuresCostNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		for i, code := range []string{atelier.FailError, atelier.FailLoraMismatch, atelier.FailContentFiltered, atelier.FailOutOfMemory} {
			y.mustSubmit(ann, code)
			j := h.must()
			if err := h.fail(j, code); err != nil {
				t.Fatal(err)
			}
			if got := y.job(j.ID); got.State != atelier.JobFailed || got.Error.Code != code || got.Attempt != 1 {
				t.Errorf("%d: %+v", i, got.Job)
			}
		}
		y.want(ann, 25, 0)
		y.audit()
	})
}

// A dropped job is tried once more; dropped again, it has failed.
func TestDropsAreRetriedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		first := h.must()
		if err := h.fail(first, atelier.FailDropped); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 15, 10)
		second := h.must()
		if second.ID != first.ID || second.Attempt != 2 {
			t.Errorf("the second attempt: %+v", second)
		}
		if err := h.fail(second, atelier.FailDropped); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 25, 0)
		y.audit()
		if got := y.heard(); got != "started one 1, dropped one 1, started one 2, failed/0 one 2" {
			t.Errorf("heard %s", got)
		}
	})
}

// A worker that falls silent loses its job; what it says later is refused.
func TestLeasesEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 25), y.account("wil", 0)
		slow, quick := y.connect(wil), y.connect(wil)
		y.mustSubmit(ann, "one")
		lost := slow.must()
		slow.upload(lost, "a0", "a1")
		y.advance(lease + time.Second)
		if err := y.e.Expire(t.Context()); err != nil {
			t.Fatal(err)
		}
		j := quick.must()
		if j.ID != lost.ID || j.Attempt != 2 {
			t.Fatalf("the second attempt: %+v", j)
		}
		if _, err := slow.progress(lost, 0.9); !atelier.Has(err, atelier.CodeJobLost) {
			t.Errorf("late progress: %v", err)
		}
		if err := slow.complete(lost, "a0", "a1"); err == nil {
			t.Error("a late answer was taken")
		}
		if err := slow.fail(lost, atelier.FailError); !atelier.Has(err, atelier.CodeJobLost) {
			t.Errorf("a late failure: %v", err)
		}
		quick.upload(j, "a0", "a1")
		if err := quick.complete(j, "a0", "a1"); err != nil {
			t.Fatal(err)
		}
		y.want(ann, 15, 10)
		y.audit()
	})
}

func TestCancel(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 50), y.account("wil", 0)
		cancel := func(id string) (inFlight bool) {
			if err := y.db.Write(t.Context(), func(tx *store.Tx) (err error) { inFlight, err = y.e.Cancel(tx, id); return err }); err != nil {
				t.Fatal(err)
			}
			return inFlight
		}
		waiting := y.mustSubmit(ann, "waiting")
		if cancel(waiting.ID) || y.job(waiting.ID).State != atelier.JobCancelled {
			t.Error("a waiting job did not end at once")
		}
		y.want(ann, 50, 0)
		h := y.connect(wil)
		for _, end := range []func(*atelier.Job) error{
			func(j *atelier.Job) error { return h.fail(j, atelier.FailError) },
			func(j *atelier.Job) error { h.upload(j, "a0"); return h.complete(j, "a0") },
			func(j *atelier.Job) error { return h.fail(j, atelier.FailDropped) },
		} {
			y.mustSubmit(ann, "running")
			j := h.must()
			if !cancel(j.ID) {
				t.Error("a running job is not in flight")
			}
			if s, err := h.progress(j, 0.1); err != nil || !s.Cancel {
				t.Errorf("the worker was not told: %+v, %v", s, err)
			}
			if err := end(j); err != nil {
				t.Fatal(err)
			}
			if got := y.job(j.ID).State; got != atelier.JobCancelled {
				t.Errorf("a cancelled job ended as %s", got)
			}
			if cancel(j.ID) {
				t.Error("a job that is over is in flight")
			}
		}
		y.want(ann, 50, 0)
		y.audit()
	})
}

// Accounts take turns, however many jobs one of them brings.
func TestAccountsTakeTurns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, bob, cat, wil := y.account("ann", 900), y.account("bob", 900), y.account("cat", 900), y.account("wil", 0)
		for i := range 4 {
			y.mustSubmit(ann, fmt.Sprint("ann", i))
		}
		for i := range 2 {
			y.mustSubmit(bob, fmt.Sprint("bob", i))
		}
		y.mustSubmit(cat, "cat0")
		h := y.connect(wil)
		if got := h.order(7); got != "ann0 bob0 cat0 ann1 bob1 ann2 ann3" {
			t.Errorf("order: %s", got)
		}
	})
}

// An account whose queue has run dry does not fall behind those who come
// later.
func TestTurnsGoOnAfterAPause(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, bob, wil := y.account("ann", 900), y.account("bob", 900), y.account("wil", 0)
		h := y.connect(wil)
		for i := range 5 {
			y.mustSubmit(ann, fmt.Sprint("early", i))
			if err := h.fail(h.must(), atelier.FailError); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 3 {
			y.mustSubmit(bob, fmt.Sprint("bob", i))
		}
		y.mustSubmit(ann, "ann")
		if got := h.order(4); got != "bob0 ann bob1 bob2" {
			t.Errorf("order: %s", got)
		}
	})
}

// However many claims a worker has waiting, it gets no more than it can hold.
func TestCapacityIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil := y.account("ann", 900), y.account("wil", 0)
		h := y.connect(wil)
		got := make(chan *atelier.Job, 3)
		wait, stop := context.WithCancel(t.Context())
		for range 3 {
			go func() {
				j, _ := y.e.Claim(wait, wil, h.id, 20*time.Second)
				got <- j
			}()
		}
		for y.e.Waiting(atelier.Fast) < 3 {
			time.Sleep(time.Millisecond) // nothing signals that a claim has begun to wait
		}
		for i := range 3 {
			y.mustSubmit(ann, fmt.Sprint(i))
		}
		first := <-got
		if first == nil {
			t.Fatal("no job came")
		}
		if err := y.db.Read(t.Context(), func(tx *store.Tx) error {
			if n, err := tx.CountLeasedBy(h.id); err != nil || n != 1 {
				t.Errorf("it holds %d, %v", n, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
		stop()
		for range 2 {
			if j := <-got; j != nil {
				t.Errorf("it got another: %+v", j)
			}
		}
	})
}

// A node that drains answers those who wait, and sends others elsewhere.
func TestDrainEndsClaims(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	wil := y.account("wil", 0)
	h := y.connect(wil)
	got := make(chan error, 1)
	go func() {
		j, err := y.e.Claim(context.Background(), wil, h.id, time.Hour)
		if j != nil {
			t.Errorf("got %+v", j)
		}
		got <- err
	}()
	for y.e.Waiting(atelier.Fast) < 1 {
		time.Sleep(time.Millisecond) // nothing signals that a claim has begun to wait
	}
	y.e.Drain()
	if err := <-got; err != nil {
		t.Errorf("the one that waited: %v", err)
	}
	if _, err := y.e.Claim(t.Context(), wil, h.id, time.Hour); !atelier.Has(err, atelier.CodeUnavailable) {
		t.Errorf("a later one: %v", err)
	}
}

// A plan's concurrency limit holds jobs back, and the demand says so.
func TestConcurrencyLimits(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, bob, wil := y.account("ann", 900), y.account("bob", 900), y.account("wil", 0)
		limited := func(s *fleet.Submission) { s.Spec.ConcurrencyClass, s.Spec.ConcurrencyLimit = "h3", 2 }
		for i := range 4 {
			y.mustSubmit(ann, fmt.Sprint("ann", i), limited)
		}
		y.mustSubmit(bob, "bob0", limited)
		var hands []hand
		var held []*atelier.Job
		for range 4 {
			hands = append(hands, y.connect(wil))
		}
		for i := range 3 {
			held = append(held, hands[i].must())
		}
		if j := hands[3].claim(0); j != nil {
			t.Errorf("a third of one account ran: %+v", j)
		}
		d, err := y.e.Demand(t.Context())
		m := d.Models[model][atelier.Fast]
		if err != nil || m.JobsActive != 3 || m.JobsConcurrencyLimited != 2 || m.JobsQueued != 2 || m.JobsWaitingForWorker != 0 || m.JobsQueuedOther != 0 || m.WorkersReady != 4 {
			t.Errorf("demand: %+v, %v", m, err)
		}
		for i, j := range held {
			if j.Wallet == ann {
				if err := hands[i].fail(j, atelier.FailError); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		if j := hands[3].must(); j.Wallet != ann {
			t.Errorf("got %+v", j)
		}
	})
}

// A worker that has the model loaded is preferred among those that wait.
func TestLoadedModelsArePreferred(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 900), y.account("wil", 0)
	cold, warm := y.connect(wil, "other", model), y.connect(wil, "other", model)
	if err := y.e.Hear(t.Context(), wil, warm.id, []string{model}); err != nil {
		t.Fatal(err)
	}
	if err := y.e.Hear(t.Context(), wil, warm.id, []string{"unknown"}); !atelier.Has(err, atelier.CodeInvalidRequest) {
		t.Errorf("a model it does not offer: %v", err)
	}
	type got struct {
		who string
		job *atelier.Job
	}
	answers := make(chan got, 2)
	wait, cancel := context.WithCancel(t.Context())
	defer cancel()
	for name, h := range map[string]hand{"cold": cold, "warm": warm} {
		go func() {
			j, err := y.e.Claim(wait, wil, h.id, 20*time.Second)
			if err != nil {
				t.Error(err)
			}
			answers <- got{name, j}
		}()
	}
	for y.e.Waiting(atelier.Fast) < 2 {
		time.Sleep(time.Millisecond) // nothing signals that a claim has begun to wait
	}
	y.mustSubmit(ann, "one")
	if first := <-answers; first.who != "warm" || first.job == nil {
		t.Errorf("%s got %+v", first.who, first.job)
	}
}

// A claim whose caller has left gives its job back, uncounted.
func TestAbandonedClaims(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann, wil := y.account("ann", 900), y.account("wil", 0)
	h := y.connect(wil)
	y.mustSubmit(ann, "one")
	gone, leave := context.WithCancel(t.Context())
	leave()
	if j, _ := y.e.Claim(gone, wil, h.id, time.Second); j != nil {
		t.Errorf("a caller that left got %+v", j)
	}
	if j := h.must(); j.Attempt != 1 {
		t.Errorf("the claim of nobody was counted: attempt %d", j.Attempt)
	}
}

func TestWorkersComeAndGo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		ann, wil, eve := y.account("ann", 900), y.account("wil", 0), y.account("eve", 0)
		h := y.connect(wil)
		y.mustSubmit(ann, "one")
		j := h.must()
		if _, err := y.e.Claim(t.Context(), eve, h.id, 0); !atelier.Has(err, atelier.CodeNotFound) {
			t.Errorf("another account's worker: %v", err)
		}
		if err := y.e.Disconnect(t.Context(), wil, h.id); err != nil {
			t.Fatal(err)
		}
		if got := y.job(j.ID); got.State != atelier.JobQueued || got.Attempt != 2 {
			t.Errorf("the job of a worker that left: %+v", got.Job)
		}
		if _, err := y.e.Claim(t.Context(), wil, h.id, 0); !atelier.Has(err, atelier.CodeNotFound) {
			t.Errorf("a closed session: %v", err)
		}
		d, err := y.e.Demand(t.Context())
		if m := d.Models[model][atelier.Fast]; err != nil || m.WorkersReady != 0 || m.JobsWaitingForWorker != 1 || m.JobsQueued != 1 {
			t.Errorf("demand without workers: %+v, %v", m, err)
		}
	})
}

func TestWhatCannotBePaidIsNotQueued(t *testing.T) {
	t.Parallel()
	y := newYard(t, storetest.SQLite(t))
	ann := y.account("ann", 9)
	if _, err := y.submit(ann, "one"); !atelier.Has(err, atelier.CodeInsufficientBalance) {
		t.Errorf("got %v", err)
	}
	y.want(ann, 9, 0)
	d, err := y.e.Demand(t.Context())
	if err != nil || len(d.Models) != 0 {
		t.Errorf("queued anyway: %+v, %v", d, err)
	}
}

// Many workers, many jobs: each job is done once and charged once.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		y := newYard(t, o)
		wil := y.account("wil", 0)
		var wallets []atelier.Wallet
		for i := range 5 {
			wallets = append(wallets, y.account(fmt.Sprint("a", i), 200))
		}
		const jobs = 100
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			done = map[string]int{}
		)
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		for range 10 {
			h := y.connect(wil)
			wg.Go(func() {
				for ctx.Err() == nil {
					j, err := y.e.Claim(ctx, wil, h.id, 5*time.Second)
					if j == nil {
						if err != nil && ctx.Err() == nil {
							t.Error(err)
						}
						continue
					}
					h.upload(j, "a0", "a1")
					if err := h.complete(j, "a0", "a1"); err != nil {
						t.Error(err)
					}
					mu.Lock()
					done[j.ID]++
					if len(done) == jobs {
						stop()
					}
					mu.Unlock()
				}
			})
		}
		for i := range jobs {
			wg.Go(func() { y.mustSubmit(wallets[i%5], fmt.Sprint(i)) })
		}
		wg.Wait()
		for id, n := range done {
			if n != 1 {
				t.Errorf("job %s was done %d times", id, n)
			}
		}
		for _, w := range wallets {
			y.want(w, 0, 200)
		}
		y.audit()
	})
}

// Every move of the state table is taken by a test above; every other is
// refused.
func TestJobMoves(t *testing.T) {
	t.Parallel()
	all := []atelier.JobState{atelier.JobQueued, atelier.JobLeased, atelier.JobCompleted, atelier.JobFailed, atelier.JobCancelled}
	allowed := map[string]bool{
		"queued leased": true, "queued cancelled": true, "leased completed": true, "leased failed": true, "leased queued": true, "leased cancelled": true,
	}
	for _, from := range all {
		for _, to := range all {
			if got := from.May(to); got != allowed[string(from+" "+to)] {
				t.Errorf("%s to %s: %v", from, to, got)
			}
		}
		if from.Terminal() != (from != atelier.JobQueued && from != atelier.JobLeased) {
			t.Errorf("%s: terminal is %v", from, from.Terminal())
		}
	}
}
