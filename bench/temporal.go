package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/atelier-project/atelier/bench/server"
)

// temporal is where the programs are that workflows are compared with.
type temporal struct {
	cli  string // the Temporal command line, with the development server
	peer string // bench/temporal: its client and worker
}

// tuned gives the development server the journal that SQLite servers use, with the same durability as ours, and lifts a
// limit that is meant for many shards: its one shard looks for work only twenty times a second.
var tuned = []string{
	"--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", "synchronous=full",
	"--dynamic-config-value", "history.transferProcessorMaxPollRPS=1000",
}

// temporalFlows is a running development server, and our client and worker of it.
type temporalFlows struct {
	server *server.Process
	peer   *exec.Cmd
	ask    io.WriteCloser
	answer *bufio.Reader
}

func (t temporal) start(ctx context.Context, dir string) (*temporalFlows, error) {
	if t.cli == "" || t.peer == "" {
		return nil, errors.New("its programs were not given")
	}
	port, err := server.FreePort()
	if err != nil {
		return nil, err
	}
	args := append([]string{"server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", port,
		"--db-filename", filepath.Join(dir, "temporal.db"), "--log-level", "never"}, tuned...)
	f := &temporalFlows{}
	if f.server, err = server.Start(exec.CommandContext(ctx, t.cli, args...)); err != nil {
		return nil, err
	}
	f.peer = exec.CommandContext(ctx, t.peer, "-address", "127.0.0.1:"+port)
	f.peer.Stderr = os.Stderr
	out, err := f.peer.StdoutPipe()
	if err == nil {
		f.answer = bufio.NewReader(out)
		f.ask, err = f.peer.StdinPipe()
	}
	if err == nil {
		err = f.peer.Start()
	}
	if err != nil {
		f.server.Stop()
		return nil, err
	}
	return f, nil
}

func (f *temporalFlows) close() {
	f.ask.Close() // which ends it
	_ = f.peer.Wait()
	f.server.Stop()
}

// figures has the peer do something. It answers in a line, with figures.
func (f *temporalFlows) figures(format string, args ...any) (out []float64, err error) {
	if _, err := fmt.Fprintf(f.ask, format+"\n", args...); err != nil {
		return nil, err
	}
	line, err := f.answer.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("its client ended: %w", err)
	}
	return out, json.Unmarshal(line, &out)
}

func (f *temporalFlows) figure(format string, args ...any) (float64, error) {
	out, err := f.figures(format, args...)
	if err != nil {
		return 0, err
	}
	return out[0], nil
}

func (f *temporalFlows) finished(_ context.Context, span time.Duration) (float64, error) {
	return f.figure("finished %v", span)
}

func (f *temporalFlows) chains(_ context.Context, many, steps int) ([]float64, error) {
	return f.figures("chains %d %d", many, steps)
}

func (f *temporalFlows) starts(_ context.Context, span time.Duration, clients int) (float64, error) {
	return f.figure("starts %v %d", span, clients)
}
