package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/ateliertest/cluster"
)

// What one, two and three nodes do in the same time, on one machine together with everything that they use: only the
// ratios mean something, and only where the nodes are what is short of processors.
func TestThroughput(t *testing.T) {
	onlyInFull(t)
	var table strings.Builder
	fmt.Fprintf(&table, "%5s  %14s  %8s  %14s  %8s\n", "nodes", "workflows/s", "p99 ms", "completions/s", "p99 ms")
	for nodes := 1; nodes <= 3; nodes++ {
		t.Run(fmt.Sprintf("nodes=%d", nodes), func(t *testing.T) {
			c := cluster.Start(t, cluster.Options{Nodes: nodes, NATS: 3, Workers: 2, ActiveWorkflows: 1000})
			ann := c.Account("--spark", "1000000")
			who := c.Client(c.URL, ann)
			who.Retries = 2
			workflows := cluster.Measure(t.Context(), 16, span, func() error {
				w, err := who.StartWorkflow(t.Context(), picture(0))
				if err != nil {
					return err
				}
				for _, err := range who.Follow(t.Context(), w.WorkflowID, -1) {
					if err != nil {
						return err
					}
				}
				return nil
			})
			chats := cluster.Measure(t.Context(), 16, span, func() error { return c.Complete(t.Context(), ann, "say A red fox in the snow.") })
			for _, m := range []cluster.Measured{workflows, chats} {
				if m.Err != nil {
					t.Error(m.Err)
				}
			}
			fmt.Fprintf(&table, "%5d  %14.1f  %8d  %14.1f  %8d\n", nodes, workflows.PerSecond, workflows.P99.Milliseconds(), chats.PerSecond, chats.P99.Milliseconds())
		})
	}
	t.Logf("\n%s", &table)
}

const span = 10 * time.Second
