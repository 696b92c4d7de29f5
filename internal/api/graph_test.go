package api_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	service "github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/store/storetest"
)

// A workflow that holds too much is refused before it is read as one, with its field.
func TestLargeGraphs(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t))
	op := service.New(s.URL, s.Account(t, account.NewAccount{Operator: true}, billing.Credits{}).Key).Operator()
	repeat := func(n int, one func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, one(i))
		}
		return strings.Join(parts, ", ")
	}
	node := func(i int) string { return fmt.Sprintf(`"%d": {"class_type": "A", "inputs": {}}`, i) }
	for name, tc := range map[string]struct {
		workflow string
		status   int
		says     string
	}{
		"100,000 nodes":       {"{" + repeat(100_000, node) + "}", 413, "larger than 2097152 bytes"},
		"30,000 small nodes":  {"{" + repeat(30_000, func(i int) string { return fmt.Sprintf(`"%d": {}`, i) }) + "}", 400, "workflow"},
		"3,000 nodes":         {"{" + repeat(3_000, node) + "}", 400, "at most 2000 can be read"},
		"deep nesting":        {`{"1": ` + strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000) + "}", 400, "nests deeper"},
		"a huge text":         {`{"1": {"class_type": "SaveImage", "inputs": {"x": "` + strings.Repeat("x", 1<<20) + `"}}}`, 400, "workflow"},
		"many values":         {`{"1": {"class_type": "SaveImage", "inputs": {"x": [` + repeat(60_000, func(int) string { return "1" }) + `]}}}`, 400, "workflow"},
		"links without end":   {`{"1": {"class_type": "A", "inputs": {` + repeat(10_001, func(i int) string { return fmt.Sprintf(`"x%d": ["2", 0]`, i) }) + `}}, "2": {"class_type": "A", "inputs": {}}}`, 400, "more than 10000 links"},
		"a text that is long": {`{"1": {"class_type": "SaveImage", "inputs": {"images": ["2", 0]}}, "2": {"class_type": "A", "inputs": {"x": "` + strings.Repeat("x", 1<<19) + `"}}}`, 0, ""},
	} {
		_, err := op.InspectGraph(t.Context(), service.GraphFile{Workflow: []byte(tc.workflow)})
		var refused *service.Error
		switch {
		case tc.status == 0 && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.status == 0:
		case !errors.As(err, &refused) || refused.Status != tc.status || !strings.Contains(refused.Message, tc.says):
			t.Errorf("%s: got %v, want %d with %q", name, err, tc.status, tc.says)
		}
	}
}

// drawn is a small workflow that makes a picture.
const drawn = `{"3": {"class_type": "KSampler", "inputs": {"seed": 1, "steps": 20, "cfg": 7, "sampler_name": "euler", "scheduler": "normal", "denoise": 1,
	"model": ["4", 0], "positive": ["6", 0], "negative": ["7", 0], "latent_image": ["5", 0]}},
	"4": {"class_type": "CheckpointLoaderSimple", "inputs": {"ckpt_name": "base.safetensors"}}, "5": {"class_type": "EmptyLatentImage", "inputs": {"width": 1024, "height": 768, "batch_size": 1}},
	"6": {"class_type": "CLIPTextEncode", "inputs": {"text": "a lighthouse", "clip": ["4", 1]}}, "7": {"class_type": "CLIPTextEncode", "inputs": {"text": "blurry", "clip": ["4", 1]}},
	"8": {"class_type": "VAEDecode", "inputs": {"samples": ["3", 0], "vae": ["4", 2]}}, "9": {"class_type": "SaveImage", "inputs": {"images": ["8", 0], "filename_prefix": "x"}}}`

// The files of a service are those that it has started with: what becomes of them later, such as half of a change,
// neither comes into use when a graph is brought nor takes the models of graphs away.
func TestGraphsWhileFilesChange(t *testing.T) {
	t.Parallel()
	entries, graphs := t.TempDir(), t.TempDir()
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) { c.CatalogDir, c.GraphsDir = entries, graphs })
	op := service.New(s.URL, s.Account(t, account.NewAccount{Operator: true}, billing.Credits{}).Key).Operator()
	bring := func(name string) {
		t.Helper()
		if _, err := op.CreateGraph(t.Context(), service.GraphFile{Name: name, Workflow: []byte(drawn)}); err != nil {
			t.Fatal(err)
		}
	}
	bring("harbour")
	for _, name := range []string{filepath.Join(entries, "mine.yaml"), filepath.Join(graphs, "mine.yaml")} {
		if err := os.WriteFile(name, []byte("models: ["), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	bring("film")
	list, err := op.Graphs(t.Context())
	if err != nil || len(list.Graphs) != 2 {
		t.Fatalf("graphs: %+v, %v", list, err)
	}
	for _, g := range list.Graphs {
		if g.Problem != nil {
			t.Errorf("%s: %s", g.Name, *g.Problem)
		}
		if status, body := s.Get(t, "/v1/model-catalog/"+g.Name, ""); status != 200 {
			t.Errorf("%s: the catalog answers %d, %s", g.Name, status, body)
		}
	}
}

// A service starts although an alias of its configuration means a model whose graph was removed since.
func TestAliasOfARemovedGraph(t *testing.T) {
	t.Parallel()
	database, data := storetest.SQLite(t), t.TempDir()
	start := func(aliases map[string]string) (*ateliertest.Service, service.Operator) {
		s := ateliertest.Start(t, database, func(c *config.Config) { c.DataDir, c.ModelAliases = data, aliases })
		return s, service.New(s.URL, s.Account(t, account.NewAccount{Operator: true}, billing.Credits{}).Key).Operator()
	}
	s, op := start(nil)
	if _, err := op.CreateGraph(t.Context(), service.GraphFile{Name: "harbour", Workflow: []byte(drawn)}); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	own := map[string]string{"gpt-image-1": "harbour"}
	s, op = start(own)
	if _, err := op.RemoveGraph(t.Context(), "harbour", ""); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	s, _ = start(own)
	s.Logged(t, "model_aliases.gpt-image-1")
}

// A graph takes no name by which clients of another protocol mean something else.
func TestGraphsNamedAsOthers(t *testing.T) {
	t.Parallel()
	s := ateliertest.Start(t, storetest.SQLite(t))
	op := service.New(s.URL, s.Account(t, account.NewAccount{Operator: true}, billing.Credits{}).Key).Operator()
	for _, name := range []string{"remove-background", "upscale-image", "generate_image", "auto", "gpt-image-2-edit-image"} {
		_, err := op.CreateGraph(t.Context(), service.GraphFile{Name: name, Workflow: []byte(drawn)})
		var refused *service.Error
		if !errors.As(err, &refused) || refused.Status != 409 || !strings.Contains(refused.Message, "name") {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
	}
}
