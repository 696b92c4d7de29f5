package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/atelier-project/atelier/internal/pipetest"
)

// Node is one process of the service, with a proxy before each server that it uses.
type Node struct {
	*program
	c        *Cluster
	URL      string
	Database *pipetest.Proxy
	NATS     []*pipetest.Proxy
	Model    *pipetest.Proxy
	config   string
	settings []string // of the environment
	binary   string
}

// Lease is that of jobs, as long as that of chat runs always is: a busy machine must not lose a job.
const Lease = "10s"

// configuration is what all nodes have; the rest is in the environment.
const configuration = `
allow_private_media: true
trusted_proxies: [127.0.0.0/8]
shutdown_delay: 1s
shutdown_grace: 30s
workers: {embedded: false, lease: %s}
llm:
  default_model: scripted
  upstreams:
    - name: scripted
      base_url: http://%s/v1
      api_key: scripted-key
      models: [{id: scripted, context_length: 131072, price_per_million_input: "500", price_per_million_output: "1500"}]
lora:
  sources:
    - {kind: huggingface, host: huggingface.co, base_url: "%s"}
limits:
  active_workflows: %d
  sse_heartbeat: 1s
  free_space_bytes: 1
  streams_per_account: 100000
  worker_connects_per_minute: 100000
  workflow_starts_per_minute: 100000
  confirms_per_minute: 100000
  chat_run_starts_per_minute: 100000
  llm_requests_per_minute: 100000
  account_reads_per_minute: 100000
  media_urls_per_minute: 100000
  template_changes_per_minute: 100000
  lora_reads_per_minute: 100000
  lora_imports_per_minute: 100000
  auth_failures_per_minute: 100000
`

// ActiveWorkflows is the limit of workflows under way, for each account, unless the options say otherwise.
const ActiveWorkflows = 12

// newNode makes a node, with proxies, and does not start it.
func (c *Cluster) newNode(number int) *Node {
	c.t.Helper()
	n := &Node{c: c, Database: pipetest.NewProxy(c.t, "unix", ""), Model: pipetest.NewProxy(c.t, "tcp", c.model), binary: c.Programs.Service}
	name := "node-" + strconv.Itoa(number+1)
	address := freeAddress(c.t)
	n.URL = "http://" + address
	n.config = filepath.Join(c.dir, name+".yaml")
	if err := os.WriteFile(n.config, fmt.Appendf(nil, configuration, Lease, n.Model.Addr(), c.Sites.URL, c.options.ActiveWorkflows), 0o600); err != nil {
		c.t.Fatal(err)
	}
	n.settings = []string{
		"ATELIER_LISTEN=" + address, "ATELIER_PUBLIC_URL=" + c.URL, "ATELIER_DATA_DIR=" + filepath.Join(c.dir, name),
		"ATELIER_DATABASE_URL=postgres://postgres@" + n.Database.Addr() + "/postgres?sslmode=disable&pool_max_conns=8",
		"ATELIER_STORAGE_URL=" + c.Storage.URL, "ATELIER_SESSION_SECRET=" + strings.Repeat("secret-", 8), "ATELIER_CONFIG=" + n.config,
	}
	if len(c.NATS) > 0 {
		var url string
		url, n.NATS = c.natsURL()
		n.settings = append(n.settings, "ATELIER_NATS_URL="+url)
	}
	n.program = c.program(name, func() *exec.Cmd { return n.command("serve") })
	return n
}

// command is a command of the service with the settings of the node. Nothing of the caller's own reaches it.
func (n *Node) command(args ...string) *exec.Cmd {
	cmd := exec.Command(n.binary, args...)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "ATELIER_") && !strings.HasPrefix(entry, "OTEL_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, n.settings...)
	return cmd
}

// Start starts the node and waits until it is ready.
func (n *Node) Start() {
	n.c.t.Helper()
	n.start(n.c.t)
	n.AwaitReady()
}

// AwaitReady waits until the node is ready, and the balancer knows.
func (n *Node) AwaitReady() {
	n.c.t.Helper()
	await(n.c.t, n.name+" is ready", func() error {
		if n.isGone() {
			n.c.t.Fatalf("%s has ended: %v\n%s", n.name, n.group.Cmd.ProcessState, lastLines(n.log))
		}
		if !n.c.knowsReady(n) {
			return fmt.Errorf("the balancer does not know it as ready")
		}
		return nil
	})
}

// knowsReady reports whether the balancer sends requests to a node.
func (c *Cluster) knowsReady(n *Node) bool {
	for _, one := range c.balancer.backends {
		if "http://"+one.host == n.URL {
			return one.isReady.Load()
		}
	}
	return false
}

// Kill ends the node as a power cut would.
func (n *Node) Kill() { n.kill() }

// Stop ends the node as an operator would: it drains.
func (n *Node) Stop() {
	n.c.t.Helper()
	if err := n.stop(); err != nil {
		n.c.t.Errorf("%v\n%s", err, lastLines(n.log))
	}
}

// Level is what a process has open.
type Level struct{ Goroutines, Descriptors int }

// Owns reports whether a connection is the node's: one that it has opened, by its address.
func (n *Node) Owns(address string) bool {
	_, port, _ := strings.Cut(address, ":")
	number, _ := strconv.Atoi(port)
	local := fmt.Sprintf(":%04X", number)
	table, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/tcp", n.pid()))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 10 || !strings.HasSuffix(fields[1], local) {
			continue
		}
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", n.pid()))
		for _, file := range files {
			if target, _ := os.Readlink(file); target == "socket:["+fields[9]+"]" {
				return true
			}
		}
	}
	return false
}
