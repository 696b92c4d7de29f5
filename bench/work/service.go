// Package work does what clients and workers of the service do: it starts workflows, and renders their jobs without
// rendering anything. Parts of the benchmark measure what that takes.
package work

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"

	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/server"
)

// Path is where workflows are started and read.
const Path = "/v1/creative-agent/workflows"

// Service is a service for measurements of work: without an embedded worker, with accounts that have plenty and limits
// that no load reaches.
type Service struct {
	*server.Process
	Clients []string // the headers of each account
	Wallet  string   // of the first

	config server.Service
	worker string // the headers of those who run workers
}

// Open makes the accounts of a service and starts it.
func Open(ctx context.Context, config server.Service, accounts int) (*Service, error) {
	config.Env = append(config.Env, server.WorkLimits...)
	return OpenLimited(ctx, config, accounts)
}

// OpenLimited is Open for a service that has its own limits.
func OpenLimited(ctx context.Context, config server.Service, accounts int) (*Service, error) {
	s := &Service{config: config}
	for range accounts {
		created, err := config.Account(ctx, server.Rich...)
		if err != nil {
			return nil, err
		}
		s.Clients = append(s.Clients, created.Headers())
		if s.Wallet == "" {
			s.Wallet = created.WalletAddress
		}
	}
	created, err := config.Account(ctx, "--worker")
	if err != nil {
		return nil, err
	}
	s.worker = created.Headers()
	return s, s.Reopen(ctx)
}

// Key creates another key of the first account, and returns the headers of its requests.
func (s *Service) Key(ctx context.Context, flags ...string) (headers string, err error) {
	return s.config.Key(ctx, s.Wallet, flags...)
}

// Value finds a string of a JSON answer by its name: the first of that name, which is enough for the answers that are
// read here. Ids have no escapes.
func Value(answer []byte, name string) string {
	_, rest, _ := bytes.Cut(answer, []byte(`"`+name+`":"`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(text)
}

// Reopen starts the service again on its data.
func (s *Service) Reopen(ctx context.Context) (err error) {
	s.Process, err = s.config.Serve(ctx)
	return err
}

var keys atomic.Int64

// Start starts a workflow and returns its id.
func Start(c *load.Conn, plan []byte) (string, error) {
	answer, err := c.Want(201, "POST", Path, fmt.Sprintf("%sIdempotency-Key: bench-%d\r\n", load.JSON, keys.Add(1)), plan)
	return Value(answer, "workflowId"), err
}

// StreamPath is the stream of a workflow.
func StreamPath(id string) string { return Path + "/" + id + "/events/stream" }

// Await follows a stream until an event of some type has come, and on to its end.
func Await(c *load.Conn, path, event string, then func()) error {
	last, came := "", false
	err := c.Follow(path, load.Patience, func(line []byte) error {
		if name, found := bytes.CutPrefix(line, []byte("event: ")); found {
			last = string(name)
			if last == event && !came {
				came = true
				then()
			}
		}
		return nil
	})
	if err == nil && !came {
		err = fmt.Errorf("%s ended after %s without %s", path, last, event)
	}
	return err
}
