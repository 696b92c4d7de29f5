package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelier-project/atelier/apitype"
	atelier "github.com/atelier-project/atelier/client"
)

// What a thousand workers that wait for work may cost.
const (
	idleWorkers      = 1000
	idleWorkersShare = 0.02 // of a core
	watchWorkers     = 20 * time.Second
)

// workers measures what the service takes while many workers wait for work:
// each with a claim that waits, and heartbeats.
func (b *bench) workers(ctx context.Context) error {
	b.out.part(fmt.Sprintf("Workers: SQLite, %d workers that wait for work", idleWorkers))
	s := service{program: b.program, data: filepath.Join(b.dir, "workers")}
	out, err := s.atelier(ctx, "account", "create", "--json", "--worker").Output()
	if err != nil {
		return err
	}
	var created struct{ APIKey string }
	if err := json.Unmarshal(out, &created); err != nil {
		return err
	}
	p, err := s.serve(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	ctx, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	connected := make(chan error, idleWorkers)
	for range idleWorkers {
		wg.Go(func() { waitForWork(ctx, p.url, created.APIKey, connected) })
	}
	for range idleWorkers {
		if err := <-connected; err != nil {
			return err
		}
	}
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	before, counted := p.cpu()
	if !counted {
		b.out.skip("processor", "this system does not tell it of a running process")
		return nil
	}
	if err := sleep(ctx, watchWorkers); err != nil {
		return err
	}
	after, _ := p.cpu()
	share := float64(after-before) / float64(watchWorkers)
	b.out.row(fmt.Sprintf("processor over %v", watchWorkers), percent(share), below(percent(idleWorkersShare)+" of a core"), share < idleWorkersShare, "")
	if resident, known := p.memory("VmRSS"); known {
		b.out.row("resident memory", megabytes(resident), "", true, "")
	}
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
