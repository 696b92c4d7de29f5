package server

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/atelier-project/atelier/bench/load"
)

// Service is how the service is run for a measurement.
type Service struct {
	Program  string
	Data     string   // its data directory
	Database string   // a postgres:// URL, or empty for SQLite
	Env      []string // settings of this measurement
}

// Enough is a limit that no load reaches.
const Enough = "1000000000"

// ReadLimits let clients read as much as they can.
var ReadLimits = []string{
	"ATELIER_LIMITS_PUBLIC_READS_PER_MINUTE=" + Enough, "ATELIER_LIMITS_ACCOUNT_READS_PER_MINUTE=" + Enough,
	"ATELIER_LIMITS_STREAMS_PER_ACCOUNT=" + Enough, "ATELIER_LIMITS_COMPLETIONS_PER_ACCOUNT=" + Enough, "ATELIER_LIMITS_WORKER_SESSIONS=" + Enough,
	"ATELIER_LIMITS_WORKER_CONNECTS_PER_MINUTE=" + Enough,
}

// WorkLimits let them have as much done as they can, by workers that are not the service's. The lease is long: a
// machine that is busy with a benchmark must not lose a job.
var WorkLimits = append([]string{
	"ATELIER_WORKERS_EMBEDDED=false", "ATELIER_WORKERS_LEASE=2m",
	"ATELIER_LIMITS_ACTIVE_WORKFLOWS=" + Enough, "ATELIER_LIMITS_ACTIVE_WORKFLOWS_IN_ALL=" + Enough,
	"ATELIER_LIMITS_WORKFLOW_STARTS_PER_MINUTE=" + Enough, "ATELIER_LIMITS_MEDIA_URLS_PER_MINUTE=" + Enough,
	"ATELIER_LIMITS_LLM_REQUESTS_PER_MINUTE=" + Enough, "ATELIER_LIMITS_CHAT_RUN_STARTS_PER_MINUTE=" + Enough,
}, ReadLimits...)

// command is a command of the service. Nothing of the caller's own settings reaches it.
func (s Service) command(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, s.Program, append(args, "--data", s.Data)...)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "ATELIER_") && !strings.HasPrefix(entry, "OTEL_") {
			command.Env = append(command.Env, entry)
		}
	}
	command.Env = append(command.Env, "ATELIER_LISTEN=127.0.0.1:0", "ATELIER_DATABASE_URL="+s.Database)
	command.Env = append(command.Env, s.Env...)
	return command
}

// Serve starts the service.
func (s Service) Serve(ctx context.Context) (*Process, error) { return Start(s.command(ctx, "serve")) }

// Configured starts the service with a configuration file of these sections.
func (s Service) Configured(ctx context.Context, config any) (*Process, error) {
	text, err := json.Marshal(config) // JSON is YAML
	if err != nil {
		return nil, err
	}
	file := filepath.Clean(s.Data) + ".yaml"
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return Start(s.command(ctx, "serve", "--config", file))
}

// Account is what the service says of a new account.
type Account struct{ WalletAddress, APIKey string }

// Headers are the headers of its requests.
func (a Account) Headers() string { return load.Bearer(a.APIKey) }

// Rich are the flags of an account that can pay for everything.
var Rich = []string{"--spark", Enough}

// Account creates an account.
func (s Service) Account(ctx context.Context, flags ...string) (created Account, err error) {
	out, err := s.command(ctx, append([]string{"account", "create", "--json"}, flags...)...).Output()
	if err != nil {
		return created, fmt.Errorf("account create: %w", err)
	}
	return created, json.Unmarshal(out, &created)
}

// Key creates another key of an account, and returns the headers of its requests.
func (s Service) Key(ctx context.Context, wallet string, flags ...string) (headers string, err error) {
	out, err := s.command(ctx, append([]string{"key", "create", wallet}, flags...)...).Output()
	if err != nil {
		return "", fmt.Errorf("key create: %w", err)
	}
	return load.Bearer(strings.TrimSpace(string(out))), nil
}

// Accounts creates some, and returns the headers of each.
func (s Service) Accounts(ctx context.Context, many int, flags ...string) (headers []string, err error) {
	for range many {
		created, err := s.Account(ctx, flags...)
		if err != nil {
			return nil, err
		}
		headers = append(headers, created.Headers())
	}
	return headers, nil
}
