package api

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/telemetry"
)

// discoveryServer serves the real table with a given demand.
func discoveryServer(t testing.TB, demand func(context.Context) (atelier.Demand, error)) *Server {
	t.Helper()
	models, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{
		Catalog: models, Demand: demand, Metrics: telemetry.NewMetrics(),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: time.Now,
		Limits: endpoint.Limits{PublicReads: 1 << 40, AccountReads: 1, LLMRequests: 1, MediaURLs: 1, AuthFailures: 1},
	})
}

// read reads a path of a server.
func read(s http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestDemandCountsWorkersAndJobs(t *testing.T) {
	t.Parallel()
	s := discoveryServer(t, func(context.Context) (atelier.Demand, error) {
		return atelier.Demand{
			At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Networks: []atelier.Network{atelier.NetworkFast},
			Models: map[string]map[atelier.Network]atelier.ModelDemand{"z_image_turbo_bf16": {atelier.NetworkFast: {
				WorkersReady: 2, WorkersLoaded: 1, JobsActive: 3, JobsQueued: 6,
				JobsWaitingForWorker: 1, JobsConcurrencyLimited: 2, JobsQueuedOther: 3, ServedBy: atelier.ServedByWorkers,
			}}},
		}, nil
	})
	for _, tc := range []struct {
		path   string
		status int
		want   string
	}{
		{"/v1/model-demand", 200, `"updatedAt":"2026-03-01T12:00:00Z","networks":["fast"],"count":1,"models":[{"id":"z_image_turbo_bf16"`},
		{"/v1/model-demand", 200, `"mediaType":"image","servedBy":"workers"`},
		{"/v1/model-demand", 200, `"networks":{"fast":{"workersReady":2,"workersLoaded":1,"jobsActive":3,"jobsQueued":6,"jobsWaitingForWorker":1,"jobsConcurrencyLimited":2,"jobsQueuedOther":3,"servedBy":"workers"}}}]`},
		// Relaxed is not in the list: unknown, not zero.
		{"/v1/model-demand?network=relaxed", 503, `"errorCode":2009`},
		// Only models with a connected worker.
		{"/v1/model-catalog?network=fast", 200, `"count":1,"models":[{"id":"z_image_turbo_bf16"`},
		{"/v1/model-catalog?network=fast", 200, `"availableNetworks":["fast"],"workerCounts":{"fast":2}`},
		{"/v1/model-catalog?network=relaxed", 200, `"count":0,"models":[]`},
		{"/v1/model-catalog/z_image_turbo_bf16", 200, `"availableNetworks":["fast"],"workerCounts":{"fast":2}`},
	} {
		w := read(s, tc.path)
		if w.Code != tc.status || !strings.Contains(w.Body.String(), tc.want) {
			t.Errorf("%s: got %d %.400s, want %d %s", tc.path, w.Code, w.Body, tc.status, tc.want)
		}
	}
}

// Without a usable snapshot the demand is a 503, and so is what depends on it;
// the catalog itself is not. Failures are not kept.
func TestNoUsableSnapshot(t *testing.T) {
	t.Parallel()
	broken := true
	s := discoveryServer(t, func(context.Context) (atelier.Demand, error) {
		if broken {
			return atelier.Demand{}, atelier.Errorf(atelier.CodeUnavailable, "The workers are not known now.")
		}
		return atelier.Demand{Networks: []atelier.Network{atelier.NetworkFast}}, nil
	})
	for path, want := range map[string]int{
		"/v1/model-demand": 503, "/v1/model-catalog?network=fast": 503, "/v1/model-catalog": 200, "/v1/model-catalog/z_image_turbo_bf16": 200,
	} {
		if w := read(s, path); w.Code != want {
			t.Errorf("%s: got %d %s, want %d", path, w.Code, w.Body, want)
		}
	}
	broken = false
	if w := read(s, "/v1/model-demand"); w.Code != 200 {
		t.Errorf("after it recovered: got %d %s", w.Code, w.Body)
	}
}

// The OpenAPI document has a schema for a step with each tool, and toolName tells them apart.
func TestStepsAreDescribedByTool(t *testing.T) {
	t.Parallel()
	s := discoveryServer(t, func(context.Context) (atelier.Demand, error) { return atelier.Demand{}, nil })
	type schema struct {
		Ref           string `json:"$ref"`
		Discriminator struct {
			PropertyName string
			Mapping      map[string]string
		}
		Properties map[string]struct {
			Ref  string `json:"$ref"`
			Enum []any
		}
		Examples []any
	}
	var doc struct {
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(read(s, "/openapi.json").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	named := func(ref string) schema { return doc.Components.Schemas[strings.TrimPrefix(ref, endpoint.SchemaPrefix)] }
	steps := doc.Components.Schemas["StepRequest"].Discriminator
	if steps.PropertyName != "toolName" {
		t.Fatalf("steps are told apart by %q", steps.PropertyName)
	}
	for _, tool := range s.catalog.Tools() {
		step := named(steps.Mapping[tool.Name])
		switch arguments := named(step.Properties["arguments"].Ref); {
		case tool.Synchronous():
			if steps.Mapping[tool.Name] != "" {
				t.Errorf("%s is not for steps", tool.Name)
			}
		case !slices.Equal(step.Properties["toolName"].Enum, []any{tool.Name}),
			len(arguments.Properties) < len(tool.Arguments), len(arguments.Examples) != 1:
			t.Errorf("%s: the schema of its step is %+v, that of its arguments %+v", tool.Name, step, arguments)
		}
	}
}

func TestOverviewForLanguageModels(t *testing.T) {
	t.Parallel()
	s := discoveryServer(t, func(context.Context) (atelier.Demand, error) { return atelier.Demand{}, nil })
	w := read(s, "/llms.txt")
	for _, want := range []string{"# atelier\n\n> ", "/openapi.json)", "/docs#group-media-and-image-urls): ", "/v1/tools/generate_image): Make images"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the overview has no %q:\n%.600s", want, w.Body)
		}
	}
	if kind := w.Header().Get("Content-Type"); kind != "text/markdown; charset=utf-8" {
		t.Errorf("the overview is %s", kind)
	}
}
