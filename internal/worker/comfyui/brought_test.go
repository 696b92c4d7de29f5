package comfyui_test

import (
	"errors"
	"os"
	"path/filepath"
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
)

// submitBrought queues a picture of a model that an operator has brought.
func submitBrought(t *testing.T, s *ateliertest.Service, artist account.Opened, model string) atelier.Job {
	t.Helper()
	return must(s.Submit(t.Context(), fleet.Submission{
		Wallet: artist.Account.Wallet, Owner: atelier.JobOwner{Kind: "test"}, Network: atelier.NetworkFast,
		Spec: atelier.JobSpec{Tool: "generate_image", ModelID: model, Arguments: map[string]any{"prompt": "a new prompt", "width": 256, "height": 256}, Seed: 7,
			Artifacts: []atelier.JobArtifact{{ID: "a0", Kind: "image", ContentType: "image/png"}}},
		Terms: atelier.PaymentTerms{Token: atelier.PayAuto, Mode: atelier.BillAuto}, Cost: atelier.Cost{Spark: 10},
	}))(t)
}

// A workflow that an operator brings is checked against the connected ComfyUI, and rendered by it without a restart,
// also where another node of the service has the ComfyUI, and when that node has ended.
func TestGraphThatAnOperatorBrings(t *testing.T) {
	t.Parallel()
	c := start(t, func(c *comfy) { c.folders["checkpoints"] = append(c.folders["checkpoints"], "base.safetensors") })
	database, data := storetest.Postgres(t), t.TempDir()
	join := func() *ateliertest.Service {
		return ateliertest.Start(t, database, enoughReads, func(c *config.Config) { c.DataDir, c.SessionSecret = data, "the secret of both nodes" })
	}
	a := join()
	artist := a.Account(t, account.NewAccount{}, billing.Credits{Spark: 100})
	connectTo(t, a, c)
	b := join()
	elsewhere := client.New(b.URL, a.Account(t, account.NewAccount{Operator: true}, billing.Credits{}).Key).Operator()

	file := client.GraphFile{Name: "harbour", Workflow: must(os.ReadFile(filepath.Join(imports, "text_to_image.json")))(t)}
	seen := must(elsewhere.InspectGraph(t.Context(), file))(t)
	if seen.Check.Ready == nil || !*seen.Check.Ready || *seen.Check.Connection != "gpu" || seen.Tool != "generate_image" {
		t.Fatalf("inspected: %+v", seen.Check)
	}
	must(elsewhere.CreateGraph(t.Context(), file))(t)
	for range 2 {
		if p := b.FinishedProject(t, submitBrought(t, b, artist, "harbour").ProjectID, artist.Key); p.Status != "completed" {
			t.Fatalf("project: %+v", p)
		}
		if got := c.last()["6"].Inputs["text"]; got != "a new prompt" {
			t.Errorf("the prompt of the graph is %v", got)
		}
		a.Stop() // the other takes the ComfyUI, with the graph
	}
	if _, err := elsewhere.RemoveGraph(t.Context(), "harbour", ""); err != nil {
		t.Error(err)
	}
}

// What the ComfyUI lacks is said before a graph is saved, missing nodes with their package.
func TestGraphThatLacksSomething(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t), enoughReads)
	op, made := connectTo(t, s, start(t))
	file := func(name string) client.GraphFile {
		return client.GraphFile{Name: "mine", Workflow: must(os.ReadFile(filepath.Join(imports, name)))(t), GraphDraft: apitype.GraphDraft{ConnectionID: made.ConnectionID}}
	}
	seen := must(op.InspectGraph(t.Context(), file("text_to_image.json")))(t)
	if seen.Check.Ready == nil || *seen.Check.Ready || !strings.Contains(strings.Join(seen.Check.Lacks, ";"), "base.safetensors") {
		t.Errorf("checked: %+v", seen.Check)
	}
	seen = must(op.InspectGraph(t.Context(), file("custom_nodes.json")))(t)
	var packages []string
	for _, m := range seen.MissingNodes {
		if m.Package != nil {
			packages = append(packages, *m.Package)
		}
	}
	if got := strings.Join(packages, " "); !strings.Contains(got, "comfyui-film someone/comfyui-sharp") {
		t.Errorf("the packages of missing nodes are %q", got)
	}
	if _, err := op.ChangeConnection(t.Context(), made.ConnectionID, apitype.ConnectionChange{
		ConnectionSettings: apitype.ConnectionSettings{ComfyUI: &apitype.ComfyUIConnection{BaseURL: "http://127.0.0.1:1"}},
	}); err != nil {
		t.Fatal(err)
	}
	var refused *client.Error
	if _, err := op.InspectGraph(t.Context(), file("custom_nodes.json")); !errors.As(err, &refused) || refused.Status != 400 || !strings.Contains(err.Error(), "gpu cannot be asked for its nodes") {
		t.Errorf("an editor's workflow without an answer of ComfyUI: %v", err)
	}
	if seen = must(op.InspectGraph(t.Context(), file("text_to_image.json")))(t); seen.Check.Ready != nil || !strings.Contains(seen.Check.Message, "gpu was not asked") {
		t.Errorf("a graph without an answer of ComfyUI: %+v", seen.Check)
	}
}

// A file of graphs_dir wins over a graph that is stored, which is listed with this problem and keeps no node from
// starting.
func TestGraphThatAFileNamesToo(t *testing.T) {
	t.Parallel()
	database := storetest.SQLite(t)
	dir, entries, data := t.TempDir(), t.TempDir(), t.TempDir()
	same := func(c *config.Config) { c.DataDir, c.SessionSecret = data, "the same secret at each start" }
	first := ateliertest.Start(t, database, enoughReads, same)
	olga := first.Account(t, account.NewAccount{Operator: true}, billing.Credits{})
	op := client.New(first.URL, olga.Key).Operator()
	workflow := must(os.ReadFile(filepath.Join(imports, "text_to_image.json")))(t)
	must(op.CreateGraph(t.Context(), client.GraphFile{Name: "harbour", Workflow: workflow}))(t)
	must(op.CreateGraph(t.Context(), client.GraphFile{Name: "pier", Workflow: workflow}))(t)
	got := must(op.Graph(t.Context(), "harbour"))(t)
	for name, text := range map[string]string{filepath.Join(dir, "harbour.json"): got.Source, filepath.Join(dir, "harbour.yaml"): got.Mapping, filepath.Join(entries, "harbour.yaml"): got.Catalog} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	first.Stop()
	second := ateliertest.Start(t, database, enoughReads, same, func(c *config.Config) { c.GraphsDir, c.CatalogDir = dir, entries })
	list := must(client.New(second.URL, olga.Key).Operator().Graphs(t.Context()))(t)
	if len(list.Graphs) != 2 || list.Graphs[0].Problem == nil || !strings.Contains(*list.Graphs[0].Problem, "and wins: this one is not used") || list.Graphs[1].Problem != nil {
		t.Errorf("got %+v", list.Graphs)
	}
}
