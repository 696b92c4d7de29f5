package cluster

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Latencies are how long requests took, by their kind. Many may add to them at once.
type Latencies struct {
	mu   sync.Mutex
	took map[string][]time.Duration
}

// Add takes one down.
func (l *Latencies) Add(kind string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.took == nil {
		l.took = map[string][]time.Duration{}
	}
	l.took[kind] = append(l.took[kind], took)
}

// Kinds are those that were taken down, in order.
func (l *Latencies) Kinds() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.took))
}

// Count is how many of a kind were taken down.
func (l *Latencies) Count(kind string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.took[kind])
}

// Percentile is what p of a hundred of a kind did not exceed, in milliseconds.
func (l *Latencies) Percentile(kind string, p int) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	sorted := slices.Sorted(slices.Values(l.took[kind]))
	if len(sorted) == 0 {
		return 0
	}
	return float64(sorted[max((len(sorted)*p+99)/100, 1)-1].Microseconds()) / 1000
}
