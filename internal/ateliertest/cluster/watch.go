package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/client"
)

// ModelNext has the scripted model server say the next part of its "steps".
func (c *Cluster) ModelNext(ctx context.Context, key string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.model+"/next/"+key, nil)
	if err != nil {
		return
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
	}
}

// Owner is the node that has opened a connection.
func (c *Cluster) Owner(address string) *Node {
	for _, n := range c.Nodes {
		if !n.isGone() && n.Owns(address) {
			return n
		}
	}
	c.t.Errorf("no node has opened the connection from %s", address)
	return c.Pick()
}

// AwaitBus waits until a node says that its bus is in some state.
func (c *Cluster) AwaitBus(n *Node, state string) {
	c.t.Helper()
	await(c.t, n.name+" says that its bus is "+state, func() error {
		resp, err := http.Get(n.URL + "/readyz")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		var ready struct{ Parts map[string]string }
		if err := json.NewDecoder(resp.Body).Decode(&ready); err != nil {
			return err
		}
		if ready.Parts["bus"] != state {
			return fmt.Errorf("its parts are %v", ready.Parts)
		}
		return nil
	})
}

// AwaitFreeWorkers waits until no worker has a job, and none is queued.
func (c *Cluster) AwaitFreeWorkers() {
	c.t.Helper()
	c.awaitJobs("no job is under way", "state IN ('queued', 'leased')", 0)
}

// AwaitLeased waits until workers have a number of jobs.
func (c *Cluster) AwaitLeased(n int) {
	c.t.Helper()
	c.awaitJobs("workers have jobs", "state = 'leased'", n)
}

func (c *Cluster) awaitJobs(what, condition string, n int) {
	c.t.Helper()
	await(c.t, what, func() error {
		got, err := c.Postgres.SQL(c.Postgres.primary, "SELECT COUNT(*) FROM job WHERE network <> 'node' AND "+condition)
		if err == nil && got != strconv.Itoa(n) {
			err = fmt.Errorf("%s jobs are %s, want %d", got, condition, n)
		}
		return err
	})
}

// Price is what a start costs in Spark.
func (c *Cluster) Price(s client.Start) atelier.Money {
	c.t.Helper()
	a := c.Account("--spark", "1000")
	who := c.Client(c.URL, a)
	w, err := who.StartWorkflow(c.t.Context(), s)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, err := range who.Follow(c.t.Context(), w.WorkflowID, -1) {
		if err != nil {
			c.t.Fatal(err)
		}
	}
	var b atelier.Balance
	if err := who.Call(c.t.Context(), http.MethodGet, "/v4/account/balance", nil, &b); err != nil {
		c.t.Fatal(err)
	}
	return 1000*atelier.MoneyUnit - b.Spark.Net
}

// Use has the node run another program from its next start on.
func (n *Node) Use(program string) { n.binary = program }

// Strict makes each request that fails a fault: nothing is broken on purpose.
func (l *Load) Strict() { l.strict = true }

// HoldDelivery calls f with the next delivery, before it is answered.
func (l *Load) HoldDelivery(f func(*http.Request)) { l.hooks.hold(f) }

// Until has clients work until something was done to the cluster.
func (l *Load) Until(do func()) {
	l.c.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		l.Work(l.c.t.Context(), 2*clients)
		select {
		case <-done:
			return
		default:
		}
	}
}

// Accepted is how many workflows and runs were accepted.
func (l *Load) Accepted() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.workflows) + len(l.runs)
}
