package telemetry_test

import (
	"compress/gzip"
	"io"
	"math"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/telemetry"
)

// line is a sample in Prometheus' text format, version 0.0.4.
var line = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$`)

// TestScrapeIsWellFormed reads a scrape by the grammar of the format: the lines of a metric stand
// together, below its help and its type, and none comes twice.
func TestScrapeIsWellFormed(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	m.ObserveHTTP("GET", "/v1/workflows/{id}", 200, 1)
	m.Counter("odd_total", "A \\ and\na new line.", "name").Inc("quote \" back \\ line \n bad \xff")
	m.Gauge("large", "Large.").Set(1.5e300)
	m.Gauge("endless", "Endless.", "sign").Set(math.Inf(-1), "minus")
	m.Gauge("unknown", "Unknown.").Set(math.NaN())
	m.Counter("unused_total", "Nothing was counted.", "x")
	wait := m.Histogram("wait_seconds", "Wait.", []float64{1, 2}, "network")
	for _, v := range []float64{0.5, 1, 1.5, 100, math.Inf(1)} {
		wait.Observe(v, "fast")
	}
	seen, kinds, current := map[string]bool{}, map[string]string{}, ""
	for text := range strings.Lines(scrape(t, m)) {
		text = strings.TrimSuffix(text, "\n")
		if help, ok := strings.CutPrefix(text, "# HELP "); ok {
			current, _, _ = strings.Cut(help, " ")
			if kinds[current] != "" {
				t.Errorf("%s is described twice", current)
			}
			continue
		}
		if kind, ok := strings.CutPrefix(text, "# TYPE "+current+" "); ok {
			kinds[current] = kind
			continue
		}
		parts := line.FindStringSubmatch(text)
		if parts == nil {
			t.Errorf("not a sample: %q", text)
			continue
		}
		name := parts[1]
		if kinds[current] == "histogram" {
			name = regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		}
		if name != current || kinds[current] == "" {
			t.Errorf("%q stands below %q, a %q", text, current, kinds[current])
		}
		if _, err := strconv.ParseFloat(parts[3], 64); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if key := parts[1] + parts[2]; seen[key] {
			t.Errorf("%q comes twice", key)
		} else {
			seen[key] = true
		}
	}
	wantLines(t, m,
		`# HELP atelier_odd_total A \\ and\na new line.`,
		`# TYPE atelier_odd_total counter`,
		`atelier_odd_total{name="quote \" back \\ line \n bad `+"\uFFFD"+`"} 1`,
		`atelier_large 1.5e+300`,
		`atelier_endless{sign="minus"} -Inf`,
		`atelier_unknown NaN`,
		`atelier_wait_seconds_bucket{network="fast",le="1"} 2`,
		`atelier_wait_seconds_bucket{network="fast",le="2"} 3`,
		`atelier_wait_seconds_bucket{network="fast",le="+Inf"} 5`,
		`atelier_wait_seconds_sum{network="fast"} +Inf`,
		`atelier_wait_seconds_count{network="fast"} 5`,
	)
	if strings.Contains(scrape(t, m), "unused_total") {
		t.Error("a metric without series is in the scrape")
	}
}

func TestScrapeIsCompressedForThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	telemetry.NewMetrics().Handler().ServeHTTP(w, r)
	if got := w.Header().Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("encoding %q, want gzip", got)
	}
	unpacked, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil || !strings.Contains(string(text), "\ngo_goroutines ") {
		t.Errorf("unpacked %d bytes, error %v; want the metrics", len(text), err)
	}
}

func TestValuesReadAtEachScrape(t *testing.T) {
	t.Parallel()
	m := telemetry.NewMetrics()
	n := 0.0
	m.Gauges("depth", "Depth.", []string{"model", "network"}, func(set func(v float64, labelValues ...string)) {
		n++
		set(n, "a", "fast")
		set(n*2, "b", "fast")
	})
	wantLines(t, m, `atelier_depth{model="a",network="fast"} 1`)
	wantLines(t, m, `atelier_depth{model="b",network="fast"} 4`)
	defer func() {
		if recover() == nil {
			t.Error("a name that is read at each scrape was taken twice")
		}
	}()
	m.GaugeFunc("depth", "Depth.", func() float64 { return 0 })
}
