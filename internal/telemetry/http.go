package telemetry

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// other stands for every value outside a bounded set.
const other = "other"

// maxRoutes limits the pairs of method and route. The route table has a few hundred; a
// caller that passes paths instead of patterns fills this and no more.
const maxRoutes = 2000

// httpMetrics are the metrics of the API. Every request passes here, so the series of each
// route are looked up once and kept in a table that is copied when a new route appears and
// otherwise read without a lock.
type httpMetrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge

	routes atomic.Pointer[map[routeKey]*routeSeries]
	mu     sync.Mutex // held to replace routes
}

type routeKey struct{ method, route string }

// routeSeries are the series of one route. codes holds the counter of each status from 100
// to 599, filled as statuses appear; index 0 is for all others.
type routeSeries struct {
	key     routeKey
	seconds prometheus.Observer
	codes   [500]atomic.Pointer[counterBox]
}

// counterBox exists because an interface cannot be stored atomically.
type counterBox struct{ prometheus.Counter }

func (h *httpMetrics) register(r prometheus.Registerer) {
	h.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: prefix + "http_requests_total",
		Help: "Requests answered, by method, route pattern and status.",
	}, []string{"method", "route", "code"})
	h.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    prefix + "http_request_duration_seconds",
		Help:    "How long requests took, by method and route pattern. A stream lasts until its end.",
		Buckets: seconds,
	}, []string{"method", "route"})
	h.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: prefix + "http_requests_in_flight",
		Help: "Requests being answered now, open streams included.",
	})
	r.MustRegister(h.requests, h.seconds, h.inFlight)
	h.routes.Store(&map[routeKey]*routeSeries{})
}

// EnterHTTP counts a request that has begun. LeaveHTTP must follow it.
func (m *Metrics) EnterHTTP() {
	if m != nil {
		m.http.inFlight.Inc()
	}
}

// LeaveHTTP counts a request that has ended.
func (m *Metrics) LeaveHTTP() {
	if m != nil {
		m.http.inFlight.Dec()
	}
}

// ObserveHTTP counts an answered request. route is the pattern that matched,
// such as /v1/workflows/{id}, or empty when none did.
func (m *Metrics) ObserveHTTP(method, route string, status int, d time.Duration) {
	if m == nil {
		return
	}
	s := m.http.series(method, route)
	s.seconds.Observe(d.Seconds())
	m.http.counter(s, status).Inc()
}

func (h *httpMetrics) series(method, route string) *routeSeries {
	key := routeKey{boundedMethod(method), route}
	if s := (*h.routes.Load())[key]; s != nil {
		return s
	}
	return h.addSeries(key)
}

func (h *httpMetrics) addSeries(key routeKey) *routeSeries {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := *h.routes.Load()
	if key.route == "" || (len(now) >= maxRoutes && now[key] == nil) {
		key.route = other
	}
	if s := now[key]; s != nil {
		return s
	}
	s := &routeSeries{key: key, seconds: h.seconds.WithLabelValues(key.method, key.route)}
	next := make(map[routeKey]*routeSeries, len(now)+1)
	for k, v := range now {
		next[k] = v
	}
	next[key] = s
	if key.route == other {
		next[routeKey{key.method, ""}] = s
	}
	h.routes.Store(&next)
	return s
}

func (h *httpMetrics) counter(s *routeSeries, status int) prometheus.Counter {
	place := status - 100
	if place < 0 || place >= len(s.codes) {
		// Not a valid status: one series for all of them.
		return h.requests.WithLabelValues(s.key.method, s.key.route, other)
	}
	if box := s.codes[place].Load(); box != nil {
		return box.Counter
	}
	c := h.requests.WithLabelValues(s.key.method, s.key.route, strconv.Itoa(status))
	s.codes[place].Store(&counterBox{c})
	return c
}

// boundedMethod keeps the methods of HTTP and maps all others to one.
func boundedMethod(method string) string {
	switch method {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE":
		return method
	}
	return other
}
