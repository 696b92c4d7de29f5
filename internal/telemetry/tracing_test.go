package telemetry_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/telemetry"
)

// The tests that start tracing are not parallel: they set environment
// variables, and tracing belongs to the whole process.

// attributes is a list of OTLP attributes.
type attributes []struct {
	Key   string
	Value map[string]any
}

// span is a span in OTLP's JSON.
type span struct {
	TraceID      string
	SpanID       string
	ParentSpanID string
	Name         string
	Kind         int
	Start        string `json:"startTimeUnixNano"`
	End          string `json:"endTimeUnixNano"`
	Attributes   attributes
	Status       struct{ Code int }
}

// received is one span with the resource it came under.
type received struct {
	*span
	resource attributes
	raw      string
}

// collect starts an OTLP/HTTP collector that decodes the spans it receives.
func collect(t *testing.T) (endpoint string, spans <-chan received) {
	t.Helper()
	out := make(chan received, 100)
	busy := true
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("X-Team") != "studio one" {
			t.Errorf("collector got %s as %q for %q", r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("X-Team"))
		}
		if busy { // the exporter retries
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
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
		var req struct {
			ResourceSpans []struct {
				Resource   struct{ Attributes attributes }
				ScopeSpans []struct{ Spans []*span }
			}
		}
		if err := json.Unmarshal(raw, &req); err != nil {
			t.Errorf("collector: %v", err)
		}
		for _, rs := range req.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					out <- received{s, rs.Resource.Attributes, string(raw)}
				}
			}
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=studio%20one")
	return s.URL, out
}

// cleanEnv hides the environment in which the tests run.
func cleanEnv(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_SDK_DISABLED",
		"OTEL_TRACES_EXPORTER", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_SAMPLER",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_HEADERS",
		"OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_CERTIFICATE",
	} {
		t.Setenv(name, "") // restores the old value at the end
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
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
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

func attr(list attributes, key string) string {
	for _, kv := range list {
		if kv.Key == key {
			return fmt.Sprint(kv.Value)
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
	end(503)
	shutdown()

	got := byName(spans)
	server := got["POST /v1/workflows"]
	if server.span == nil {
		t.Fatalf("spans received: %v, want the request's", got)
	}
	if server.TraceID != traceID || server.ParentSpanID != parentID {
		t.Errorf("server span is in trace %s under %s, want %s under %s", server.TraceID, server.ParentSpanID, traceID, parentID)
	}
	if server.Kind != 2 || server.Status.Code != 2 {
		t.Errorf("kind %d, status %v; want a server's and an error", server.Kind, server.Status)
	}
	if len(server.Start) != 19 || server.End < server.Start {
		t.Errorf("from %s to %s, want nanoseconds in order", server.Start, server.End)
	}
	for _, c := range []struct {
		kvs       attributes
		key, want string
	}{
		{server.Attributes, "http.request.method", "map[stringValue:POST]"},
		{server.Attributes, "http.route", "map[stringValue:/v1/workflows]"},
		{server.Attributes, "http.response.status_code", "map[intValue:503]"},
		{server.resource, "service.name", "map[stringValue:atelier]"},
		{server.resource, "service.version", "map[stringValue:1.2.3]"},
	} {
		if got := attr(c.kvs, c.key); got != c.want {
			t.Errorf("attribute %s = %s, want %s", c.key, got, c.want)
		}
	}
	if strings.Contains(server.raw, "hush") {
		t.Errorf("the server span contains the query: %s", server.raw)
	}

	// After the shutdown everything is a no-op again.
	ctx, end = telemetry.ServerSpan(httptest.NewRequest("GET", "/", nil), "/")
	if telemetry.TraceID(ctx) != "" {
		t.Error("a span began after shutdown")
	}
	end(200)
}

func TestEnvironmentNamesTheService(t *testing.T) {
	cleanEnv(t)
	endpoint, spans := collect(t)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpoint+"/v1/traces")
	t.Setenv("OTEL_SERVICE_NAME", "studio")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	shutdown := start(t)
	_, end := telemetry.ServerSpan(httptest.NewRequest("BREW", "/tea", nil), "")
	end(404)
	shutdown()
	s := byName(spans)["HTTP"]
	if s.span == nil {
		t.Fatal("the span did not arrive")
	}
	if got := attr(s.resource, "service.name"); !strings.Contains(got, "studio") {
		t.Errorf("service.name = %s, want studio", got)
	}
	if got := attr(s.resource, "deployment.environment.name"); !strings.Contains(got, "test") {
		t.Errorf("deployment.environment.name = %s, want test", got)
	}
	if s.Status.Code == 2 {
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
			if id := telemetry.TraceID(ctx); id != "" {
				t.Errorf("TraceID = %q, want none", id)
			}
			end(200)
			shutdown()
		})
	}
}

func TestInvalidSettingsStopTheStart(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"endpoint": {map[string]string{endpoint: "user:hush@nowhere"}, endpoint},
		"scheme":   {map[string]string{endpoint: "ftp://hush"}, endpoint},
		"protocol": {map[string]string{endpoint: "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "OTEL_EXPORTER_OTLP_PROTOCOL"},
		"exporter": {map[string]string{endpoint: "http://x", "OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER"},
		"headers":  {map[string]string{endpoint: "http://x", "OTEL_EXPORTER_OTLP_HEADERS": "a=%zz"}, "OTEL_EXPORTER_OTLP_HEADERS"},
		"timeout":  {map[string]string{endpoint: "http://x", "OTEL_EXPORTER_OTLP_TIMEOUT": "soon"}, "OTEL_EXPORTER_OTLP_TIMEOUT"},
		"packing":  {map[string]string{endpoint: "http://x", "OTEL_EXPORTER_OTLP_COMPRESSION": "zip"}, "OTEL_EXPORTER_OTLP_COMPRESSION"},
		"trust":    {map[string]string{endpoint: "http://x", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/nowhere"}, "OTEL_EXPORTER_OTLP_CERTIFICATE"},
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
		_, end := telemetry.ServerSpan(r, "/")
		end(200)
	}); n > 0 {
		t.Errorf("%v allocations a request while tracing is off, want none", n)
	}
}

func BenchmarkSpanOff(b *testing.B) {
	r := httptest.NewRequest("GET", "/", nil)
	b.ReportAllocs()
	for b.Loop() {
		_, end := telemetry.ServerSpan(r, "/")
		end(200)
	}
}
