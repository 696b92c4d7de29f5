package workflow

import (
	"reflect"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/wire"
)

// A plan and a state as installations have stored them since the first version.
// They must be read, and written, as they are.
const (
	storedPlanText  = `{"title":"A title","steps":[{"id":"a","toolName":"generate_image","arguments":{"prompt":"a <fox>"},"dependsOn":[{"sourceStepId":"b","sourceArtifactIndex":1,"sourceArtifactId":"x","targetArgument":"sourceImageIndex","transform":"image_index","mediaType":"image","required":true},{"sourceStepId":"$input_media","sourceArtifactIndex":0,"targetArgument":"t","transform":"image_url","required":false}],"normalized":{"prompt":"a <fox>"},"sources":[{"argument":"sourceImageIndex","kind":"image","step":1,"artifact":1,"id":"x","file":-1,"bound":true}],"generated":{"Images":0,"Videos":0,"Audio":0,"Models":0},"after":0,"kind":"image","count":2,"model":"m","routing":{"selectedBy":"","reasons":[],"alternatives":[]},"cost":{"costClass":"","unit":"","quantity":0},"price":{"spark":"1.500000","usd":"0.012345","premium":true},"units":3,"flagged":["gore"]},{"id":"b","toolName":"finalize_response","arguments":{},"normalized":{},"generated":{"Images":0,"Videos":0,"Audio":0,"Models":0},"routing":{"selectedBy":"","reasons":[],"alternatives":[]},"cost":{"costClass":"","unit":"","quantity":0},"price":{"spark":"0.000000","usd":"0.000000","premium":false},"units":0}],"media":[{"kind":"image","url":"https://x/a","said":{"kind":"image","note":"mine"}}],"files":[{"kind":"image","url":"https://x/a","used":true}],"capacity":5,"uploaded":{"Images":0,"Videos":0,"Audio":0,"Models":0},"template":{"id":"t","version":"1.0.0","inputs":{"x":true}}}`
	storedStateText = `{"terms":{"token":"spark","mode":"tokens","app":"app"},"filter":true,"steps":[{"status":"queued","waiting":"insufficient_credit","noWorker":{"reason":"no_worker","model":"m","network":"fast","since":"2026-03-01T12:00:00.005Z"},"answered":true,"jobId":"job","projectId":"project","attempt":1,"retries":2,"progress":0.5,"message":"half","notes":3,"seed":7,"made":[{"id":"x","kind":"image","type":"image/png","key":"results/x","bytes":9,"width":1,"height":2,"seconds":1.5,"seed":7,"metadata":{"renderer":"r"}}],"error":{"code":"error","message":"no","classification":"provider","retryable":true,"toolName":"generate_image","stepId":"a","details":{"n":1}},"charged":{"costInSpark":"1.000000","costInUSD":"0.000002","byPlan":true},"startedAt":"2026-03-01T12:00:00.005Z","endedAt":"2026-03-01T12:00:00.005Z"},{"status":"failed","seed":0,"error":{"code":"error","message":"","classification":"","retryable":false}}],"files":[{"jobId":"fetch","key":"k","contentType":"image/png","error":"gone"}],"approval":{"given":true,"authorized":"2026-03-01T12:00:00.005Z"},"started":true,"error":{"code":"incomplete","message":"m","classification":"","retryable":false},"resumes":1,"resumedAt":"2026-03-01T12:00:00.005Z","endedAt":"2026-03-01T12:00:00.005Z","previews":[{"totalEstimatedCapacityUnits":5.5,"tokenType":"auto","validityUntil":"2026-03-01T12:00:00.005Z"}],"manifest":{"assets":[]}}`
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 5_000_000, time.UTC)
	after := 0
	p := plan{
		Title: "A title",
		Steps: []planStep{
			{
				ID: "a", ToolName: "generate_image", Arguments: map[string]any{"prompt": "a <fox>"}, DependsOn: []bindingDocument{
					{SourceStepID: "b", SourceArtifactIndex: 1, SourceArtifactID: "x", TargetArgument: "sourceImageIndex", Transform: "image_index", MediaType: "image", Required: true},
					{SourceStepID: "$input_media", TargetArgument: "t", Transform: "image_url"},
				},
				Normalized: map[string]any{"prompt": "a <fox>"}, Sources: []source{{Argument: "sourceImageIndex", Kind: catalog.Image, Step: 1, Artifact: 1, ID: "x", File: -1, Bound: true}},
				After: &after, Kind: catalog.Image, Count: 2, Model: "m", Price: costDocument{Spark: 1_500_000, USD: 12_345, Premium: true}, Units: 3, Flagged: []string{"gore"},
			},
			{ID: "b", ToolName: "finalize_response", Arguments: map[string]any{}, Normalized: map[string]any{}},
		},
		Media:    []mediaDocument{{Kind: "image", URL: "https://x/a", Original: map[string]any{"kind": "image", "note": "mine"}}},
		Files:    []file{{Kind: "image", URL: "https://x/a", Used: true}},
		Capacity: 5, Template: &TemplateRef{ID: "t", Version: "1.0.0", Inputs: map[string]any{"x": true}},
	}
	s := state{
		Terms: termsDocument{Token: atelier.PaySpark, Mode: atelier.BillTokens, App: "app"}, Filter: true,
		Steps: []stepState{
			{
				Status: atelier.StatusQueued, Waiting: atelier.WaitCredit, NoWorker: &waitingForDocument{Reason: "no_worker", Model: "m", Network: atelier.NetworkFast, Since: at},
				Answered: true, JobID: "job", ProjectID: "project", Attempt: 1, Retries: 2, Progress: 0.5, Message: "half", Notes: 3, Seed: 7,
				Made:    []made{{ID: "x", Kind: "image", Type: "image/png", Key: "results/x", Bytes: 9, Width: 1, Height: 2, Seconds: 1.5, Seed: 7, Metadata: map[string]any{"renderer": "r"}}},
				Error:   &errorDocument{Code: "error", Message: "no", Classification: "provider", Retryable: true, ToolName: "generate_image", StepID: "a", Details: map[string]any{"n": 1.0}},
				Charged: &chargedDocument{Spark: 1_000_000, USD: 2, ByPlan: true}, StartedAt: &at, EndedAt: &at,
			},
			{Status: atelier.StatusFailed, Error: &errorDocument{Code: "error"}},
		},
		Files:    []fileState{{JobID: "fetch", Key: "k", ContentType: "image/png", Error: "gone"}},
		Approval: &approval{Given: true, Authorized: at}, Started: true, Error: &errorDocument{Code: "incomplete", Message: "m"},
		Resumes: 1, ResumedAt: &at, EndedAt: &at,
		Previews: []previewDocument{{TotalEstimatedCapacityUnits: 5.5, TokenType: atelier.PayAuto, ValidityUntil: at}}, Manifest: map[string]any{"assets": []any{}},
	}
	for i := range p.Steps { // a list is read as an empty one
		p.Steps[i].Routing = catalog.Routing{Reasons: []string{}, Alternatives: []catalog.Alternative{}}
	}
	var (
		readPlan  plan
		readState state
	)
	for _, c := range []struct {
		text       string
		want, read any
	}{{storedPlanText, &p, &readPlan}, {storedStateText, &s, &readState}} {
		got, err := wire.Marshal(c.want)
		if string(got) != c.text || err != nil {
			t.Errorf("stored as\n%s (%v), want\n%s", got, err, c.text)
		}
		if err := wire.Unmarshal([]byte(c.text), c.read); err != nil || !reflect.DeepEqual(c.read, c.want) {
			t.Errorf("read as\n%+v (%v), want\n%+v", c.read, err, c.want)
		}
	}
}
