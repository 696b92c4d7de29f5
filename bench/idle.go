package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// What a service without requests may take.
const (
	idleMemory = 60 << 20
	idleShare  = 0.001 // of a core: less than can be told from nothing
)

// How long the service is left alone, before and while it is watched.
const (
	settle = 2 * time.Second
	watch  = 5 * time.Second
)

// idle measures what the service takes while it has nothing to do.
func (b *bench) idle(ctx context.Context) error {
	b.out.part("Idle: SQLite, no client connected")
	p, err := service{program: b.program, data: filepath.Join(b.dir, "idle")}.serve(ctx)
	if err != nil {
		return err
	}
	defer p.stop()
	if err := p.healthy(); err != nil {
		return err
	}
	if err := sleep(ctx, settle); err != nil {
		return err
	}
	resident, known := p.memory("VmRSS")
	before, counted := p.cpu()
	if !known || !counted {
		b.out.skip("memory and processor", "this system does not tell them of a running process")
		return nil
	}
	own, _ := p.memory("RssAnon")
	b.out.row(fmt.Sprintf("resident memory after %v", settle), megabytes(resident), below(megabytes(idleMemory)), resident < idleMemory,
		fmt.Sprintf("%s data, %s program text", megabytes(own), megabytes(resident-own)))
	if err := sleep(ctx, watch); err != nil {
		return err
	}
	after, _ := p.cpu()
	share := float64(after-before) / float64(watch)
	b.out.row(fmt.Sprintf("processor over %v", watch), percent(share), below(percent(idleShare)+" of a core"), share < idleShare, "")
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f MB", float64(n)/(1<<20)) }

func percent(share float64) string { return fmt.Sprintf("%.3f %%", share*100) }

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
