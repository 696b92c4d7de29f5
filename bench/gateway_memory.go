package main

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// What the service may take for requests in flight.
const (
	fewInFlight  = 10
	fewMemory    = 60 << 20
	manyInFlight = 5000
	manyMemory   = 400 << 20
	slowAnswer   = time.Second
	slowTurns    = 4
)

// gatewayMemory measures what the service takes at most while requests are in
// flight: few that are answered at once, and many on slow answers. Each is
// measured in a separate process, which nothing else has made grow.
func (b *bench) gatewayMemory(ctx context.Context, mock string, others []*gateway) error {
	for _, stream := range []bool{false, true} {
		k := gatewayCase{stream: stream, size: 10 << 10}
		if err := b.inFlight(ctx, mock, k, fewInFlight, 3*b.time, fewMemory); err != nil {
			return err
		}
	}
	for _, g := range others {
		if g.process == nil {
			continue
		}
		if peak, known := g.process.memory("VmHWM"); known {
			b.out.row(fmt.Sprintf("%d in flight, %s, peak memory", gatewayClients, g.name), megabytes(peak), "", true, "over all of the above")
		}
	}
	// A request of a client is two connections of the service.
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil || files.Max < 2*manyInFlight+200 {
		b.out.skip(fmt.Sprintf("%s in flight", count(manyInFlight)), "a process may not open as many files: raise ulimit -n")
		return nil
	}
	for _, stream := range []bool{false, true} {
		k := gatewayCase{stream: stream, size: 1 << 10, delay: slowAnswer}
		if err := b.inFlight(ctx, mock, k, manyInFlight, slowTurns*slowAnswer, manyMemory); err != nil {
			return err
		}
	}
	return nil
}

// inFlight keeps a number of requests in flight for some time and prints what the
// service took at its peak.
func (b *bench) inFlight(ctx context.Context, mock string, k gatewayCase, many int, d time.Duration, limit int64) error {
	g, err := b.ownGateway(ctx, fmt.Sprintf("gateway-%d-%v", many, k.stream), mock)
	if err != nil {
		return err
	}
	defer g.stop()
	seen, err := g.turn(ctx, k, many, d)
	if err != nil {
		return err
	}
	peak, known := g.process.memory("VmHWM")
	name := fmt.Sprintf("%s in flight, %s, peak memory", count(float64(many)), k)
	if !known {
		b.out.skip(name, "this system does not tell it of a running process")
		return nil
	}
	now, _ := g.process.memory("VmRSS")
	b.out.row(name, megabytes(peak), below(megabytes(limit)), peak < limit,
		fmt.Sprintf("%s at the end; %s answers/s, p50 %.1f ms, p99 %.1f ms", megabytes(now), count(seen.rate), percentile(seen.whole, 50), percentile(seen.whole, 99)))
	return nil
}
