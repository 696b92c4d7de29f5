package cluster_test

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/ateliertest/cluster"
)

func TestMain(m *testing.M) {
	cluster.Main()
	os.Exit(m.Run())
}

// isShort leaves to make test-cluster what make check has no time for.
func isShort() bool { return os.Getenv("ATELIER_TEST_CLUSTER") == "short" }

func onlyInFull(t *testing.T) {
	t.Helper()
	if isShort() {
		t.Skip("left out: make test-cluster runs it")
	}
}

// picture is a workflow of one picture, whose render takes some milliseconds.
func picture(ms int) client.Start {
	return client.Start{Steps: []atelier.StepInput{{
		ID: "a", ToolName: "generate_image", Arguments: map[string]any{"prompt": fmt.Sprintf("a red fox in %dms", ms), "width": 256, "height": 256},
	}}}
}

const long = 10 * 60 * 1000 // milliseconds: it ends when it is told to

// The nodes are one service: what is done on one shows on the others, and every limit and every end is that of all.
func TestCluster(t *testing.T) {
	for name, o := range map[string]cluster.Options{
		"three nodes with NATS":    {Nodes: 3, NATS: 3, Workers: 2},
		"two nodes and PostgreSQL": {Nodes: 2, Workers: 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := cluster.Start(t, o)
			t.Run("streams", func(t *testing.T) { streams(t, c) })
			t.Run("cancel", func(t *testing.T) { cancel(t, c) })
			t.Run("revoke", func(t *testing.T) { revoke(t, c) })
			t.Run("limits", func(t *testing.T) { limits(t, c) })
			if o.NATS > 0 {
				t.Run("NATS is away", func(t *testing.T) { natsAway(t, c) })
			}
		})
	}
}

// streams opens a stream on each node, and starts the work on another.
func streams(t *testing.T, c *cluster.Cluster) {
	ann := c.Account("--spark", "1000")
	for i, from := range c.Nodes {
		at := c.Nodes[(i+1)%len(c.Nodes)]
		w, err := c.Client(from.URL, ann).StartWorkflow(t.Context(), picture(200))
		if err != nil {
			t.Fatal(err)
		}
		var last atelier.Status
		for u, err := range c.Client(at.URL, ann).Follow(t.Context(), w.WorkflowID, -1) {
			if err != nil {
				t.Fatalf("started at %s, followed at %s: %v", from.URL, at.URL, err)
			}
			if u.Status != nil {
				last = u.Status.Status
			}
		}
		if last != atelier.StatusCompleted {
			t.Errorf("started at %s, followed at %s: it is %s", from.URL, at.URL, last)
		}
	}
}

// cancel cancels on one node what was started on a second and is followed on a third.
func cancel(t *testing.T, c *cluster.Cluster) {
	ann := c.Account("--spark", "1000")
	for i, from := range c.Nodes {
		at, by := c.Nodes[(i+1)%len(c.Nodes)], c.Nodes[(i+2)%len(c.Nodes)]
		w, err := c.Client(from.URL, ann).StartWorkflow(t.Context(), picture(long))
		if err != nil {
			t.Fatal(err)
		}
		c.AwaitLeased(1)
		var last atelier.Status
		for u, err := range c.Client(at.URL, ann).Follow(t.Context(), w.WorkflowID, -1) {
			if err != nil {
				t.Fatal(err)
			}
			if u.Status != nil {
				last = u.Status.Status
			}
			if u.Event != nil && u.Event.Sequence == 0 {
				if _, err := c.Client(by.URL, ann).CancelWorkflow(t.Context(), w.WorkflowID); err != nil {
					t.Fatal(err)
				}
			}
		}
		if last != atelier.StatusCancelled {
			t.Errorf("cancelled at %s: it is %s at %s", by.URL, last, at.URL)
		}
	}
	c.AwaitFreeWorkers()
}

// revoke revokes a key: every node refuses it from then on, and ends the streams that were opened with it.
func revoke(t *testing.T, c *cluster.Cluster) {
	ann := c.Account("--spark", "1000")
	w, err := c.Client(c.URL, ann).StartWorkflow(t.Context(), picture(long))
	if err != nil {
		t.Fatal(err)
	}
	open := make(chan error, len(c.Nodes))
	seen := make(chan bool, len(c.Nodes))
	for _, n := range c.Nodes {
		go func() {
			first := true
			for _, err := range c.Client(n.URL, ann).Follow(t.Context(), w.WorkflowID, -1) {
				if first {
					seen <- true
				}
				first = false
				if err != nil {
					open <- err
					return
				}
			}
			open <- nil
		}()
	}
	for range c.Nodes {
		<-seen
	}
	c.Run("key", "revoke", ann.Key)
	for _, n := range c.Nodes {
		if _, err := c.Client(n.URL, ann).Workflow(t.Context(), w.WorkflowID); !client.Is(err, http.StatusUnauthorized) {
			t.Errorf("%s with a revoked key: %v, want 401", n.URL, err)
		}
	}
	for range c.Nodes {
		if err := <-open; err == nil || client.Is(err, http.StatusInternalServerError) {
			t.Errorf("a stream with a revoked key: %v, want its end", err)
		}
	}
	c.Run("account", "suspend", ann.Wallet) // ends the work
	c.AwaitFreeWorkers()
}

// limits starts more than an account may have under way, and more than it can pay, on all nodes at once.
func limits(t *testing.T, c *cluster.Cluster) {
	many := c.Account("--spark", "1000")
	accepted, refused := startAll(t, c, many, 2*cluster.ActiveWorkflows, picture(long))
	if accepted != cluster.ActiveWorkflows || refused[http.StatusTooManyRequests]+refused[http.StatusConflict] != cluster.ActiveWorkflows {
		t.Errorf("%d starts were accepted, want %d; refused: %v", accepted, cluster.ActiveWorkflows, refused)
	}
	c.Run("account", "suspend", many.Wallet)
	c.AwaitFreeWorkers()

	price := c.Price(picture(0))
	poor := c.Account("--spark", (2*price + price/2).String())
	if accepted, refused = startAll(t, c, poor, 6, picture(0)); accepted+refused[http.StatusPaymentRequired] != 6 {
		t.Errorf("%d starts were accepted; refused: %v", accepted, refused)
	}
	c.AwaitFreeWorkers()
	list, _, err := c.Client(c.URL, poor).Workflows(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, w := range list {
		switch {
		case w.Status == atelier.StatusCompleted:
			made++
		case w.Status != atelier.StatusWaitingForUser || w.WaitingReason != atelier.WaitCredit:
			t.Errorf("a workflow without the money is %s, waiting for %q", w.Status, w.WaitingReason)
		}
	}
	if made != 2 {
		t.Errorf("%d pictures were made with the money for 2, at %s", made, price)
	}
}

// startAll starts workflows at once, on all nodes in turn.
func startAll(t *testing.T, c *cluster.Cluster, who cluster.Account, many int, s client.Start) (accepted int, refused map[int]int) {
	t.Helper()
	results := make(chan error, many)
	for i := range many {
		go func() {
			_, err := c.Client(c.Nodes[i%len(c.Nodes)].URL, who).StartWorkflow(t.Context(), s)
			results <- err
		}()
	}
	refused = map[int]int{}
	for range many {
		err := <-results
		if err == nil {
			accepted++
			continue
		}
		var e *client.Error
		if !asError(err, &e) {
			t.Fatal(err)
		}
		refused[e.Status]++
	}
	return accepted, refused
}

// natsAway has the nodes work while NATS is lost to all of them, stalls, and is back.
func natsAway(t *testing.T, c *cluster.Cluster) {
	l := cluster.NewLoad(c)
	for _, stall := range []bool{false, true} {
		c.LoseNATS(stall)
		for _, n := range c.Nodes {
			c.AwaitBus(n, "failing")
		}
		l.Work(t.Context(), 16)
		l.Check()
		c.FindNATS()
		for _, n := range c.Nodes {
			c.AwaitBus(n, "ok")
		}
	}
}

// Nodes are replaced one after the other while clients work, and no request fails: by the same program, and
// from the one
// that ATELIER_TEST_OLD_PROGRAM names to this one.
func TestRollingRestart(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3, NATS: 3, Workers: 2})
	l := cluster.NewLoad(c)
	old := os.Getenv("ATELIER_TEST_OLD_PROGRAM")
	if old == "" {
		t.Log("ATELIER_TEST_OLD_PROGRAM names no earlier program: there is no release before this one, so it is restarted as it is")
	} else {
		for _, n := range c.Nodes {
			n.Stop()
		}
		for _, n := range c.Nodes {
			n.Use(old)
			n.Start()
		}
	}
	l.Strict()
	l.Until(func() {
		for _, n := range c.Nodes {
			n.Stop()
			n.Use(c.Programs.Service)
			n.Start()
		}
	})
	l.Check()
	if n := l.Accepted(); n < 20 {
		t.Errorf("only %d requests for work during the restart", n)
	}
}
