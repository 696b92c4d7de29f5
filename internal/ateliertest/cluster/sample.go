package cluster

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sample is how large a node was at a moment.
type Sample struct {
	Heap       float64 // MB that were live when the garbage collector ended last
	Resident   float64 // MB
	Goroutines float64
	Files      float64 // open descriptors
}

// Sample asks the node how large it is.
//
// What is live of the heap is what the collector set its next goal from: the goal is so much more than it as GOGC says.
// Unlike the heap in use it does not depend on when in the cycle of the collector it is read.
func (n *Node) Sample() (s Sample, err error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(n.URL + "/metrics")
	if err != nil {
		return s, err
	}
	defer resp.Body.Close()
	values := map[string]float64{"go_memstats_next_gc_bytes": 0, "go_gc_gogc_percent": 0, "go_goroutines": 0, "process_resident_memory_bytes": 0, "process_open_fds": 0}
	found := 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), " ")
		if _, wanted := values[name]; !wanted {
			continue
		}
		if values[name], err = strconv.ParseFloat(text, 64); err != nil {
			return s, fmt.Errorf("%s of %s: %w", name, n.name, err)
		}
		found++
	}
	if found != len(values) {
		return s, fmt.Errorf("%s has %d of the metrics %v", n.name, found, values)
	}
	return Sample{
		Heap:     values["go_memstats_next_gc_bytes"] / (1 + values["go_gc_gogc_percent"]/100) / (1 << 20),
		Resident: values["process_resident_memory_bytes"] / (1 << 20), Goroutines: values["go_goroutines"], Files: values["process_open_fds"],
	}, nil
}

// Level asks the node.
func (n *Node) Level() (l Level, err error) {
	s, err := n.Sample()
	if err != nil {
		return l, err
	}
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", n.pid()))
	return Level{int(s.Goroutines), len(open)}, err
}

// sampleEvery is how often nodes are asked in a soak.
const sampleEvery = time.Second

// Watch asks the node again and again until ctx ends.
func (n *Node) Watch(ctx context.Context) (list []Sample, err error) {
	for tick := time.NewTicker(sampleEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return list, nil
		case <-tick.C:
		}
		s, err := n.Sample()
		if err != nil {
			return list, err
		}
		list = append(list, s)
	}
}

// quantile is what p of a hundred samples do not exceed in a property.
func quantile(list []Sample, p int, of func(Sample) float64) float64 {
	if len(list) == 0 {
		return 0
	}
	var values []float64
	for _, s := range list {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[(len(values)-1)*p/100]
}
