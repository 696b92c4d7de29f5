package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Soak is a long time of work. Several accounts work, each does one thing after the other, and which is decided by the
// seed. After a first fifth, in which caches fill, the rest is three thirds that are compared.
type Soak struct {
	c     *Cluster
	loads []*Load // of each account

	thirds [3]*third
	before Level
}

// third is what was seen in a third of the time.
type third struct {
	latencies Latencies
	samples   [][]Sample // of each node
}

// tenants is how many accounts work. Each keeps streams open besides.
const (
	tenants     = 6
	keptStreams = 4
)

// mix is what they do, and how often.
var mix = []struct {
	name   string
	weight int
	do     func(*Load, context.Context) error
}{
	{"workflow", 5, (*Load).workflow}, {"workflow with media", 2, (*Load).mediaWorkflow}, {"template", 2, (*Load).template},
	{"run", 4, (*Load).run}, {"chat, streamed", 6, (*Load).chat}, {"chat, whole", 6, (*Load).wholeChat},
	{"lists", 4, (*Load).lists}, {"webhook", 1, (*Load).webhook}, {"health", 4, (*Load).health},
}

// NewSoak opens the accounts, and has each of them do everything once.
func NewSoak(c *Cluster) *Soak {
	c.t.Helper()
	s := &Soak{c: c, thirds: [3]*third{{}, {}, {}}}
	for range tenants {
		l := NewLoad(c)
		l.Strict()
		s.loads = append(s.loads, l)
	}
	s.each(func(l *Load) {
		for _, action := range mix {
			s.do(l, action.do)
		}
	})
	return s
}

func (s *Soak) each(do func(*Load)) {
	var wg sync.WaitGroup
	for _, l := range s.loads {
		wg.Go(func() { do(l) })
	}
	wg.Wait()
}

func (s *Soak) do(l *Load, action func(*Load, context.Context) error) {
	ctx, cancel := context.WithTimeout(s.c.t.Context(), patience)
	defer cancel()
	if err := action(l, ctx); err != nil {
		l.fault("%w", err)
	}
}

// Run works for a time. It returns when all that was begun is over.
func (s *Soak) Run(span time.Duration) {
	s.c.t.Helper()
	warm := span / 5
	s.work(warm, nil)
	s.before = s.c.Levels()
	for _, seen := range s.thirds {
		s.work((span-warm)/time.Duration(len(s.thirds)), seen)
	}
}

// work works for a time, with the streams open, and watches the nodes.
func (s *Soak) work(span time.Duration, seen *third) {
	s.c.t.Helper()
	ctx, cancel := context.WithCancel(s.c.t.Context())
	var watching sync.WaitGroup
	var latencies *Latencies
	if seen != nil {
		latencies = &seen.latencies
		seen.samples = make([][]Sample, len(s.c.Nodes))
		for i, n := range s.c.Nodes {
			watching.Go(func() {
				var err error
				if seen.samples[i], err = n.Watch(ctx); err != nil {
					s.c.t.Errorf("watch %s: %v", n.name, err)
				}
			})
		}
	}
	for _, l := range s.loads {
		for range keptStreams {
			watching.Go(func() {
				if err := keepOpen(ctx, s.c.URL+"/v1/events/stream", l.Ann.Key); err != nil {
					l.fault("a stream that is kept open: %w", err)
				}
			})
		}
	}
	until := time.Now().Add(span)
	s.each(func(l *Load) {
		l.latencies.Store(latencies)
		for time.Now().Before(until) && s.c.t.Context().Err() == nil {
			s.do(l, l.pickAction())
		}
		l.latencies.Store(nil)
	})
	cancel()
	watching.Wait()
}

// pickAction draws what an account does next.
func (l *Load) pickAction() func(*Load, context.Context) error {
	total := 0
	for _, action := range mix {
		total += action.weight
	}
	n := l.upTo(total)
	for _, action := range mix {
		if n -= action.weight; n < 0 {
			return action.do
		}
	}
	return nil // not reached: n is less than the total
}

// keepOpen reads a stream until ctx ends. A stream that ends before is a fault.
func keepOpen(ctx context.Context, url, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
	}
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("it ended: %w", errors.Join(lines.Err(), errEnded))
}

var errEnded = errors.New("its reader had not ended it")

// Check holds the service to what each account knows, and the nodes to what they were at first.
func (s *Soak) Check() {
	t := s.c.t
	t.Helper()
	for _, l := range s.loads {
		l.Check()
	}
	t.Logf("requests, in milliseconds\n%s", s.latencies())
	t.Logf("the nodes in each third\n%s", s.sizes())
	first, last := s.thirds[0], s.thirds[len(s.thirds)-1]
	for i, n := range s.c.Nodes {
		for _, size := range sizes {
			was, is := size.of(first.samples[i]), size.of(last.samples[i])
			if limit := size.limit(was); is > limit {
				t.Errorf("%s of %s grew from %.1f to %.1f, more than to %.1f", size.name, n.name, was, is, limit)
			}
		}
	}
	s.c.AwaitLevels(s.before)
}

// sizes are those that must not grow from the first third to the last.
//
// A bound has to let pass what differs between two thirds of a healthy node, on a machine that may be busy with other
// things. What is live of the heap has what is under way when the collector ends: a picture that is decoded then adds
// ten megabytes. It only adds, so the least of a third is compared, the tenth of a hundred. That differed by two
// megabytes in two minutes, in which caches fill, and by four in a quarter of an hour, up and down; the bound is twice
// that. The resident size also has what the collector has not collected yet and gives back late, so it is bounded
// widely, for memory that is not of the heap. What grows for ever passes every bound in the end: the longer a soak, the
// less a request may leave behind.
var sizes = []struct {
	name  string
	of    func([]Sample) float64
	limit func(was float64) float64
}{
	{"live heap at least, MB", func(l []Sample) float64 { return quantile(l, 10, func(s Sample) float64 { return s.Heap }) }, func(was float64) float64 { return was + 8 }},
	{"resident, MB", func(l []Sample) float64 { return quantile(l, 50, func(s Sample) float64 { return s.Resident }) }, func(was float64) float64 { return was*1.25 + 16 }},
	{"goroutines", func(l []Sample) float64 { return quantile(l, 50, func(s Sample) float64 { return s.Goroutines }) }, func(was float64) float64 { return was + spare }},
	{"open files", func(l []Sample) float64 { return quantile(l, 50, func(s Sample) float64 { return s.Files }) }, func(was float64) float64 { return was + spare }},
}

// latencies is a table of the requests of each third.
func (s *Soak) latencies() string {
	var kinds []string
	for _, seen := range s.thirds {
		kinds = append(kinds, seen.latencies.Kinds()...)
	}
	slices.Sort(kinds)
	var table strings.Builder
	fmt.Fprintf(&table, "%-22s %22s %22s %22s\n%-22s", "", "first third", "second", "third", "")
	for range s.thirds {
		fmt.Fprintf(&table, " %6s %7s %7s", "number", "p50", "p99")
	}
	for _, kind := range slices.Compact(kinds) {
		fmt.Fprintf(&table, "\n%-22s", kind)
		for _, seen := range s.thirds {
			l := &seen.latencies
			fmt.Fprintf(&table, " %6d %7.1f %7.1f", l.Count(kind), l.Percentile(kind, 50), l.Percentile(kind, 99))
		}
	}
	return table.String()
}

// sizes is a table of how large the nodes were in each third.
func (s *Soak) sizes() string {
	var table strings.Builder
	for i, n := range s.c.Nodes {
		for _, size := range sizes {
			fmt.Fprintf(&table, "%-8s %-22s", n.name, size.name)
			for _, one := range s.thirds {
				fmt.Fprintf(&table, " %8.1f", size.of(one.samples[i]))
			}
			fmt.Fprintln(&table)
		}
	}
	return table.String()
}
