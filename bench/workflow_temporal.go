package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// temporal is where the programs are that workflows are compared with.
type temporal struct {
	cli  string // the Temporal command line, with the development server
	peer string // bench/temporal: its client and worker
}

// The ways in which the development server is run.
var (
	// shipped is how it comes.
	shipped []string
	// tuned gives it the journal that SQLite servers use, with the same
	// durability, and lifts a limit that is meant for many shards: its one shard
	// looks for work only twenty times a second.
	tuned = []string{
		"--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=full",
		"--dynamic-config-value", "history.transferProcessorMaxPollRPS=1000",
	}
)

// temporalSpan is how long a rate is measured on it, in turns: it is slow
// enough to need longer.
const temporalSpan = 10

// temporalWorkflows measures the development server.
func (b *bench) temporalWorkflows(ctx context.Context, flags []string) (out workflowFigures, err error) {
	if b.temporal.cli == "" || b.temporal.peer == "" {
		return out, errors.New("its programs were not given")
	}
	dir, err := os.MkdirTemp(b.dir, "temporal-")
	if err != nil {
		return out, err
	}
	port, err := freePort()
	if err != nil {
		return out, err
	}
	args := append([]string{"server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port,
		"--db-filename", filepath.Join(dir, "temporal.db"), "--log-level", "never"}, flags...)
	server, err := start(exec.CommandContext(ctx, b.temporal.cli, args...))
	if err != nil {
		return out, err
	}
	defer server.stop()
	var counts []string
	for _, n := range starters {
		counts = append(counts, fmt.Sprint(n))
	}
	// The peer is slow where the server is, but not for ever.
	limit := 10*time.Minute + 20*temporalSpan*b.time
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	command := exec.CommandContext(ctx, b.temporal.peer, "-address", "127.0.0.1:"+port, "-span", (temporalSpan * b.time).String(),
		"-chains", fmt.Sprint(chainRuns), "-steps", fmt.Sprint(chainSteps), "-starters", strings.Join(counts, ","))
	text, err := command.Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return out, fmt.Errorf("it was not done after %v", limit)
	case errors.As(err, &exit):
		return out, fmt.Errorf("%w: %s", err, exit.Stderr)
	case err != nil:
		return out, err
	}
	return out, json.Unmarshal(text, &out)
}

// freePort finds a free port.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}
