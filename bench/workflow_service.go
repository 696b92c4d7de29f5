package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// benchService is a service for a measurement of workflows: without an embedded
// worker, with accounts that have plenty and limits that no load reaches.
type benchService struct {
	*process
	keys   []string // of the accounts
	wallet string   // of the first
	worker string   // the API key of those who run workers
}

// workflowsPath is where workflows are started and read.
const workflowsPath = "/v1/creative-agent/workflows"

// unlimitedEnv is the settings of such a service. The lease is long because a machine that
// is busy with a benchmark must not lose a job.
func unlimitedEnv(database string) []string {
	return []string{
		"ATELIER_DATABASE_URL=" + database,
		"ATELIER_WORKERS_EMBEDDED=false", "ATELIER_WORKERS_LEASE=2m",
		"ATELIER_LIMITS_ACTIVE_WORKFLOWS=" + unlimited, "ATELIER_LIMITS_ACTIVE_WORKFLOWS_IN_ALL=" + unlimited,
		"ATELIER_LIMITS_WORKFLOW_STARTS_PER_MINUTE=" + unlimited, "ATELIER_LIMITS_MEDIA_URLS_PER_MINUTE=" + unlimited,
	}
}

// startBenchService starts a service with accounts.
func (b *bench) startBenchService(ctx context.Context, name, database string, accounts int) (*benchService, error) {
	s := &benchService{}
	for range accounts {
		created, err := b.register(ctx, name, database, "--spark", "1000000000")
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, created.APIKey)
		if s.wallet == "" {
			s.wallet = created.WalletAddress
		}
	}
	created, err := b.register(ctx, name, database, "--worker")
	if err != nil {
		return nil, err
	}
	s.worker = created.APIKey
	s.process, err = b.reopen(ctx, name, database)
	return s, err
}

// reopen starts a service again on its data.
func (b *bench) reopen(ctx context.Context, name, database string) (*process, error) {
	command := service{program: b.program, data: b.serviceDir(name)}.atelier(ctx, "serve")
	command.Env = append(command.Env, unlimitedEnv(database)...)
	return start(command)
}

func (b *bench) serviceDir(name string) string { return filepath.Join(b.dir, name) }

type registered struct{ WalletAddress, APIKey string }

func (b *bench) register(ctx context.Context, name, database string, flags ...string) (created registered, err error) {
	command := service{program: b.program, data: b.serviceDir(name)}.atelier(ctx, append([]string{"account", "create", "--json"}, flags...)...)
	command.Env = append(command.Env, unlimitedEnv(database)...)
	out, err := command.Output()
	if err != nil {
		return created, fmt.Errorf("account create: %w", err)
	}
	return created, json.Unmarshal(out, &created)
}

// errUnfinished says that a job or an end did not come.
var errUnfinished = errors.New("some workflows never ended")

// keyCount makes idempotency keys.
var keyCount atomic.Int64

// start starts a workflow and returns its id.
func (l *rawConn) start(plan []byte) (string, error) {
	answer, err := l.want(201, "POST", workflowsPath, fmt.Sprintf("%sIdempotency-Key: bench-%d\r\n", jsonBody, keyCount.Add(1)), plan)
	return value(answer, "workflowId"), err
}

// rate is how often a second something is done by many at once, after a fifth
// of the span to warm up. do gets the number of the one who does it.
func rate(ctx context.Context, span time.Duration, many int, do func(who int) error) (float64, error) {
	var (
		wg    sync.WaitGroup
		count atomic.Int64
		over  atomic.Bool
		fault = make(chan error, many)
	)
	for who := range many {
		wg.Go(func() {
			for !over.Load() {
				if err := do(who); err != nil {
					fault <- err
					return
				}
				count.Add(1)
			}
		})
	}
	figure, err := watchCount(ctx, span, &count, fault)
	over.Store(true)
	wg.Wait()
	return figure, err
}

// watchCount is how much a count grows a second.
func watchCount(ctx context.Context, span time.Duration, count *atomic.Int64, fault <-chan error) (float64, error) {
	var (
		before int64
		began  time.Time
	)
	for _, d := range []time.Duration{span / 5, span} {
		before, began = count.Load(), time.Now()
		select {
		case <-time.After(d):
		case err := <-fault:
			return 0, err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	return float64(count.Load()-before) / time.Since(began).Seconds(), nil
}
