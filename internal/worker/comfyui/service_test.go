package comfyui_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
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
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.Workers.Lease, c.Limits.AccountReadsPerMinute = 2*time.Second, 1_000_000
	})
	artist := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100})
	hand := s.Account(t, account.NewAccount{Worker: true}, billing.Credits{})
	w := &worker.Worker{
		Client: client.New(s.URL, hand.Key), Renderer: r, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Spec: apitype.WorkerSpec{Name: "gpu", Network: "fast", Models: []string{turbo}, Capacity: r.Capacity(), GPU: r.Device()},
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })

	submit := func() atelier.Job {
		t.Helper()
		return must(s.Submit(t.Context(), fleet.Submission{
			Wallet: artist.Account.Wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkFast,
			Spec: atelier.JobSpec{Tool: "generate_image", ModelID: turbo, Arguments: map[string]any{"prompt": "x", "width": 256, "height": 256}, Seed: 7,
				Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}}},
			Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10},
		}))(t)
	}
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
