package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	atelier "github.com/atelier-project/atelier/client"
)

const (
	idleWorkers  = 1000
	workersTurns = 4
)

// workers measures what the service takes while many workers wait for work: each with a claim that waits, and
// heartbeats.
func (b *bench) workers(ctx context.Context) error {
	many := b.scaled(idleWorkers)
	b.out.Begin("Workers", fmt.Sprintf("SQLite, %s workers that wait for work", measure.Number(float64(many))))
	s := b.service("workers", server.ReadLimits...)
	account, err := s.Account(ctx, "--worker")
	if err != nil {
		return err
	}
	p, err := s.Serve(ctx)
	if err != nil {
		return err
	}
	defer p.Stop()
	ctx, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	connected := make(chan error, many)
	for range many {
		wg.Go(func() { waitForWork(ctx, p.URL, account.APIKey, connected) })
	}
	for range many {
		if err := <-connected; err != nil {
			return err
		}
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	shares, err := b.share(ctx, p, workersTurns)
	if err != nil {
		return err
	}
	b.out.Add(measure.Value("processor", "% of a core", measure.Less, shares))
	b.out.Add(measure.Value("resident memory", "MB", measure.Less, measure.Series{p.Memory(server.Resident)}))
	return nil
}

// waitForWork is a worker that never gets any.
func waitForWork(ctx context.Context, url, key string, connected chan<- error) {
	c := atelier.New(url, key)
	s, err := c.Connect(ctx, apitype.WorkerSpec{Name: "bench", Network: "relaxed", Models: []string{"z_image_turbo_bf16"}, Capacity: 1})
	connected <- err
	for err == nil && ctx.Err() == nil {
		_, err = s.Claim(ctx, 25*time.Second)
	}
}
