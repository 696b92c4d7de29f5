package node_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/filetype"
	"github.com/atelier-project/atelier/internal/node"
	"github.com/atelier-project/atelier/internal/store"
)

// A service without a GPU makes a picture: the embedded worker claims the job by
// the same protocol as any other worker, and it is paid for once.
func TestTheEmbeddedWorkerMakesAPicture(t *testing.T) {
	t.Parallel()
	ateliertest.Each(t, func(t *testing.T, o store.Options) {
		s := ateliertest.StartNode(t, o, node.Options{RenderCommand: renderCommand()}, func(c *config.Config) {
			c.Workers.Embedded = true
			c.Limits.AccountReadsPerMinute = 100_000 // await asks often
		})
		artist := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100})
		j, err := s.Submit(t.Context(), smallPicture(artist.Account.Wallet))
		if err != nil {
			t.Fatal(err)
		}
		p := s.Project(t, j.ProjectID, artist.Key, isFinished)
		if p.Status != "completed" || len(p.CompletedWorkerJobs) != 1 {
			t.Fatalf("the project: %+v", p)
		}
		resp, err := http.Get(p.CompletedWorkerJobs[0].ResultURL)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if data, err := io.ReadAll(resp.Body); err != nil || filetype.Detect(data[:min(len(data), filetype.HeadSize)]) != "image/png" {
			t.Errorf("the result is no picture: %v", err)
		}
		b, err := s.Node.Billing.Balance(t.Context(), artist.Account.Wallet)
		if err != nil || b.Spark.Net != 90 {
			t.Errorf("the balance is %s, %v, want 90 millionths", b.Spark.Net, err)
		}
		if _, differences, err := s.Node.Billing.Audit(t.Context()); err != nil || len(differences) > 0 {
			t.Errorf("audit: %v %q", err, differences)
		}
	})
}
