package comfyui_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/fleet"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/worker/comfyui"
)

// reachable makes a ComfyUI answer on a port of this machine too, for a service that dials it.
func reachable(t *testing.T, c *comfy) string {
	t.Helper()
	inner := must(url.Parse(c.URL))(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := network.Dial(context.Background(), "tcp", inner.Host)
			if err != nil {
				from.Close()
				continue
			}
			pass := func(a, b net.Conn) {
				_, _ = io.Copy(a, b)
				a.Close()
				b.Close()
			}
			go pass(from, to)
			go pass(to, from)
		}
	}()
	return "http://" + l.Addr().String()
}

// connectTo connects a ComfyUI to a service.
func connectTo(t *testing.T, s *ateliertest.Service, c *comfy) (client.Operator, apitype.Connection) {
	t.Helper()
	op := client.New(s.URL, s.Account(t, account.NewAccount{Operator: true}, billing.Credits{}).Key).Operator()
	made, err := op.CreateConnection(t.Context(), apitype.NewConnection{Name: "gpu", ConnectionSettings: apitype.ConnectionSettings{ComfyUI: &apitype.ComfyUIConnection{BaseURL: reachable(t, c)}}})
	if err != nil {
		t.Fatal(err)
	}
	return op, made
}

// submitTo queues a picture.
func submitTo(t *testing.T, s *ateliertest.Service, artist account.Opened) atelier.Job {
	t.Helper()
	return must(s.Submit(t.Context(), fleet.Submission{
		Wallet: artist.Account.Wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: turbo, Arguments: map[string]any{"prompt": "x", "width": 256, "height": 256}, Seed: 7,
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10},
	}))(t)
}

// fastWorkers counts the workers of the connection in the fast network.
func fastWorkers(t *testing.T, op client.Operator) (n int) {
	t.Helper()
	list, err := op.Workers(t.Context(), apitype.Page{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range list.Workers {
		if w.Name == "gpu" && w.Network == atelier.NetworkFast {
			n++
		}
	}
	return n
}

func enoughReads(c *config.Config) { c.Limits.AccountReadsPerMinute = 1_000_000 }

// The service renders with a ComfyUI that an operator connects, without a worker process. A
// render that has begun ends although the connection is removed.
func TestConnection(t *testing.T) {
	t.Parallel()
	g := newStepBlock(2)
	c := start(t, func(c *comfy) {
		c.step = func(p *prompt, class string, n int) {
			if p.number == 2 {
				g.step(p, class, n)
			}
		}
	})
	s := ateliertest.Start(t, storetest.SQLite(t), enoughReads)
	artist := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100})
	op, made := connectTo(t, s, c)
	if h := made.Health; h == nil || h.State != apitype.ConnectionHealthy || !slices.ContainsFunc(h.Models, func(m apitype.FoundModel) bool { return m.ID == turbo }) {
		t.Fatalf("the connection: %+v", made.Health)
	}
	if p := s.FinishedProject(t, submitTo(t, s, artist).ProjectID, artist.Key); p.Status != "completed" || len(p.CompletedWorkerJobs) != 1 {
		t.Fatalf("project: %+v", p)
	}
	j := submitTo(t, s, artist)
	<-g.reached
	if _, err := op.RemoveConnection(t.Context(), made.ConnectionID, ""); err != nil {
		t.Fatal(err)
	}
	close(g.open)
	if p := s.FinishedProject(t, j.ProjectID, artist.Key); p.Status != "completed" {
		t.Errorf("the render that had begun: %+v", p)
	}
	s.Logged(t, "connection no longer in use")
	if n := fastWorkers(t, op); n != 0 {
		t.Errorf("workers after the removal: %d", n)
	}
}

// Of several nodes one renders with a ComfyUI, and another takes over when it ends.
func TestConnectionOfTwoNodes(t *testing.T) {
	t.Parallel()
	database, data := storetest.Postgres(t), t.TempDir()
	join := func() *ateliertest.Service {
		return ateliertest.Start(t, database, enoughReads, func(c *config.Config) { c.DataDir, c.SessionSecret = data, "the secret of both nodes" })
	}
	a, b := join(), join()
	artist := a.Account(t, account.NewAccount{}, billing.Credits{Spark: 100})
	op, _ := connectTo(t, a, start(t))
	if p := b.FinishedProject(t, submitTo(t, a, artist).ProjectID, artist.Key); p.Status != "completed" {
		t.Fatalf("project: %+v", p)
	}
	b.Logged(t, "connection in use")
	if n := fastWorkers(t, op); n != 1 {
		t.Errorf("workers: %d, want 1", n)
	}
	a.Stop()
	if p := b.FinishedProject(t, submitTo(t, b, artist).ProjectID, artist.Key); p.Status != "completed" {
		t.Errorf("after a node has ended: %+v", p)
	}
}

// What answers and is no ComfyUI, or redirects, is reported.
func TestInspect(t *testing.T) {
	t.Parallel()
	library := must(comfyui.LoadLibrary(""))(t)
	found, err := comfyui.Inspect(t.Context(), reachable(t, start(t)), library)
	if err != nil || !slices.Contains(found.Models, turbo) || found.Device == "" {
		t.Errorf("a ComfyUI: %+v, %v", found, err)
	}
	if _, err := comfyui.Inspect(t.Context(), "http://127.0.0.1:1", library); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("no server: %v", err)
	}
}
