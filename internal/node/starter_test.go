package node_test

import (
	"context"
	"net/http"
	"os"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/account"
	"github.com/atelier-project/atelier/internal/ateliertest"
	"github.com/atelier-project/atelier/internal/billing"
	"github.com/atelier-project/atelier/internal/config"
	"github.com/atelier-project/atelier/internal/kit"
	"github.com/atelier-project/atelier/internal/mint"
	"github.com/atelier-project/atelier/internal/store/storetest"
	"github.com/atelier-project/atelier/internal/template"
	"github.com/atelier-project/atelier/internal/worker"
	"github.com/atelier-project/atelier/internal/worktest"
)

// brief keeps renders short in templates that have an input for the length.
var brief = map[string]any{"seconds": 3.0}

// Every template that comes with the service runs to its end on the embedded
// worker, and makes something with every step.
//
//atelier:norace
func TestStartersRun(t *testing.T) {
	t.Parallel()
	worktest.NeedExhaustive(t)
	list, err := template.Starters()
	if err != nil {
		t.Fatal(err)
	}
	s := ateliertest.Start(t, storetest.SQLite(t), func(c *config.Config) {
		c.Workers.Embedded = true
		c.CatalogDir = "../ateliertest/small"
		c.Limits.ActiveWorkflows = 100
		c.Limits.AccountReadsPerMinute = 100_000
	})
	ann := s.Account(t, account.NewAccount{}, billing.Credits{Spark: 100_000 * atelier.MoneyUnit})
	c := client.New(s.URL, ann.Key)
	photo := portrait(t, c)
	for _, tpl := range list {
		t.Run(tpl.ID, func(t *testing.T) {
			t.Parallel()
			w := ateliertest.Finished(t, c, start(t, t.Context(), c, tpl, photo).WorkflowID)
			for _, step := range w.Steps {
				if step.Status != atelier.StatusCompleted || len(step.Artifacts) == 0 {
					t.Errorf("%s (%s) is %s: %+v", step.ID, step.ToolName, step.Status, step.Error)
				}
			}
		})
	}
}

// start starts a template with its required inputs, and approves the cost.
func start(t *testing.T, ctx context.Context, c *client.Client, tpl atelier.Template, photo string) apitype.Workflow {
	t.Helper()
	inputs := map[string]any{}
	for _, in := range tpl.Inputs {
		if in.Required && in.Default == nil {
			inputs[in.Name] = photo
		}
		if v, ok := brief[in.Name]; ok {
			inputs[in.Name] = v
		}
	}
	if tpl.ID == "wf_song_with_cover_art" {
		inputs["seconds"] = 10.0
	}
	var started struct {
		Workflow apitype.Workflow     `json:"workflow"`
		Preview  *atelier.CostPreview `json:"preview"`
	}
	if err := c.Call(ctx, http.MethodPost, "/v1/creative-agent/workflows", map[string]any{"workflow_id": tpl.ID, "inputs": inputs}, &started); err != nil {
		t.Fatalf("start: %v", err)
	}
	decision := map[string]any{"decision": "confirm", "acceptedCostPreview": started.Preview}
	if err := c.Call(ctx, http.MethodPost, "/v1/creative-agent/workflows/"+started.Workflow.WorkflowID+"/confirm-cost", decision, &started); err != nil {
		t.Fatalf("confirm: %v", err)
	}
	return started.Workflow
}

// portrait uploads a picture.
func portrait(t *testing.T, c *client.Client) string {
	t.Helper()
	painted, err := kit.Renderer{}.Render(t.Context(), worker.Task{
		Assignment: apitype.Assignment{
			ToolName: "generate_image", Seed: 3, Arguments: map[string]any{"prompt": "a portrait of a woman with red hair, plain background", "width": 512.0, "height": 512.0},
			Artifacts: []apitype.AssignmentArtifact{{ID: "a", Kind: "image", ContentType: "image/png"}},
		},
		Folder: t.TempDir(), Report: func(float64, string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(painted[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	url, err := c.UploadImage(t.Context(), mint.UUID(), "startingImage", "image/png", file)
	if err != nil {
		t.Fatal(err)
	}
	return url
}
