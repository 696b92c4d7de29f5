package cluster

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/atelier-project/atelier/client"
	"github.com/atelier-project/atelier/internal/lora/loratest"
	"github.com/atelier-project/atelier/internal/pipetest"
)

// Programs are those that a cluster is made of, besides PostgreSQL's, which are in PATH.
type Programs struct {
	Service string // ATELIER_TEST_PROGRAM
	NATS    string // ATELIER_TEST_NATS_PROGRAM
	Model   string // ATELIER_TEST_MODEL_PROGRAM: compat/go/upstream
}

// Options say how large a cluster is.
type Options struct {
	Nodes   int
	NATS    int // servers; none for nodes that notify each other through PostgreSQL
	Workers int

	SmallDisk       bool // of the first primary
	ActiveWorkflows int  // the limit of each account; ActiveWorkflows when 0
}

// Cluster is a whole installation.
type Cluster struct {
	t        testing.TB
	options  Options
	dir      string
	URL      string // of the balancer
	Programs Programs
	Postgres *Postgres
	NATS     []*natsServer
	Storage  *Storage
	Sites    *loratest.Sites
	Nodes    []*Node
	Workers  []*program
	Rand     *rand.Rand // what a test does by chance
	Seed     uint64
	balancer *Balancer
	upstream *program
	model    string // the address of the model server
	worker   Account
	loads    []*Load
}

// Account is an account as the command line has made it.
type Account struct {
	Wallet string `json:"walletAddress"`
	Key    string `json:"apiKey"`
}

// Start starts a cluster, or skips the test where it was not asked for.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	if os.Getenv("ATELIER_TEST_CLUSTER") == "" {
		t.Skip("left out: make test-cluster runs it, and make check a part of it")
	}
	if o.ActiveWorkflows == 0 {
		o.ActiveWorkflows = ActiveWorkflows
	}
	c := &Cluster{t: t, options: o, Programs: Programs{os.Getenv("ATELIER_TEST_PROGRAM"), os.Getenv("ATELIER_TEST_NATS_PROGRAM"), os.Getenv("ATELIER_TEST_MODEL_PROGRAM")}}
	c.seed()
	var err error
	if c.dir, err = os.MkdirTemp("/tmp", "atelier-cluster-"); err != nil { // short enough for sockets
		t.Fatal(err)
	}
	if err := os.Chmod(c.dir, 0o711); err != nil { // the user of PostgreSQL passes
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(c.dir) })
	c.Storage, c.Sites = startStorage(t), loratest.Serve(t)
	c.startModel()
	c.NATS = startNATS(c, c.Programs.NATS, o.NATS)
	address := freeAddress(t)
	c.URL = "http://" + address
	var hosts []string
	for i := range o.Nodes {
		n := c.newNode(i)
		c.Nodes = append(c.Nodes, n)
		hosts = append(hosts, strings.TrimPrefix(n.URL, "http://"))
	}
	c.Postgres = startPostgres(c, func(socket string) {
		for _, n := range c.Nodes {
			n.Database.PointAt(socket)
		}
	})
	c.balancer = startBalancer(t, address, hosts)
	c.Nodes[0].Start() // it migrates
	for _, n := range c.Nodes[1:] {
		n.start(t)
	}
	for _, n := range c.Nodes[1:] {
		n.AwaitReady()
	}
	c.worker = c.Account("--worker")
	for i := range o.Workers {
		c.Workers = append(c.Workers, c.newWorker(i))
		c.Workers[i].start(t)
	}
	return c
}

// seed takes the seed of what a test does by chance, or makes one, and prints it.
func (c *Cluster) seed() {
	c.t.Helper()
	c.Seed = rand.Uint64N(1_000_000)
	if given := os.Getenv("ATELIER_TEST_SEED"); given != "" {
		var err error
		if c.Seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			c.t.Fatalf("ATELIER_TEST_SEED: %v", err)
		}
	}
	c.Rand = rand.New(rand.NewPCG(c.Seed, 0))
	c.t.Logf("ATELIER_TEST_SEED=%d", c.Seed)
}

// startModel starts the scripted model server, at an address that stays the same when it is started again.
func (c *Cluster) startModel() {
	c.t.Helper()
	out := filepath.Join(c.dir, "model.url")
	c.upstream = c.program("model", func() *exec.Cmd {
		cmd := exec.Command("sh", "-c", `exec "$1" >"$2"`, "sh", c.Programs.Model, out)
		cmd.Env = append(os.Environ(), "UPSTREAM_KEY=scripted-key")
		return cmd
	})
	_ = os.Remove(out)
	c.upstream.start(c.t)
	await(c.t, "the model server listens", func() error {
		text, err := os.ReadFile(out)
		if err == nil {
			c.model = strings.TrimPrefix(strings.TrimSpace(string(text)), "http://")
		}
		if err == nil && c.model == "" {
			err = os.ErrNotExist
		}
		return err
	})
}

// PointModel has every node reach the model server by new connections; those that were open end.
func (c *Cluster) PointModel() {
	for _, n := range c.Nodes {
		n.Model.PointAt(c.model)
	}
}

// command is a command of the service on the database, without any proxy.
func (c *Cluster) command(args ...string) *exec.Cmd {
	cmd := c.Nodes[0].command(args...)
	cmd.Env = append(cmd.Env, "ATELIER_DATABASE_URL="+c.Postgres.primary.url())
	return cmd
}

// Run runs a command of the service on the database.
func (c *Cluster) Run(args ...string) string {
	c.t.Helper()
	out, err := output(c.command(args...))
	if err != nil {
		c.t.Fatalf("atelier %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Account creates an account.
func (c *Cluster) Account(flags ...string) (a Account) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.Run(append([]string{"account", "create", "--json"}, flags...)...)), &a); err != nil {
		c.t.Fatal(err)
	}
	return a
}

// Client is a client of one node, or of the balancer, that tries nothing twice.
func (c *Cluster) Client(url string, a Account) *client.Client {
	own := client.New(url, a.Key)
	own.Retries = 0
	return own
}

// Pick is one of the nodes that run.
func (c *Cluster) Pick() *Node {
	for {
		if n := c.Nodes[c.Rand.IntN(len(c.Nodes))]; !n.isGone() {
			return n
		}
	}
}

// Each does something for each node at once.
func (c *Cluster) Each(do func(*Node)) {
	var wg sync.WaitGroup
	for _, n := range c.Nodes {
		wg.Go(func() { do(n) })
	}
	wg.Wait()
}

// LoseNATS cuts all nodes off from NATS, or has its connections stall.
func (c *Cluster) LoseNATS(stall bool) {
	c.eachNATS(func(p *pipetest.Proxy, _ string) {
		if stall {
			p.Stall()
		} else {
			p.PointAt("")
		}
	})
}

// FindNATS lets the nodes reach NATS again.
func (c *Cluster) FindNATS() {
	c.eachNATS((*pipetest.Proxy).PointAt)
}

func (c *Cluster) eachNATS(do func(p *pipetest.Proxy, address string)) {
	for _, n := range c.Nodes {
		for i, p := range n.NATS {
			do(p, c.NATS[i].address)
		}
	}
}

// Ready is what a node says of its parts.
type Ready struct {
	Status string
	Parts  map[string]string
}
