package telemetry

import (
	"bytes"
	"compress/gzip"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/atelier-project/atelier/internal/negotiate"
)

// prefix begins the name of every metric of this program.
const prefix = "atelier_"

// Metrics are the metrics of one service.
type Metrics struct {
	mu       sync.Mutex
	families map[string]*family
	http     httpMetrics
}

// NewMetrics makes an empty set of metrics together with those of the Go
// runtime and of the process.
func NewMetrics() *Metrics {
	m := &Metrics{families: map[string]*family{}}
	for _, f := range slices.Concat(runtimeMetrics(), processMetrics()) {
		m.register(f)
	}
	m.http.register(m)
	return m
}

// register adds a metric, or finds the equal one that is there already.
func (m *Metrics) register(f *family) *family {
	m.mu.Lock()
	defer m.mu.Unlock()
	there := m.families[f.name]
	if there == nil {
		m.families[f.name] = f
		return f
	}
	if !there.sameAs(f) {
		panic("telemetry: " + f.name + " is there already, and not the same")
	}
	return there
}

// MayRead reports whether a request has the token of the metrics. Every request has an empty one.
func MayRead(r *http.Request, token string) bool {
	sent, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token == "" || subtle.ConstantTimeCompare([]byte(sent), []byte(token)) == 1
}

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	if m == nil {
		return http.NotFoundHandler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		h.Set("Vary", "Accept-Encoding")
		text := m.text()
		if !negotiate.PrefersGzip(r.Header["Accept-Encoding"]) {
			_, _ = w.Write(text)
			return
		}
		h.Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		_, _ = packed.Write(text)
		_ = packed.Close()
	})
}

// text is a scrape: all metrics, ordered by name.
func (m *Metrics) text() []byte {
	m.mu.Lock()
	all := make([]*family, 0, len(m.families))
	for _, f := range m.families {
		all = append(all, f)
	}
	m.mu.Unlock()
	slices.SortFunc(all, func(x, y *family) int { return strings.Compare(x.name, y.name) })
	var b bytes.Buffer
	for _, f := range all {
		f.write(&b)
	}
	return b.Bytes()
}
