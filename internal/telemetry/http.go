package telemetry

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"
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
	requests *family
	seconds  *family
	inFlight *series

	routes atomic.Pointer[map[routeKey]*routeSeries]
	mu     sync.Mutex // held to replace routes
}

type routeKey struct{ method, route string }

// routeSeries are the series of one route. codes holds the counter of each status from 100
// to 599, filled as statuses appear; index 0 is for all others.
type routeSeries struct {
	key     routeKey
	seconds *series
	codes   [500]atomic.Pointer[series]
}

func (h *httpMetrics) register(m *Metrics) {
	h.requests = m.Counter("http_requests_total", "Requests answered, by method, route pattern and status.", "method", "route", "code").family
	h.seconds = m.Histogram("http_request_duration_seconds",
		"How long requests took, by method and route pattern. A stream lasts until its end.", nil, "method", "route").family
	h.inFlight = m.Gauge("http_requests_in_flight", "Requests being answered now, open streams included.").only
	h.routes.Store(&map[routeKey]*routeSeries{})
}

// EnterHTTP counts a request that has begun. LeaveHTTP must follow it.
func (m *Metrics) EnterHTTP() {
	if m != nil {
		m.http.inFlight.add(1)
	}
}

// LeaveHTTP counts a request that has ended.
func (m *Metrics) LeaveHTTP() {
	if m != nil {
		m.http.inFlight.add(-1)
	}
}

// ObserveHTTP counts an answered request. route is the pattern that matched,
// such as /v1/workflows/{id}, or empty when none did.
func (m *Metrics) ObserveHTTP(method, route string, status int, d time.Duration) {
	if m == nil {
		return
	}
	s := m.http.series(method, route)
	s.seconds.observe(d.Seconds())
	m.http.counter(s, status).add(1)
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
	s := &routeSeries{key: key, seconds: h.seconds.at(key.method, key.route)}
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

func (h *httpMetrics) counter(s *routeSeries, status int) *series {
	place := status - 100
	if place < 0 || place >= len(s.codes) {
		// Not a valid status: one series for all of them.
		return h.requests.at(s.key.method, s.key.route, other)
	}
	if c := s.codes[place].Load(); c != nil {
		return c
	}
	c := h.requests.at(s.key.method, s.key.route, strconv.Itoa(status))
	s.codes[place].Store(c)
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
