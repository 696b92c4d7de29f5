package telemetry

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// prefix begins the name of every metric of this program.
const prefix = "atelier_"

// Metrics are the metrics of one service.
type Metrics struct {
	registry *prometheus.Registry
	http     httpMetrics
}

// NewMetrics makes an empty set of metrics together with those of the Go
// runtime and of the process.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.http.register(m.registry)
	return m
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
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		// One failing collector must not hide all the others.
		ErrorHandling: promhttp.ContinueOnError,
	})
}
