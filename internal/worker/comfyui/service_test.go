package comfyui_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/mediameta"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// A job of the service is rendered by ComfyUI, and one that is cancelled there
// leaves ComfyUI's queue.
func TestThroughTheService(t *testing.T) {
	t.Parallel()
	g := newStepBlock(2)
	c := start(t, func(c *comfy) {
		c.step = func(p *prompt, class string, n int) {
			if p.number == 2 {
				g.step(p, class, n)
			}
		}
	})
	r := open(t, nil, c)
	s := newService(t, r, turbo)
	artist := s.artist
	submit := func() atelier.Job { t.Helper(); return s.order(t, turbo) }
	finished := func(id atelier.ProjectID) apitype.Project { t.Helper(); return s.FinishedProject(t, id, artist.Key) }
	p := finished(submit().ProjectID)
	if p.Status != "completed" || len(p.CompletedWorkerJobs) != 1 {
		t.Fatalf("project: %+v", p)
	}
	resp := must(http.Get(p.CompletedWorkerJobs[0].ResultURL))(t)
	defer resp.Body.Close()
	file := must(io.ReadAll(resp.Body))(t)
	if made := must(mediameta.Read(bytes.NewReader(file), int64(len(file))))(t); made.Model != turbo || made.Seed == nil || made.Arguments["prompt"] != "x" {
		t.Errorf("the picture has the settings %+v", made)
	}
	j := submit()
	<-g.reached
	must(s.Cancel(t.Context(), j.ID))(t)
	if p := finished(j.ProjectID); p.Status != "canceled" {
		t.Errorf("project: %+v", p)
	}
	c.until("ComfyUI is idle", func() bool { return c.running == nil && len(c.queue) == 0 })
	if b := must(s.Node.Billing.Balance(t.Context(), artist.Account.Wallet))(t); b.Spark.Debit != 10 {
		t.Errorf("spent and held: %s, want 10", b.Spark.Debit)
	}
}

// service is a service with one worker, and an account that orders.
type service struct {
	*ateliertest.Service
	artist account.Opened
}

func newService(t *testing.T, r *comfyui.Renderer, models ...string) *service {
	t.Helper()
	s := &service{Service: ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.Workers.Lease, c.Limits.AccountReadsPerMinute = 2*time.Second, 1_000_000
	})}
	s.artist = s.Account(t, account.NewAccount{}, billing.Credits{Spark: 10_000})
	hand := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})
	w := &worker.Worker{
		Client: client.New(s.URL, hand.Key), Renderer: r, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Spec: apitype.WorkerSpec{Name: "gpu", Network: "fast", Models: models, Capacity: r.Capacity(), GPU: r.Device()},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	return s
}

// order queues a picture.
func (s *service) order(t *testing.T, model string) atelier.Job {
	t.Helper()
	return must(s.Submit(t.Context(), fleet.Submission{
		Wallet: s.artist.Account.Wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: model, Arguments: map[string]any{"prompt": "x", "width": 256, "height": 256}, Seed: 7,
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10},
	}))(t)
}

// awaitLoaded waits until the service knows that a worker has a model loaded.
func (s *service) awaitLoaded(t *testing.T, model string) {
	t.Helper()
	boss := s.Account(t, account.NewAccount{Operator: true}, billing.Credits{})
	for {
		if _, body := s.Get(t, "/v1/operator/workers", boss.Key); strings.Contains(body, `"loadedModels":["`+model) {
			return
		}
	}
}

// Jobs of two models that come in turn are rendered in groups, also when the worker has used
// both many times. ComfyUI reads a model once for each group: the first job may be of the
// model that it has not.
func TestMixedQueuesStayGrouped(t *testing.T) {
	t.Parallel()
	c := start(t)
	s := newService(t, open(t, nil, c), turbo, krea)
	s.FinishedProject(t, s.order(t, turbo).ProjectID, s.artist.Key)
	s.awaitLoaded(t, turbo)
	const rounds = 10
	for round := range rounds {
		c.pause(true)
		for n := range 12 {
			s.order(t, []string{turbo, krea}[n%2])
		}
		c.pause(false)
		c.until("all are rendered", func() bool { return len(c.history) == 1+12*(round+1) })
	}
	if n := c.called("POST /prompt"); n != 1+12*rounds || c.loading > 2*rounds {
		t.Errorf("%d of %d prompts read files, want at most %d", c.loading, n, 2*rounds)
	}
}
