package cluster_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/ateliertest/cluster"
)

// What each number of nodes did, turn by turn.
type figures struct {
	workflows, startHalf, startLate, endHalf, endLate, chats, chatHalf, chatLate []float64
}

const (
	turns   = 5
	span    = 4 * time.Second // of each of a turn's measurements
	callers = 16
)

// What one, two and three nodes do in the same time, on one machine together with everything that they use: only the
// ratios mean something, and only where the nodes are what is short of processors. The numbers of nodes take turns on
// one cluster, and the medians of the turns count. The table is Markdown, for docs/scale.md.
func TestThroughput(t *testing.T) {
	onlyInFull(t)
	c := cluster.Start(t, cluster.Options{Nodes: 3, NATS: 3, Workers: 2, ActiveWorkflows: 1000})
	ann := c.Account("--spark", "1000000")
	var of [4]figures // by the number of nodes
	for turn := range turns {
		order := []int{1, 2, 3}
		if turn%2 == 1 {
			slices.Reverse(order) // fewer nodes are started, and what grows meanwhile does not count against the same
		}
		for _, nodes := range order {
			c.RunNodes(nodes)
			of[nodes].measure(t, c, ann)
		}
	}
	var table strings.Builder
	table.WriteString("| nodes | workflows/s | started, p50 and p99 ms | ended, p50 and p99 ms | completions/s | p50 and p99 ms |\n| --- | --- | --- | --- | --- | --- |\n")
	for nodes := 1; nodes <= 3; nodes++ {
		f := of[nodes]
		fmt.Fprintf(&table, "| %d | %s | %.0f, %.0f | %.0f, %.0f | %s | %.0f, %.0f |\n", nodes, rate(f.workflows, of[1].workflows), middle(f.startHalf), middle(f.startLate),
			middle(f.endHalf), middle(f.endLate), rate(f.chats, of[1].chats), middle(f.chatHalf), middle(f.chatLate))
	}
	load, _ := os.ReadFile("/proc/loadavg") // for people; only Linux has it
	t.Logf("medians of %d turns of %s, %d clients, %d processors, load %s\n%s", turns, span, callers, runtime.NumCPU(), strings.TrimSpace(string(load)), &table)
}

// measure adds a turn.
func (f *figures) measure(t *testing.T, c *cluster.Cluster, ann cluster.Account) {
	t.Helper()
	who := c.Client(c.URL, ann)
	who.Retries = 2
	workflows := cluster.Measure(t.Context(), callers, span, func(part *cluster.Latencies) error {
		began := time.Now()
		w, err := who.StartWorkflow(t.Context(), picture(0))
		if err != nil {
			return err
		}
		part.Add("start", time.Since(began))
		for _, err := range who.Follow(t.Context(), w.WorkflowID, -1) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	chats := cluster.Measure(t.Context(), callers, span, func(*cluster.Latencies) error { return c.Complete(t.Context(), ann, "say A red fox in the snow.") })
	for _, m := range []*cluster.Measured{workflows, chats} {
		if m.Err != nil {
			t.Error(m.Err)
		}
	}
	f.workflows, f.chats = append(f.workflows, workflows.PerSecond), append(f.chats, chats.PerSecond)
	f.startHalf, f.startLate = append(f.startHalf, workflows.Latencies.Percentile("start", 50)), append(f.startLate, workflows.Latencies.Percentile("start", 99))
	f.endHalf, f.endLate = append(f.endHalf, workflows.Whole(50)), append(f.endLate, workflows.Whole(99))
	f.chatHalf, f.chatLate = append(f.chatHalf, chats.Whole(50)), append(f.chatLate, chats.Whole(99))
}

// rate is the middle of rates, and the middle of their ratios to those of one node in the same turns.
func rate(list, one []float64) string {
	var ratios []float64
	for i := range list {
		ratios = append(ratios, list[i]/one[i])
	}
	return fmt.Sprintf("%.0f (%.2f)", middle(list), middle(ratios))
}

func middle(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
