package cluster_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/atelier-project/atelier/internal/ateliertest/cluster"
)

// fault is something that breaks while clients work, and is whole again afterwards. Whatever it is, what was accepted
// ends as it should: see cluster.Load.
type fault struct {
	name  string
	make  func(c *cluster.Cluster)
	model bool // runs may fail: their model does
}

var faults = []fault{
	{name: "a node is killed", make: func(c *cluster.Cluster) {
		n := c.Pick()
		n.Kill()
		n.Start()
	}},
	{name: "two nodes are killed", make: func(c *cluster.Cluster) {
		first := c.Pick()
		first.Kill()
		second := c.Pick()
		second.Kill()
		first.Start()
		second.Start()
	}},
	{name: "a node is killed and another drains", make: func(c *cluster.Cluster) {
		first := c.Pick()
		first.Kill()
		second := c.Pick()
		second.Stop()
		first.Start()
		second.Start()
	}},
	{name: "a worker is killed", make: (*cluster.Cluster).RestartWorker},
	{name: "a NATS server is killed", make: func(c *cluster.Cluster) { c.RestartNATS(1) }},
	{name: "all NATS servers are killed", make: func(c *cluster.Cluster) { c.RestartNATS(3) }},
	{name: "one node is cut off from NATS", make: func(c *cluster.Cluster) {
		n := c.Pick()
		for _, p := range n.NATS {
			p.Stall()
		}
		c.AwaitBus(n, "failing")
		moment(c)
		c.FindNATS()
	}},
	{name: "PostgreSQL is restarted", make: func(c *cluster.Cluster) { c.Postgres.Restart(false) }},
	{name: "PostgreSQL crashes", make: func(c *cluster.Cluster) { c.Postgres.Restart(true) }},
	{name: "failover to the standby", make: func(c *cluster.Cluster) {
		c.Postgres.Failover()
		moment(c)
		c.Postgres.AddStandby()
	}},
	{name: "one node is cut off from PostgreSQL", make: func(c *cluster.Cluster) {
		n := c.Pick()
		n.Database.Stall()
		moment(c)
		n.Database.PointAt(c.Postgres.Socket())
	}},
	{name: "commits are slow", make: func(c *cluster.Cluster) {
		inspect(c, func(chance func(int) bool, _ []byte, fromServer bool) bool {
			if fromServer && chance(3) {
				time.Sleep(40 * time.Millisecond) // as a slow disk
			}
			return true
		})
	}},
	{name: "connections are cut while they commit", make: func(c *cluster.Cluster) {
		inspect(c, func(chance func(int) bool, data []byte, fromServer bool) bool {
			return !fromServer || !bytes.Contains(data, []byte("COMMIT\x00")) || !chance(6) // it is committed, and the node does not learn it
		})
	}},
	{name: "connections are cut anywhere", make: func(c *cluster.Cluster) {
		inspect(c, func(chance func(int) bool, _ []byte, _ bool) bool { return !chance(60) })
	}},
	{name: "S3 answers with errors", make: func(c *cluster.Cluster) {
		chance := c.Chance()
		c.Storage.Before(func(w http.ResponseWriter, _ *http.Request) bool {
			if !chance(3) {
				return false
			}
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		})
		moment(c)
		c.Storage.Before(nil)
	}},
	{name: "S3 is slow", make: func(c *cluster.Cluster) {
		c.Storage.Before(func(http.ResponseWriter, *http.Request) bool {
			time.Sleep(400 * time.Millisecond)
			return false
		})
		moment(c)
		c.Storage.Before(nil)
	}},
	{name: "S3 does it, and its answer is lost", make: func(c *cluster.Cluster) {
		chance := c.Chance()
		c.Storage.After(func(*http.Request, *http.Response) error {
			if chance(3) {
				return fmt.Errorf("it is lost")
			}
			return nil
		})
		moment(c)
		c.Storage.After(nil)
	}},
	{name: "clients are slow and stuck", make: func(c *cluster.Cluster) {
		release := c.StuckClients(60)
		moment(c)
		release()
	}},
	{name: "the model server hangs in the middle of answers", model: true, make: func(c *cluster.Cluster) {
		for _, n := range c.Nodes {
			n.Model.Stall()
		}
		moment(c)
		c.PointModel()
	}},
	{name: "the model server breaks connections", model: true, make: func(c *cluster.Cluster) {
		for range 5 {
			c.PointModel()
			time.Sleep(200 * time.Millisecond)
		}
	}},
}

// moment is how long a fault lasts: by chance.
func moment(c *cluster.Cluster) { time.Sleep(time.Duration(1000+c.Rand.IntN(2000)) * time.Millisecond) }

// inspect has something done to the connections to PostgreSQL for a moment.
func inspect(c *cluster.Cluster, f func(chance func(int) bool, data []byte, fromServer bool) bool) {
	chance := c.Chance()
	for _, n := range c.Nodes {
		n.Database.Inspect(func(data []byte, fromServer bool) bool { return f(chance, data, fromServer) })
	}
	moment(c)
	for _, n := range c.Nodes {
		n.Database.Inspect(nil)
	}
}

// Every fault, in an order and at moments that the seed decides. Afterwards no process has more open than before.
func TestFaults(t *testing.T) {
	c := cluster.Start(t, cluster.Options{Nodes: 3, NATS: 3, Workers: 3})
	l := cluster.NewLoad(c)
	l.Work(t.Context(), 48)
	l.Check()
	before := c.Levels()
	t.Logf("before: %v", before)
	for _, i := range c.Rand.Perm(len(faults)) {
		f := faults[i]
		if isShort() && f.name != "failover to the standby" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			began := time.Now()
			if f.model {
				l.Loose()
			}
			l.During(32, func() { f.make(c) })
			for _, n := range c.Nodes {
				n.AwaitReady()
			}
			l.Check()
			t.Logf("%.1f s", time.Since(began).Seconds())
		})
		if t.Failed() {
			t.FailNow()
		}
	}
	c.AwaitLevels(before)
}

// The disk of the database is full while clients work. What was accepted is kept, and the nodes accept more
// when there is
// space again.
func TestDiskFull(t *testing.T) {
	onlyInFull(t)
	c := cluster.Start(t, cluster.Options{Nodes: 3, NATS: 3, Workers: 2, SmallDisk: true})
	l := cluster.NewLoad(c)
	for range 3 {
		l.During(32, func() {
			release := c.Postgres.FillDisk()
			moment(c)
			release()
		})
		for _, n := range c.Nodes {
			n.AwaitReady()
		}
		l.Check()
	}
}
