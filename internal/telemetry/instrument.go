package telemetry

// instrument is what Counter, Gauge and Histogram share.
type instrument struct {
	family *family
	only   *series // set when there are no labels
}

// instrument makes or finds the metric atelier_<name>.
func (m *Metrics) instrument(kind kind, name, help string, buckets []float64, labels []string) instrument {
	if m == nil {
		return instrument{}
	}
	i := instrument{family: m.register(&family{name: prefix + name, help: help, kind: kind, labels: labels, buckets: buckets})}
	if len(labels) == 0 {
		i.only = i.family.at()
	}
	return i
}

// at is the series of these values, or nil when nothing is measured.
func (i instrument) at(labelValues []string) *series {
	if i.only != nil || i.family == nil {
		return i.only
	}
	return i.family.at(labelValues...)
}

// Counter only goes up. Its zero value counts nothing.
type Counter struct{ instrument }

// Counter makes the counter atelier_<name>. Asking twice for the same counter
// gives the same one; the same name with other labels or help is a mistake in
// the program and panics.
func (m *Metrics) Counter(name, help string, labels ...string) Counter {
	return Counter{m.instrument(counter, name, help, nil, labels)}
}

// Inc adds one. Values are given in the order of the counter's labels and must
// come from a small set.
func (c Counter) Inc(labelValues ...string) { c.Add(1, labelValues...) }

// Add adds n, which must not be negative.
func (c Counter) Add(n float64, labelValues ...string) {
	if n < 0 {
		panic("telemetry: a counter cannot go down")
	}
	if s := c.at(labelValues); s != nil {
		s.add(n)
	}
}

// Gauge goes up and down. Its zero value shows nothing.
type Gauge struct{ instrument }

// Gauge makes the gauge atelier_<name>, by the rules of Counter.
func (m *Metrics) Gauge(name, help string, labels ...string) Gauge {
	return Gauge{m.instrument(gauge, name, help, nil, labels)}
}

// Set shows v.
func (g Gauge) Set(v float64, labelValues ...string) {
	if s := g.at(labelValues); s != nil {
		s.set(v)
	}
}

// Add moves the gauge by n, down when n is negative.
func (g Gauge) Add(n float64, labelValues ...string) {
	if s := g.at(labelValues); s != nil {
		s.add(n)
	}
}

// GaugeFunc makes the gauge atelier_<name>, whose value is read at each scrape. value must
// be quick and safe for concurrent use. A name can be used only once.
func (m *Metrics) GaugeFunc(name, help string, value func() float64) {
	m.Gauges(name, help, nil, func(set func(v float64, labelValues ...string)) { set(value()) })
}

// Gauges makes the gauge atelier_<name> with labels, whose values are read at each scrape. read
// calls set once for each set of label values, and must be quick and safe for concurrent use.
// A name can be used only once.
func (m *Metrics) Gauges(name, help string, labels []string, read func(set func(v float64, labelValues ...string))) {
	if m != nil {
		m.register(&family{name: prefix + name, help: help, kind: gauge, labels: labels, read: read})
	}
}

// Histogram counts observations by size. Its zero value counts nothing.
type Histogram struct{ instrument }

// seconds are the buckets for how long things take: from a cached answer to a
// long render.
var seconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300}

// Histogram makes the histogram atelier_<name>, by the rules of Counter. Nil
// buckets suit durations in seconds.
func (m *Metrics) Histogram(name, help string, buckets []float64, labels ...string) Histogram {
	if buckets == nil {
		buckets = seconds
	}
	return Histogram{m.instrument(histogram, name, help, buckets, labels)}
}

// Observe counts one observation.
func (h Histogram) Observe(v float64, labelValues ...string) {
	if s := h.at(labelValues); s != nil {
		s.observe(v)
	}
}
