package telemetry

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// kind is the type of a metric, by the word that Prometheus reads.
type kind string

const (
	counter   kind = "counter"
	gauge     kind = "gauge"
	histogram kind = "histogram"
)

// family is one metric with its series. What is only known at a scrape has read instead of
// series that are kept.
type family struct {
	name, help string
	kind       kind
	labels     []string
	buckets    []float64 // upper bounds of a histogram, ascending; one bucket more has the rest
	read       func(set func(v float64, labelValues ...string))

	mu     sync.RWMutex
	series map[string]*series // by the label values, each ended by a byte that UTF-8 does not have
}

// series is one set of label values, as they are written, and its number.
type series struct {
	labels  string
	bits    atomic.Uint64 // of the value; of the sum of a histogram
	buckets []float64
	counts  []atomic.Uint64 // observations of each bucket
}

// at finds or makes the series of these values. A wrong number of them is a mistake in the program.
func (f *family) at(values ...string) *series {
	if len(values) != len(f.labels) {
		panic(fmt.Sprintf("telemetry: %s has the labels %q, not values %q", f.name, f.labels, slices.Clone(values)))
	}
	key := make([]byte, 0, 128) // stays on the stack: finding a series allocates nothing
	for _, v := range values {
		key = append(append(key, strings.ToValidUTF8(v, "\uFFFD")...), 0xff)
	}
	f.mu.RLock()
	s := f.series[string(key)]
	f.mu.RUnlock()
	if s == nil {
		s = f.add(string(key), values)
	}
	return s
}

func (f *family) add(key string, values []string) *series {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s := f.series[key]; s != nil {
		return s
	}
	s := &series{labels: pairs(f.labels, values), buckets: f.buckets}
	if f.kind == histogram {
		s.counts = make([]atomic.Uint64, len(f.buckets)+1)
	}
	if f.series == nil {
		f.series = map[string]*series{}
	}
	f.series[key] = s
	return s
}

// sameAs reports whether other is the same metric, asked for once more.
func (f *family) sameAs(other *family) bool {
	return f.read == nil && other.read == nil && f.kind == other.kind && f.help == other.help &&
		slices.Equal(f.labels, other.labels) && slices.Equal(f.buckets, other.buckets)
}

func (s *series) value() float64 { return math.Float64frombits(s.bits.Load()) }

func (s *series) set(v float64) { s.bits.Store(math.Float64bits(v)) }

func (s *series) add(v float64) {
	for {
		was := s.bits.Load()
		if s.bits.CompareAndSwap(was, math.Float64bits(math.Float64frombits(was)+v)) {
			return
		}
	}
}

func (s *series) observe(v float64) {
	s.counts[sort.SearchFloat64s(s.buckets, v)].Add(1)
	s.add(v)
}

// exponential are n bounds of buckets, each by factor larger than the one before.
func exponential(first, factor float64, n int) []float64 {
	bounds := make([]float64, n)
	for i := range bounds {
		bounds[i] = first
		first *= factor
	}
	return bounds
}
