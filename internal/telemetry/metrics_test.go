package telemetry_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/telemetry"
)

// scrape reads the metrics as Prometheus would.
func scrape(t testing.TB, m *telemetry.Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("scrape: status %d, type %q; want 200 and text/plain", w.Code, w.Header().Get("Content-Type"))
	}
	return w.Body.String()
}

func wantLines(t *testing.T, m *telemetry.Metrics, lines ...string) {
	t.Helper()
	body := scrape(t, m)
	for _, line := range lines {
		if !strings.Contains(body, "\n"+line+"\n") {
			t.Errorf("no line %q in the scrape:\n%s", line, ours(body))
		}
	}
}

func ours(body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		if strings.Contains(line, "atelier_") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func TestHTTPMetrics(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	m.EnterHTTP()
	m.EnterHTTP()
	m.LeaveHTTP()
	m.ObserveHTTP("GET", "/v1/workflows/{id}", 200, 3*time.Millisecond)
	m.ObserveHTTP("GET", "/v1/workflows/{id}", 200, 40*time.Millisecond)
	m.ObserveHTTP("GET", "/v1/workflows/{id}", 404, time.Millisecond)
	m.ObserveHTTP("POST", "/v1/workflows", 201, time.Second)
	wantLines(t, m,
		`atelier_http_requests_in_flight 1`,
		`atelier_http_requests_total{code="200",method="GET",route="/v1/workflows/{id}"} 2`,
		`atelier_http_requests_total{code="404",method="GET",route="/v1/workflows/{id}"} 1`,
		`atelier_http_requests_total{code="201",method="POST",route="/v1/workflows"} 1`,
		`atelier_http_request_duration_seconds_count{method="GET",route="/v1/workflows/{id}"} 3`,
		`atelier_http_request_duration_seconds_bucket{method="GET",route="/v1/workflows/{id}",le="0.005"} 2`,
		`atelier_http_request_duration_seconds_sum{method="POST",route="/v1/workflows"} 1`,
	)
	body := scrape(t, m)
	for _, name := range []string{"go_goroutines ", "process_start_time_seconds "} {
		if !strings.Contains(body, "\n"+name) {
			t.Errorf("the scrape has no %s", name)
		}
	}
}

func TestHTTPLabelsAreBounded(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	for i := range 50 {
		m.ObserveHTTP(fmt.Sprintf("BREW%d", i), "/tea", 200, 0)
		m.ObserveHTTP("get", "", 404, 0)
		m.ObserveHTTP("GET", "/tea", 600+i, 0)
		m.ObserveHTTP("GET", "/tea", -i, 0)
	}
	wantLines(t, m,
		`atelier_http_requests_total{code="200",method="other",route="/tea"} 50`,
		`atelier_http_requests_total{code="404",method="other",route="other"} 50`,
		`atelier_http_requests_total{code="other",method="GET",route="/tea"} 100`,
	)
	if n := strings.Count(scrape(t, m), "\natelier_http_requests_total{"); n != 3 {
		t.Errorf("got %d series, want 3", n)
	}
}

func TestRoutesAreBounded(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	for i := range 2500 {
		m.ObserveHTTP("GET", fmt.Sprint("/", i), 200, 0)
	}
	m.ObserveHTTP("GET", "/0", 200, 0) // known before the table was full
	wantLines(t, m,
		`atelier_http_requests_total{code="200",method="GET",route="/0"} 2`,
		`atelier_http_requests_total{code="200",method="GET",route="other"} 500`,
	)
}

func TestObserveHTTPAtTheSameTime(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 100 {
				m.EnterHTTP()
				m.ObserveHTTP("GET", fmt.Sprint("/", i%10), 200+i%2, 0)
				m.LeaveHTTP()
			}
		})
	}
	wg.Wait()
	wantLines(t, m,
		`atelier_http_requests_in_flight 0`,
		`atelier_http_requests_total{code="200",method="GET",route="/0"} 80`,
		`atelier_http_requests_total{code="201",method="GET",route="/9"} 80`,
	)
}

func TestInstruments(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	jobs := m.Counter("jobs_total", "Jobs settled.", "network", "outcome")
	jobs.Inc("fast", "done")
	jobs.Add(2, "fast", "done")
	jobs.Inc("relaxed", "failed")
	bare := m.Counter("sweeps_total", "Sweeps.")
	bare.Inc()
	workers := m.Gauge("workers", "Workers.", "network")
	workers.Set(5, "fast")
	workers.Add(-2, "fast")
	depth := m.Gauge("depth", "Depth.")
	depth.Add(4)
	m.GaugeFunc("streams", "Open streams.", func() float64 { return 7 })
	wait := m.Histogram("wait_seconds", "Wait.", nil, "network")
	wait.Observe(0.2, "fast")
	sizes := m.Histogram("bytes", "Sizes.", []float64{10, 100})
	sizes.Observe(50)
	wantLines(t, m,
		`atelier_jobs_total{network="fast",outcome="done"} 3`,
		`atelier_jobs_total{network="relaxed",outcome="failed"} 1`,
		`atelier_sweeps_total 1`,
		`atelier_workers{network="fast"} 3`,
		`atelier_depth 4`,
		`atelier_streams 7`,
		`atelier_wait_seconds_bucket{network="fast",le="0.25"} 1`,
		`atelier_bytes_bucket{le="10"} 0`,
		`atelier_bytes_bucket{le="100"} 1`,
	)
}

func TestSameInstrumentTwice(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	m.Counter("a_total", "A.", "x").Inc("1")
	m.Counter("a_total", "A.", "x").Inc("1")
	wantLines(t, m, `atelier_a_total{x="1"} 2`)
	defer func() {
		if recover() == nil {
			t.Error("the same name with other labels did not panic")
		}
	}()
	m.Counter("a_total", "A.", "y")
}

func TestNilMetricsCountNothing(t *testing.T) {
	t.Parallel()
	var m *telemetry.Metrics
	m.EnterHTTP()
	m.LeaveHTTP()
	m.ObserveHTTP("GET", "/", 200, 0)
	m.Counter("a", "A.", "x").Inc("1")
	m.Gauge("b", "B.").Set(1)
	m.GaugeFunc("c", "C.", func() float64 { return 1 })
	m.Histogram("d", "D.", nil).Observe(1)
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 404 {
		t.Errorf("status %d, want 404", w.Code)
	}
}

func BenchmarkObserveHTTP(b *testing.B) {
	m := telemetry.NewMetrics()
	for i := range 200 {
		m.ObserveHTTP("GET", fmt.Sprintf("/v1/things/{id}/part%d", i), 200, 0)
	}
	route := fmt.Sprintf("/v1/things/{id}/part%d", 77)
	b.ReportAllocs()
	for b.Loop() {
		m.EnterHTTP()
		m.ObserveHTTP("GET", route, 200, 3*time.Millisecond)
		m.LeaveHTTP()
	}
}

func BenchmarkCounterWithLabels(b *testing.B) {
	c := telemetry.NewMetrics().Counter("jobs_total", "Jobs.", "network", "outcome")
	b.ReportAllocs()
	for b.Loop() {
		c.Inc("fast", "done")
	}
}
