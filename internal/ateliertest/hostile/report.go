package hostile

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// How large the server may become, and how much slower than alone an honest
// account is to be served.
const (
	MaxMemory = 600 << 20
	MaxRatio  = 3
)

// Samples are the latencies of the honest requests of one kind.
type Samples struct {
	Quiet, Attacked []time.Duration
	Failed          []string // what failed, alone or beside attackers
}

// Report is what a run has measured.
type Report struct {
	mu      sync.Mutex
	Kinds   map[string]*Samples
	Server  int64 // the largest resident memory of the server process, in bytes
	Renders int64 // the largest sum over its child processes
	Attacks map[string]Tries
}

// Tries are how often an attack was made, and how long that took in all.
type Tries struct {
	Number int
	Took   time.Duration
}

func (t Tries) add(took time.Duration) Tries { return Tries{t.Number + 1, t.Took + took} }

func newReport() *Report { return &Report{Kinds: map[string]*Samples{}} }

// add notes one honest request.
func (r *Report) add(kind string, attacked bool, took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.Kinds[kind]
	if s == nil {
		s = &Samples{}
		r.Kinds[kind] = s
	}
	switch {
	case err != nil:
		s.Failed = append(s.Failed, err.Error())
	case attacked:
		s.Attacked = append(s.Attacked, took)
	default:
		s.Quiet = append(s.Quiet, took)
	}
}

// The least latency that a ratio is taken of: on two cores that other
// programs use too, a hiccup of this length happens without attackers.
const floor = 15 * time.Millisecond

// Ratio is the 99th percentile beside attackers over the one without.
func (s *Samples) Ratio() float64 {
	return float64(percentile(s.Attacked, 0.99)) / float64(max(floor, percentile(s.Quiet, 0.99)))
}

// P99 is the 99th percentile beside attackers, and without.
func (s *Samples) P99() (attacked, quiet time.Duration) {
	return percentile(s.Attacked, 0.99), percentile(s.Quiet, 0.99)
}

func percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*p))]
}

// String is the report as a table.
func (r *Report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %8s %10s %10s %8s %10s %10s %7s %7s\n", "", "quiet", "p50", "p99", "attacked", "p50", "p99", "ratio", "failed")
	for _, kind := range slices.Sorted(keys(r.Kinds)) {
		s := r.Kinds[kind]
		fmt.Fprintf(&b, "%-10s %8d %10s %10s %8d %10s %10s %7.1f %7d\n", kind,
			len(s.Quiet), short(percentile(s.Quiet, 0.5)), short(percentile(s.Quiet, 0.99)),
			len(s.Attacked), short(percentile(s.Attacked, 0.5)), short(percentile(s.Attacked, 0.99)), s.Ratio(), len(s.Failed))
		for _, f := range s.Failed[:min(3, len(s.Failed))] {
			fmt.Fprintf(&b, "           %s\n", f)
		}
	}
	fmt.Fprintf(&b, "server at most %d MB, its children together at most %d MB\n", r.Server>>20, r.Renders>>20)
	for _, name := range slices.Sorted(keys(r.Attacks)) {
		a := r.Attacks[name]
		fmt.Fprintf(&b, "  %-26s %4d times, %s each\n", name, a.Number, short(a.Took/time.Duration(a.Number)))
	}
	return b.String()
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func short(d time.Duration) string { return d.Round(100 * time.Microsecond).String() }
