package worker_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/clock"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worker"
)

const model = "z_image_turbo_bf16"

// renderFunc is a renderer that calls a function of the test.
type renderFunc func(ctx context.Context, t worker.Task) ([]worker.Output, error)

func (renderFunc) Name() string { return "renderFunc" }

func (b renderFunc) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	return b(ctx, t)
}

// paint makes one small picture for each artifact.
func paint(_ context.Context, t worker.Task) (out []worker.Output, err error) {
	t.Report(0.5, "painting")
	for _, slot := range t.Artifacts {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 8, 8))); err != nil {
			return nil, err
		}
		path := filepath.Join(t.Folder, slot.ID)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			return nil, err
		}
		out = append(out, worker.Output{ID: slot.ID, Path: path, Width: 8, Height: 8, Seed: t.Seed, Metadata: map[string]any{"understood": "a square"}})
	}
	return out, nil
}

// fixture is a service with an artist and a worker.
type fixture struct {
	t      *testing.T
	s      *ateliertest.Service
	artist account.Opened
	stop   context.CancelFunc
	ended  chan error
}

func open(t *testing.T, b renderFunc, set ...func(*config.Config)) *fixture {
	t.Helper()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		for _, f := range set {
			f(c)
		}
		c.Workers.Lease = 2 * time.Second          // a worker asks for news of its job soon
		c.Limits.AccountReadsPerMinute = 1_000_000 // tests ask for projects until they are finished
	})
	st := &fixture{t: t, s: s, artist: s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100}), ended: make(chan error, 1)}
	hand := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})
	w := &worker.Worker{
		Client: client.New(s.URL, hand.Key), Renderer: b, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Spec: apitype.WorkerSpec{Name: "hand", Network: "fast", Models: []string{model}, Capacity: 1},
	}
	ctx, cancel := context.WithCancel(context.Background())
	st.stop = cancel
	go func() { st.ended <- w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-st.ended })
	return st
}

func (st *fixture) submit(change ...func(*fleet.Submission)) atelier.Job {
	st.t.Helper()
	s := fleet.Submission{
		Wallet: st.artist.Account.Wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: model, Arguments: map[string]any{"prompt": "x"}, Seed: 7,
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10},
	}
	for _, f := range change {
		f(&s)
	}
	j, err := st.s.Submit(st.t.Context(), s)
	if err != nil {
		st.t.Fatal(err)
	}
	return j
}

func (st *fixture) project(id atelier.ProjectID) apitype.Project {
	st.t.Helper()
	return st.s.FinishedProject(st.t, id, st.artist.Key)
}

func (st *fixture) spent(want atelier.Money) {
	st.t.Helper()
	b, err := st.s.Node.Billing.Balance(st.t.Context(), st.artist.Account.Wallet)
	if err != nil || b.Spark.Debit != want {
		st.t.Errorf("spent and held: %s, %v, want %s", b.Spark.Debit, err, want)
	}
}

func TestAWorkerDoesAJob(t *testing.T) {
	t.Parallel()
	st := open(t, paint)
	j := st.submit()
	p := st.project(j.ProjectID)
	if p.Status != "completed" || len(p.CompletedWorkerJobs) != 1 || p.CompletedWorkerJobs[0].SeedUsed != 7 || p.Model.Name == "" {
		t.Fatalf("project: %+v", p)
	}
	st.spent(10)
	resp, err := http.Get(p.CompletedWorkerJobs[0].ResultURL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if img, err := png.Decode(resp.Body); err != nil || img.Bounds().Dx() != 8 || !strings.Contains(p.CompletedWorkerJobs[0].ResultURL, ".png?") {
		t.Errorf("the result %s: %v", p.CompletedWorkerJobs[0].ResultURL, err)
	}
	// The artist's download read finds it too; other accounts do not.
	path := "/v2/image/downloadUrl?type=complete&jobId=" + string(j.ProjectID) + "&imageId=a0"
	if status, body := st.s.Get(t, path, st.artist.Key); status != 200 {
		t.Errorf("download: %d %s", status, body)
	}
	other := st.s.Account(t, account.NewAccount{}, billing.Credits{})
	if status, _ := st.s.Get(t, path, other.Key); status != 404 {
		t.Errorf("another's download: %d", status)
	}
	if status, _ := st.s.Get(t, "/v2/projects/"+string(j.ProjectID), other.Key); status != 404 {
		t.Errorf("another's project: %d", status)
	}
}

// While a job runs, its artist can see previews; other accounts cannot.
func TestAWorkerShowsPreviews(t *testing.T) {
	t.Parallel()
	looked := make(chan struct{})
	st := open(t, func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 4, 4))); err != nil {
			return nil, err
		}
		k.Preview("a0", "image/png", b.Bytes())
		<-looked
		return paint(ctx, k)
	})
	j := st.submit()
	path := "/v2/image/downloadUrl?type=preview&jobId=" + string(j.ProjectID) + "&imageId=a0"
	pause := clock.Backoff{First: 10 * time.Millisecond, Most: 300 * time.Millisecond} // each look moves the clock, and a lease is short
	for deadline := time.Now().Add(2 * time.Minute); ; clock.Sleep(t.Context(), pause.Next()) {
		status, body := st.s.Get(t, path, st.artist.Key)
		if status == http.StatusOK {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no preview came: %d %s", status, body)
		}
	}
	other := st.s.Account(t, account.NewAccount{}, billing.Credits{})
	if status, _ := st.s.Get(t, path, other.Key); status != http.StatusNotFound {
		t.Errorf("another's preview: %d", status)
	}
	close(looked)
	if p := st.project(j.ProjectID); p.Status != "completed" {
		t.Errorf("project: %+v", p)
	}
}

func TestAWorkerFailsAJob(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]renderFunc{
		"plainly": func(context.Context, worker.Task) ([]worker.Output, error) {
			return nil, worker.Failf("It cannot be done.")
		},
		"oddly": func(context.Context, worker.Task) ([]worker.Output, error) {
			return nil, errors.New("It cannot be done.")
		},
		"by panic": func(context.Context, worker.Task) ([]worker.Output, error) { panic("It cannot be done.") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := open(t, b)
			if p := st.project(st.submit().ProjectID); p.Status != "failed" || !strings.Contains(p.Reason, "It cannot be done.") {
				t.Errorf("project: %+v", p)
			}
			st.spent(0)
		})
	}
}

// Texts of vendors, programs and files may contain characters that the service
// refuses. The picture, or the reason of a failure, is delivered all the same.
func TestTextsWithRefusedCharacters(t *testing.T) {
	t.Parallel()
	type score struct {
		Title string         `json:"title"`
		Notes []string       `json:"notes"`
		Seeds map[string]any `json:"seeds"`
	}
	st := open(t, func(ctx context.Context, k worker.Task) ([]worker.Output, error) {
		k.Report(0.2, "reading\x00")
		if k.Arguments["prompt"] == "fail" {
			return nil, errors.New("tool: \x00\xff exit status 1")
		}
		out, err := paint(ctx, k)
		for i := range out {
			out[i].Metadata = map[string]any{"long": strings.Repeat("x", 10_000), "sc\x00re": score{"a\x00b", []string{"\x00"}, map[string]any{"x": int64(1) << 60}}}
		}
		return out, err
	})
	if p := st.project(st.submit().ProjectID); p.Status != "completed" {
		t.Errorf("a picture with odd words: %+v", p)
	}
	st.spent(10)
	failing := st.submit(func(s *fleet.Submission) { s.Spec.Arguments = map[string]any{"prompt": "fail"} })
	if p := st.project(failing.ProjectID); p.Status != "failed" || !strings.Contains(p.Reason, "tool: \uFFFD\uFFFD exit status 1") {
		t.Errorf("a failure in odd words: %+v", p)
	}
}

func TestACancelReachesTheWorker(t *testing.T) {
	t.Parallel()
	began, ended := make(chan struct{}), make(chan struct{})
	st := open(t, func(ctx context.Context, t worker.Task) ([]worker.Output, error) {
		close(began)
		<-ctx.Done() // a render without end
		close(ended)
		return nil, ctx.Err()
	})
	j := st.submit()
	<-began
	if inFlight, err := st.s.Cancel(t.Context(), j.ID); err != nil || !inFlight {
		t.Fatalf("cancel: %v, %v", inFlight, err)
	}
	<-ended
	if p := st.project(j.ProjectID); p.Status != "canceled" {
		t.Errorf("project: %+v", p)
	}
	st.spent(0)
}

// A worker that is asked to stop returns its unfinished jobs at once.
func TestAWorkerLeaves(t *testing.T) {
	t.Parallel()
	began := make(chan struct{}, 1)
	st := open(t, func(ctx context.Context, t worker.Task) ([]worker.Output, error) {
		began <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	j := st.submit()
	<-began
	st.stop()
	if err := <-st.ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	st.ended <- nil
	_, body := st.s.Get(t, "/v2/projects/"+string(j.ProjectID), st.artist.Key)
	if !strings.Contains(body, `"status":"queued"`) {
		t.Errorf("after it left: %s", body)
	}
}

func TestAWrongKeyEndsIt(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t))
	artist := s.Account(t, account.NewAccount{}, billing.Credits{})
	w := &worker.Worker{Client: client.New(s.URL, artist.Key), Renderer: renderFunc(paint), Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Spec: apitype.WorkerSpec{Name: "hand", Network: "fast", Models: []string{model}, Capacity: 1}}
	if err := w.Run(t.Context()); !client.Is(err, http.StatusForbidden) {
		t.Errorf("got %v, want a refusal", err)
	}
}
