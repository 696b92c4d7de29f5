package main

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"github.com/atelier-project/atelier/bench/gateway"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
)

const (
	memoryTurns  = 3
	manyInFlight = 5000
	slowAnswer   = time.Second
)

// allowFiles fails where a process may not open that many files.
func allowFiles(many int) error {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return err
	}
	if files.Max < uint64(many) {
		return fmt.Errorf("a process may not open %d files: raise ulimit -n", many)
	}
	return nil
}

// gatewayMemory measures what gateways take at most while requests are in flight: few that are answered at once, and
// many on slow answers. Each is measured in a separate process, which nothing else has made grow.
func (b *bench) gatewayMemory(ctx context.Context) error {
	many := b.scaled(manyInFlight)
	b.out.Begin("Memory", "of gateways with chat completions in flight, at its peak")
	direct, err := startModel(ctx)
	if err != nil {
		return err
	}
	defer direct.Stop()
	count := 0
	own := func() (*gateway.Gateway, error) {
		count++
		return gateway.Own(ctx, b.service(fmt.Sprint("memory-", count)), direct.Process.URL)
	}
	type contender struct {
		name  string
		start func() (*gateway.Gateway, error)
	}
	all := []contender{{"atelier", own}}
	for _, p := range b.peers {
		if p.Running == nil {
			all = append(all, contender{p.Name, func() (*gateway.Gateway, error) { return p.Start(ctx, b.dir, direct.Process.URL) }})
		}
	}
	for _, stream := range []bool{false, true} {
		for _, c := range []struct {
			k    gateway.Case
			name string
			many int
			all  []contender
		}{
			{gateway.Case{Stream: stream, Size: 10 << 10}, "10 in flight", gatewayClients, all},
			{gateway.Case{Stream: stream, Size: 1 << 10, Delay: slowAnswer}, "5,000 in flight", many, all[:1]},
		} {
			// A request of a client is two connections of the service.
			if err := allowFiles(4*c.many + 200); err != nil {
				b.out.Skip(c.name, err.Error())
				continue
			}
			peaks := make([]measure.Series, len(c.all))
			for range memoryTurns {
				for i, contender := range c.all {
					g, err := contender.start()
					if err != nil {
						b.out.Skip(c.name+", "+contender.name, err.Error())
						continue
					}
					_, _, err = g.Turn(ctx, c.k, c.many, 3*max(b.turn, c.k.Delay))
					peaks[i] = append(peaks[i], g.Process.Memory(server.Peak))
					g.Stop()
					if err != nil {
						return err
					}
				}
			}
			for i, contender := range c.all {
				if len(peaks[i]) > 0 {
					b.out.Add(measure.Value(fmt.Sprintf("%s, %v, %s, peak", c.name, c.k, contender.name), "MB", measure.Less, peaks[i]))
				}
			}
		}
	}
	return nil
}
