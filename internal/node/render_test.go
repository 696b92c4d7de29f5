package node_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worker/child"
)

// The embedded worker of these tests starts the test binary.
func TestMain(m *testing.M) {
	if child.IsChild(os.Args) {
		os.Exit(child.Main(fragile{}))
	}
	os.Exit(m.Run())
}

func renderCommand() []string { return []string{os.Args[0], child.Command} }

// fragile is the CPU renderer with a fault: an analysis stalls or crashes when its
// query asks for it.
type fragile struct{ node.ChildRenderer }

// Render implements worker.Renderer.
func (f fragile) Render(ctx context.Context, t worker.Task) ([]worker.Output, error) {
	if t.ToolName == "analyze_video" {
		switch t.Arguments["query"] {
		case "stall":
			t.Report(0.1, "stalling")
			select {} // also when ctx has ended
		case "break":
			panic("the file is bad")
		}
	}
	return f.ChildRenderer.Render(ctx, t)
}

func analysis(wallet atelier.Wallet, query string) fleet.Submission {
	return fleet.Submission{
		Wallet: wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "analyze_video", ModelID: "analyze_video", Arguments: map[string]any{"query": query},
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "json", ContentType: "application/json"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto},
	}
}

func smallPicture(wallet atelier.Wallet) fleet.Submission {
	return fleet.Submission{
		Wallet: wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: "z_image_turbo_bf16", Seed: 3,
			Arguments: map[string]any{"prompt": "a red fox", "width": 256, "height": 256},
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10},
	}
}

func isFinished(p apitype.Project) bool { return p.Finished }

// More stalled analyses than there are slots do not delay the picture of another
// account. They are free, so the account that starts them needs no money. They end
// when they are cancelled and when their time is over.
func TestStalledAnalysesDoNotDelayAPicture(t *testing.T) {
	t.Parallel()
	s := ateliertest.StartNode(t, storetest.SQLite(t), node.Options{RenderCommand: renderCommand()}, func(c *config.Config) {
		c.Workers.Embedded = true
		c.Limits.AccountReadsPerMinute = 100_000 // await asks often
	})
	mallory := s.Account(t, account.NewAccount{}, billing.Credits{})
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100})
	submit := func(j fleet.Submission) atelier.Job {
		t.Helper()
		job, err := s.Submit(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		return job
	}
	var stalled []atelier.Job
	for range 12 {
		stalled = append(stalled, submit(analysis(mallory.Account.Wallet, "stall")))
	}
	s.Project(t, stalled[0].ProjectID, mallory.Key, func(p apitype.Project) bool { return p.Status == "processing" })
	if p := s.Project(t, submit(smallPicture(ann.Account.Wallet)).ProjectID, ann.Key, isFinished); p.Status != "completed" {
		t.Errorf("the picture beside stalled analyses: %+v", p)
	}
	if p := s.Project(t, stalled[0].ProjectID, mallory.Key, func(apitype.Project) bool { return true }); p.Finished {
		t.Errorf("an analysis that stalls has ended: %+v", p)
	}
	for _, j := range stalled {
		if _, err := s.Cancel(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
	}
	s.Project(t, stalled[0].ProjectID, mallory.Key, isFinished)
	// The slots are free again.
	broken := s.Project(t, submit(analysis(ann.Account.Wallet, "break")).ProjectID, ann.Key, isFinished)
	if broken.Status != "failed" || !strings.HasPrefix(broken.Reason, "The renderer crashed") {
		t.Errorf("an analysis that breaks: %+v", broken)
	}
}

// A render that takes too long fails, and its error names the limit.
func TestARenderIsEndedAfterItsTime(t *testing.T) {
	t.Parallel()
	s := ateliertest.StartNode(t, storetest.SQLite(t), node.Options{RenderCommand: renderCommand()}, func(c *config.Config) {
		c.Workers.Embedded = true
		c.Workers.RenderTimeout = time.Second
		c.Limits.AccountReadsPerMinute = 100_000
	})
	ann := s.Account(t, account.NewAccount{}, billing.Credits{})
	j, err := s.Submit(t.Context(), analysis(ann.Account.Wallet, "stall"))
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Project(t, j.ProjectID, ann.Key, isFinished); p.Status != "failed" || !strings.Contains(p.Reason, "longer than the limit of 1s") {
		t.Errorf("a render that took too long: %+v", p)
	}
}
