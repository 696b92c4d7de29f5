package telemetry_test

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/atelier-project/atelier/internal/telemetry"
)

// The tests that start tracing are not parallel: they set environment
// variables, and tracing belongs to the whole process.

// received is one span with the resource it came under.
type received struct {
	*tracepb.Span
	resource []*common.KeyValue
}

// collect starts an OTLP/HTTP collector that decodes what it is sent.
func collect(t *testing.T) (endpoint string, spans <-chan received) {
	t.Helper()
	out := make(chan received, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("collector got %s as %q", r.URL.Path, r.Header.Get("Content-Type"))
		}
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(body)
			if err != nil {
				t.Errorf("collector: %v", err)
				return
			}
			body = z
		}
		raw, err := io.ReadAll(body)
		if err != nil {
			t.Errorf("collector: %v", err)
		}
		var req collector.ExportTraceServiceRequest
		if err := proto.Unmarshal(raw, &req); err != nil {
			t.Errorf("collector: %v", err)
		}
		for _, rs := range req.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, span := range ss.Spans {
					out <- received{span, rs.Resource.Attributes}
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(s.Close)
	return s.URL, out
}

// cleanEnv hides the variables of whoever runs the tests.
func cleanEnv(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SDK_DISABLED",
		"OTEL_TRACES_EXPORTER", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
	} {
		t.Setenv(name, "") // puts the old value back in the end
		os.Unsetenv(name)
	}
}

func start(t *testing.T) (shutdown func()) {
	t.Helper()
	stop, err := telemetry.StartTracing(t.Context(), "1.2.3")
	if err != nil {
		t.Fatalf("StartTracing: %v", err)
	}
	shutdown = func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := stop(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	}
	return shutdown
}

func byName(spans <-chan received) map[string]received {
	m := make(map[string]received)
	for {
		select {
		case s := <-spans:
			m[s.Name] = s
		default:
			return m
		}
	}
}

func attr(kvs []*common.KeyValue, key string) string {
	for _, kv := range kvs {
		if kv.Key == key {
			return kv.Value.String()
		}
	}
	return "(none)"
}

func TestSpansReachTheCollector(t *testing.T) {
	cleanEnv(t)
	endpoint, spans := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	shutdown := start(t)

	const traceID, parentID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	r := httptest.NewRequest("POST", "/v1/workflows?apiKey=hush", nil)
	r.Header.Set("traceparent", "00-"+traceID+"-"+parentID+"-01")
	ctx, end := telemetry.ServerSpan(r, "/v1/workflows")
	if got := telemetry.TraceID(ctx); got != traceID {
		t.Errorf("TraceID = %q, want the caller's %q", got, traceID)
	}
	inner, endInner := telemetry.Span(ctx, "workflow.Start",
		"steps", 3, "model", "m", "dry", true, "took", 1500*time.Millisecond, "odd", []int{1}, 42, "skipped", "lonely")
	out := http.Header{}
	telemetry.Propagate(inner, out)
	endInner(errors.New("no worker"))
	end(503)
	shutdown()

	got := byName(spans)
	server, work := got["POST /v1/workflows"], got["workflow.Start"]
	if server.Span == nil || work.Span == nil {
		t.Fatalf("spans received: %v, want the server span and the inner one", got)
	}
	if hex.EncodeToString(server.TraceId) != traceID || hex.EncodeToString(server.ParentSpanId) != parentID {
		t.Errorf("server span is in trace %x under %x, want %s under %s", server.TraceId, server.ParentSpanId, traceID, parentID)
	}
	if string(work.ParentSpanId) != string(server.SpanId) {
		t.Errorf("inner span is under %x, want %x", work.ParentSpanId, server.SpanId)
	}
	if server.Kind != tracepb.Span_SPAN_KIND_SERVER {
		t.Errorf("kind = %v, want server", server.Kind)
	}
	if server.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR || work.Status.GetCode() != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("statuses = %v, %v, want errors", server.Status, work.Status)
	}
	if want := "00-" + traceID + "-" + hex.EncodeToString(work.SpanId) + "-01"; out.Get("traceparent") != want {
		t.Errorf("outgoing traceparent = %q, want %q", out.Get("traceparent"), want)
	}
	for _, c := range []struct {
		kvs       []*common.KeyValue
		key, want string
	}{
		{server.Attributes, "http.request.method", `"POST"`},
		{server.Attributes, "http.route", `"/v1/workflows"`},
		{server.Attributes, "http.response.status_code", `503`},
		{work.Attributes, "steps", `3`},
		{work.Attributes, "model", `"m"`},
		{work.Attributes, "dry", `true`},
		{work.Attributes, "took", `1.5`},
		{work.Attributes, "odd", `"[1]"`},
		{server.resource, "service.name", `"atelier"`},
		{server.resource, "service.version", `"1.2.3"`},
	} {
		if got := attr(c.kvs, c.key); !strings.HasSuffix(got, c.want) {
			t.Errorf("attribute %s = %s, want %s", c.key, got, c.want)
		}
	}
	if strings.Contains(server.String(), "hush") {
		t.Errorf("the server span gives the query away: %v", server)
	}

	// After the shutdown everything is a no-op again.
	if ctx, end := telemetry.Span(t.Context(), "late"); telemetry.TraceID(ctx) != "" {
		t.Error("a span began after shutdown")
	} else {
		end(nil)
	}
}

func TestEnvironmentNamesTheService(t *testing.T) {
	cleanEnv(t)
	endpoint, spans := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint+"/v1/traces")
	t.Setenv("OTEL_SERVICE_NAME", "studio")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	shutdown := start(t)
	_, end := telemetry.ServerSpan(httptest.NewRequest("BREW", "/tea", nil), "")
	end(404)
	shutdown()
	s := byName(spans)["HTTP"]
	if s.Span == nil {
		t.Fatal("the span did not arrive")
	}
	if got := attr(s.resource, "service.name"); !strings.Contains(got, "studio") {
		t.Errorf("service.name = %s, want studio", got)
	}
	if got := attr(s.resource, "deployment.environment.name"); !strings.Contains(got, "test") {
		t.Errorf("deployment.environment.name = %s, want test", got)
	}
	if s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR {
		t.Error("a 404 is marked as the server's error")
	}
}

func TestTracingStaysOff(t *testing.T) {
	for name, env := range map[string]map[string]string{
		"nothing set":  {},
		"sdk disabled": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1", "OTEL_SDK_DISABLED": "TRUE"},
		"exporter none": {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:1",
			"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
	} {
		t.Run(name, func(t *testing.T) {
			cleanEnv(t)
			for k, v := range env {
				t.Setenv(k, v)
			}
			shutdown := start(t)
			r := httptest.NewRequest("GET", "/", nil)
			r.Header.Set("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
			ctx, end := telemetry.ServerSpan(r, "/")
			ctx, endWork := telemetry.Span(ctx, "work", "key", "value")
			h := http.Header{}
			telemetry.Propagate(ctx, h)
			if id := telemetry.TraceID(ctx); id != "" || len(h) > 0 {
				t.Errorf("TraceID = %q, headers %v; want none", id, h)
			}
			endWork(nil)
			end(200)
			shutdown()
		})
	}
}

func TestUnusableSettingsStopTheStart(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"endpoint": {map[string]string{endpoint: "user:hush@nowhere"}, endpoint},
		"scheme":   {map[string]string{endpoint: "ftp://hush"}, endpoint},
		"protocol": {map[string]string{endpoint: "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL"},
		"exporter": {map[string]string{endpoint: "http://x", "OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER"},
	} {
		t.Run(name, func(t *testing.T) {
			cleanEnv(t)
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			stop, err := telemetry.StartTracing(t.Context(), "1")
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") {
				t.Errorf("StartTracing = %v, want an error that names %s and no secrets", err, c.want)
			}
			if stop == nil {
				t.Error("shutdown is nil")
			}
		})
	}
}

func TestOffCostsNothing(t *testing.T) {
	cleanEnv(t)
	r := httptest.NewRequest("GET", "/", nil)
	if n := testing.AllocsPerRun(100, func() {
		ctx, end := telemetry.ServerSpan(r, "/")
		_, endWork := telemetry.Span(ctx, "work", "model", "m", "steps", 3)
		endWork(nil)
		end(200)
	}); n > 0 {
		t.Errorf("%v allocations a request while tracing is off, want none", n)
	}
}

func BenchmarkSpanOff(b *testing.B) {
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		_, end := telemetry.Span(ctx, "work", "model", "m", "steps", 3)
		end(nil)
	}
}
