package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server that was started for the run.
type process struct {
	command *exec.Cmd
	errors  *bytes.Buffer
	started time.Time
	url     string // http://host:port
}

var printedURL = regexp.MustCompile(`http://[^/\s]+`)

// start runs a server and waits until it has said where it listens.
func start(command *exec.Cmd) (*process, error) {
	p := &process{command: command, errors: &bytes.Buffer{}}
	command.Stderr = p.errors
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.started = time.Now()
	if err := command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for p.url == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			_ = command.Wait()
			return nil, fmt.Errorf("%s did not start: %s", filepath.Base(command.Path), p.errors)
		}
		p.url = printedURL.FindString(line)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return p, nil
}

// stop ends a server as an operator would.
func (p *process) stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(10*time.Second, p.kill)
	defer late.Stop()
	_ = p.command.Wait()
}

func (p *process) kill() { _ = p.command.Process.Kill() }

// cpu is the processor time that a running process has used. Linux counts it
// in nanoseconds, by thread; elsewhere it is not known.
func (p *process) cpu() (time.Duration, bool) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.command.Process.Pid))
	var total time.Duration
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		running, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(running, 10, 64)
		if err != nil {
			return 0, false
		}
		total += time.Duration(ns)
	}
	return total, len(files) > 0
}

// memory reads a size from the status of a running process, in bytes.
func (p *process) memory(field string) (int64, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if name != field {
			continue
		}
		kb, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
		return kb << 10, err == nil
	}
	return 0, false
}

// healthy waits for a 200 of /healthz, on a new connection.
func (p *process) healthy() error {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	response, err := client.Get(p.url + "/healthz")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("/healthz answered %s", response.Status)
	}
	return nil
}

// service is how the service is run for a measurement.
type service struct {
	program  string
	data     string // its data directory
	database string // a postgres:// URL, or empty for SQLite
}

// unlimited is a rate limit that no load reaches.
const unlimited = "1000000000"

// atelier is a command of the service. Nothing of the caller's own settings
// reaches it.
func (s service) atelier(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, s.program, append(args, "--data", s.data)...)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "ATELIER_") && !strings.HasPrefix(entry, "OTEL_") {
			command.Env = append(command.Env, entry)
		}
	}
	command.Env = append(command.Env,
		"ATELIER_LISTEN=127.0.0.1:0",
		"ATELIER_DATABASE_URL="+s.database,
		"ATELIER_LIMITS_PUBLIC_READS_PER_MINUTE="+unlimited,
		"ATELIER_LIMITS_ACCOUNT_READS_PER_MINUTE="+unlimited,
		"ATELIER_LIMITS_STREAMS_PER_ACCOUNT="+unlimited,
		"ATELIER_LIMITS_WORKER_SESSIONS="+unlimited,
		"ATELIER_LIMITS_WORKER_CONNECTS_PER_MINUTE="+unlimited,
	)
	return command
}

func (s service) serve(ctx context.Context) (*process, error) { return start(s.atelier(ctx, "serve")) }

// account creates an account and returns its API key.
func (s service) account(ctx context.Context, flags ...string) (string, error) {
	out, err := s.atelier(ctx, append([]string{"account", "create", "--json"}, flags...)...).Output()
	if err != nil {
		return "", fmt.Errorf("account create: %w", err)
	}
	var created struct {
		APIKey string `json:"apiKey"`
	}
	err = json.Unmarshal(out, &created)
	return created.APIKey, err
}
