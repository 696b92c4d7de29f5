package telemetry

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Counter only goes up. Its zero value counts nothing.
type Counter struct {
	vec  *prometheus.CounterVec
	only prometheus.Counter // set when there are no labels
}

// Counter makes the counter atelier_<name>. Asking twice for the same counter
// gives the same one; the same name with other labels or help is a mistake in
// the program and panics.
func (m *Metrics) Counter(name, help string, labels ...string) Counter {
	if m == nil {
		return Counter{}
	}
	c := Counter{vec: register(m, prometheus.NewCounterVec(
		prometheus.CounterOpts{Name: prefix + name, Help: help}, labels))}
	if len(labels) == 0 {
		c.only = c.vec.WithLabelValues()
	}
	return c
}

// Inc adds one. Values are given in the order of the counter's labels and must
// come from a small set.
func (c Counter) Inc(labelValues ...string) { c.Add(1, labelValues...) }

// Add adds n, which must not be negative.
func (c Counter) Add(n float64, labelValues ...string) {
	switch {
	case c.only != nil:
		c.only.Add(n)
	case c.vec != nil:
		c.vec.WithLabelValues(labelValues...).Add(n)
	}
}

// Gauge goes up and down. Its zero value shows nothing.
type Gauge struct {
	vec  *prometheus.GaugeVec
	only prometheus.Gauge // set when there are no labels
}

// Gauge makes the gauge atelier_<name>, by the rules of Counter.
func (m *Metrics) Gauge(name, help string, labels ...string) Gauge {
	if m == nil {
		return Gauge{}
	}
	g := Gauge{vec: register(m, prometheus.NewGaugeVec(
		prometheus.GaugeOpts{Name: prefix + name, Help: help}, labels))}
	if len(labels) == 0 {
		g.only = g.vec.WithLabelValues()
	}
	return g
}

// Set shows v.
func (g Gauge) Set(v float64, labelValues ...string) {
	switch {
	case g.only != nil:
		g.only.Set(v)
	case g.vec != nil:
		g.vec.WithLabelValues(labelValues...).Set(v)
	}
}

// Add moves the gauge by n, down when n is negative.
func (g Gauge) Add(n float64, labelValues ...string) {
	switch {
	case g.only != nil:
		g.only.Add(n)
	case g.vec != nil:
		g.vec.WithLabelValues(labelValues...).Add(n)
	}
}

// GaugeFunc makes the gauge atelier_<name>, whose value is read at each scrape. value must
// be quick and safe for concurrent use. A name can be used only once.
func (m *Metrics) GaugeFunc(name, help string, value func() float64) {
	if m != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(
			prometheus.GaugeOpts{Name: prefix + name, Help: help}, value))
	}
}

// Gauges makes the gauge atelier_<name> with labels, whose values are read at each scrape. read
// calls set once for each set of label values, and must be quick and safe for concurrent use.
// A name can be used only once.
func (m *Metrics) Gauges(name, help string, labels []string, read func(set func(v float64, labelValues ...string))) {
	if m != nil {
		m.registry.MustRegister(gauges{prometheus.NewDesc(prefix+name, help, labels, nil), read})
	}
}

// gauges collects the values of Gauges.
type gauges struct {
	desc *prometheus.Desc
	read func(set func(v float64, labelValues ...string))
}

func (g gauges) Describe(out chan<- *prometheus.Desc) { out <- g.desc }

func (g gauges) Collect(out chan<- prometheus.Metric) {
	g.read(func(v float64, labelValues ...string) {
		out <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, v, labelValues...)
	})
}

// Histogram counts observations by size. Its zero value counts nothing.
type Histogram struct {
	vec  *prometheus.HistogramVec
	only prometheus.Observer // set when there are no labels
}

// seconds are the buckets for how long things take: from a cached answer to a
// long render.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// Histogram makes the histogram atelier_<name>, by the rules of Counter. Nil
// buckets suit durations in seconds.
func (m *Metrics) Histogram(name, help string, buckets []float64, labels ...string) Histogram {
	if m == nil {
		return Histogram{}
	}
	if buckets == nil {
		buckets = seconds
	}
	h := Histogram{vec: register(m, prometheus.NewHistogramVec(
		prometheus.HistogramOpts{Name: prefix + name, Help: help, Buckets: buckets}, labels))}
	if len(labels) == 0 {
		h.only = h.vec.WithLabelValues()
	}
	return h
}

// Observe counts one observation.
func (h Histogram) Observe(v float64, labelValues ...string) {
	switch {
	case h.only != nil:
		h.only.Observe(v)
	case h.vec != nil:
		h.vec.WithLabelValues(labelValues...).Observe(v)
	}
}

// register adds a collector, or finds the equal one that is there already.
func register[C prometheus.Collector](m *Metrics, c C) C {
	err := m.registry.Register(c)
	var twice prometheus.AlreadyRegisteredError
	if errors.As(err, &twice) {
		if there, ok := twice.ExistingCollector.(C); ok {
			return there
		}
	}
	if err != nil {
		panic("telemetry: " + err.Error())
	}
	return c
}
