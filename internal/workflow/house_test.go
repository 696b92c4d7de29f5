package workflow_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/blob"
	"github.com/atelier-project/atelier/internal/bus"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/fetch"
	"github.com/atelier-project/atelier/internal/filter"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/journal"
	"github.com/atelier-project/atelier/internal/store"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/workflow"
	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

// house is the engine on real parts, with a clock that tests move and one
// worker that does what it is told.
type house struct {
	t     testing.TB
	db    *store.DB
	blobs *blob.DiskServer
	bill  *billing.Engine
	fleet *fleet.Engine
	e     *workflow.Engine
	hand  atelier.WorkerID // the worker's id

	url  string                  // of the storage
	airy bool                    // every object is said to be there: nothing is uploaded
	wait time.Duration           // for a worker to connect; for ever when zero
	set  func(*workflow.Options) // what the engine is to do otherwise, when set

	mu    sync.Mutex
	ahead time.Duration
}

var models = sync.OnceValue(func() *catalog.Catalog {
	c, err := catalog.Load("")
	if err != nil {
		panic(err)
	}
	return c
})

const (
	ann  = atelier.Wallet("0xann")
	wil  = atelier.Wallet("0xwil") // owns the worker
	fast = atelier.NetworkFast
)

func newHouse(t testing.TB, o store.Options, change ...func(*house)) *house {
	t.Helper()
	h := &house{t: t, db: storetest.Open(t, o), url: "http://house/storage"}
	for _, f := range change {
		f(h)
	}
	h.start(t.TempDir())
	h.people()
	h.connect()
	return h
}

// start opens the rest on a database that is open.
func (h *house) start(dir string) {
	h.t.Helper()
	disk, err := blob.OpenDisk(filepath.Join(dir, "media"))
	if err != nil {
		h.t.Fatal(err)
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	b, err := bus.Open(h.t.Context(), "", quiet)
	if err != nil {
		h.t.Fatal(err)
	}
	h.blobs = blob.NewDiskServer(disk, blob.DiskServerOptions{Secrets: []string{"a-secret-of-sixteen"}, URL: h.url, Now: h.now})
	h.bill = billing.New(h.db, h.now, func(atelier.PlanTier) int { return 0 })
	var gate blob.SignedStore = h.blobs
	if h.airy {
		gate = everything{h.blobs}
	}
	h.fleet = fleet.New(h.db, b, gate, h.bill, fleet.Options{Lease: 15 * time.Second, DownloadTTL: time.Hour, NoWorkerTimeout: h.wait, Now: h.now, Log: quiet})
	o := workflow.Options{
		ActiveLimit: 10, PreviewTTL: 5 * time.Minute, DownloadTTL: time.Hour, Now: h.now, Log: quiet, Filter: newFilter(h.t, flagNaughty),
		Web: fetch.New(fetch.Options{AllowPrivate: true}),
	}
	if h.set != nil {
		h.set(&o)
	}
	h.e = workflow.New(h.db, gate, h.bill, models(), h.fleet, journal.New(h.db, b), o)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { h.fleet.Run(ctx) })
	h.t.Cleanup(func() { cancel(); wg.Wait(); b.Close(); disk.Close() })
}

// everything is a store in which every object is, and says the same.
type everything struct{ blob.SignedStore }

func (everything) Stat(_ context.Context, key string) (blob.Object, error) {
	return blob.Object{Key: key, Size: int64(len(findings))}, nil
}

func (everything) Open(_ context.Context, key string) (io.ReadSeekCloser, blob.Object, error) {
	return readable{strings.NewReader(findings)}, blob.Object{Key: key, Size: int64(len(findings))}, nil
}

func (everything) Copy(context.Context, string, string) error { return nil }

func (everything) Delete(context.Context, string) error { return nil }

type readable struct{ io.ReadSeeker }

func (readable) Close() error { return nil }

// findings are what steps find out that look at media.
const findings = `{"cues": [{"startSeconds": 0, "endSeconds": 1, "text": "hello"}]}`

// newFilter is a content filter with a moderation server that answers as moderate
// does.
func newFilter(t testing.TB, moderate transport) *filter.Filter {
	t.Helper()
	f, err := filter.New(filter.Options{Endpoint: "http://moderation.example/v1", Transport: moderate})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// flagNaughty flags every text with the word naughty.
func flagNaughty(r *http.Request) (*http.Response, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	answer := `{"results":[{"flagged":false,"categories":{"sexual":false}}]}`
	if strings.Contains(string(text), "naughty") {
		answer = `{"results":[{"flagged":true,"categories":{"sexual":true}}]}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer))}, nil
}

func (h *house) people() {
	h.t.Helper()
	err := h.db.Write(context.Background(), func(tx *store.Tx) error {
		for _, w := range []atelier.Wallet{ann, wil} {
			if err := tx.InsertAccount(atelier.Account{Wallet: w, Username: string(w[2:]), Worker: w == wil, CreatedAt: h.now()}); err != nil {
				return err
			}
		}
		return h.bill.BookCredits(tx, ann, rich)
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) connect() {
	h.t.Helper()
	w, err := h.fleet.Connect(context.Background(), wil, fleet.NewWorker{
		Name: "hand", Network: fast, Models: append(models().NativeModels(), models().WorkerTools()...), Capacity: 64,
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.hand = w.ID
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Now().Add(h.ahead).UTC().Truncate(time.Millisecond)
}

func (h *house) advance(d time.Duration) { h.mu.Lock(); defer h.mu.Unlock(); h.ahead += d }

// image is a step that makes pictures.
func image(id, prompt string, more ...any) atelier.StepInput {
	args := map[string]any{"prompt": prompt}
	for i := 0; i+1 < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return atelier.StepInput{ID: id, ToolName: "generate_image", Arguments: args}
}

// upscale is a step that reads a picture of another.
func upscale(id, from string, required bool) atelier.StepInput {
	return atelier.StepInput{ID: id, ToolName: "upscale_image", Arguments: map[string]any{}, DependsOn: []atelier.Binding{
		{SourceStepID: from, TargetArgument: "sourceImageIndex", Transform: "image_index", Required: required}}}
}

var rich = billing.Credits{Spark: 1000 * atelier.MoneyUnit}

var payAuto = atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}

func plan(steps ...atelier.StepInput) workflow.StartRequest {
	return workflow.StartRequest{Title: "test", Steps: steps, Terms: payAuto, Filter: true}
}

func (h *house) owner() (a atelier.Account) {
	h.t.Helper()
	err := h.db.Read(context.Background(), func(tx *store.Tx) (err error) { a, err = tx.Account(ann); return err })
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func (h *house) try(q workflow.StartRequest) (workflow.Started, error) {
	return h.e.Start(context.Background(), h.owner(), q)
}

func (h *house) begin(q workflow.StartRequest) snapshot.Workflow {
	h.t.Helper()
	s, err := h.try(q)
	if err != nil {
		h.t.Fatalf("start: %v", err)
	}
	return s.Workflow
}

func (h *house) get(id string) snapshot.Workflow {
	h.t.Helper()
	w, err := h.e.Workflow(context.Background(), ann, atelier.WorkflowID(id))
	if err != nil {
		h.t.Fatalf("get %s: %v", id, err)
	}
	return w
}

// claim takes the next job, or none.
func (h *house) claim() *atelier.Job {
	h.t.Helper()
	j, err := h.fleet.ClaimJob(context.Background(), wil, h.hand, 20*time.Millisecond)
	if err != nil {
		h.t.Fatalf("claim: %v", err)
	}
	return j
}

// queued is how many jobs there are to claim.
func (h *house) queued() (n int64) {
	h.t.Helper()
	err := h.db.Read(context.Background(), func(tx *store.Tx) error {
		counts, err := tx.CountJobs()
		for _, c := range counts {
			n += int64(c.Waiting)
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// must takes the next job of a step.
func (h *house) must(part string) *atelier.Job {
	h.t.Helper()
	j, err := h.fleet.ClaimJob(context.Background(), wil, h.hand, 10*time.Second)
	if err != nil || j == nil || j.Owner.Part != part {
		h.t.Fatalf("claim: got %+v, %v, want a job of %s", j, err, part)
	}
	return j
}

// complete uploads and completes as many results as are asked for; all when
// none is.
func (h *house) complete(j *atelier.Job, count ...int) error {
	n := len(j.Spec.Artifacts)
	if len(count) > 0 {
		n = count[0]
	}
	return h.deliver(j, j.Spec.Artifacts[:n], nil)
}

// completeSaying completes a job whose results all come with metadata.
func (h *house) completeSaying(j *atelier.Job, metadata map[string]any) error {
	return h.deliver(j, j.Spec.Artifacts, metadata)
}

func (h *house) deliver(j *atelier.Job, slots []atelier.JobArtifact, metadata map[string]any) error {
	caller := atelier.Caller{Account: atelier.Account{Wallet: wil, Worker: true}, Credential: atelier.CredentialAPIKey}
	var made []fleet.Made
	for _, a := range slots {
		made = append(made, fleet.Made{ID: a.ID, Width: 64, Height: 48, Seed: j.Spec.Seed, Metadata: metadata})
		if h.airy {
			continue
		}
		place, err := h.fleet.UploadPlace(context.Background(), caller, j.ProjectID, a.ID, false)
		if err != nil {
			return err
		}
		content := "bytes"
		if place.ContentType == "application/json" {
			content = findings
		}
		if _, err := h.blobs.Put(context.Background(), place.Key, strings.NewReader(content), blob.PutOptions{ContentType: place.ContentType}); err != nil {
			return err
		}
	}
	return h.fleet.Complete(context.Background(), wil, h.hand, j.ID, made, fleet.Metrics{})
}

func (h *house) done(part string) {
	h.t.Helper()
	if err := h.complete(h.must(part)); err != nil {
		h.t.Fatalf("complete %s: %v", part, err)
	}
}

func (h *house) fail(j *atelier.Job, code string) error {
	return h.fleet.Fail(context.Background(), wil, h.hand, j.ID, atelier.JobError{Code: code, Message: "it went wrong"})
}

// finish does every job until none is left.
func (h *house) finish() {
	h.t.Helper()
	for j := h.claim(); j != nil; j = h.claim() {
		if err := h.complete(j); err != nil {
			h.t.Fatalf("complete: %v", err)
		}
	}
}
