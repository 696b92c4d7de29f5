package main

import (
	"context"
	"fmt"

	"github.com/atelier-project/atelier/bench/load"
	"github.com/atelier-project/atelier/bench/measure"
	"github.com/atelier-project/atelier/bench/server"
	"github.com/atelier-project/atelier/bench/work"
)

const (
	clipTurns   = 3
	clipSeconds = 5
)

// clips measures the processor time of clips that the embedded worker makes without ffmpeg: of the service and of the
// processes that it has render.
func (b *bench) clips(ctx context.Context) error {
	seconds := max(2, b.scaled(clipSeconds)) // no clip is shorter
	b.out.Begin("Clip", fmt.Sprintf("a clip of %d s, 1280 × 720, by the embedded worker without ffmpeg", seconds))
	s := b.service("clip", append([]string{"PATH=" + b.dir}, server.ReadLimits...)...)
	account, err := s.Account(ctx, server.Rich...)
	if err != nil {
		return err
	}
	p, err := s.Serve(ctx)
	if err != nil {
		return err
	}
	defer p.Stop()
	conns, err := load.DialAll(ctx, p.URL, 2, account.Headers())
	if err != nil {
		return err
	}
	defer load.CloseAll(conns)
	plan := fmt.Appendf(nil, `{"input":{"title":"clip","steps":[{"id":"s0","toolName":"generate_video","arguments":{"prompt":"a boat on the sea at sunset",`+
		`"duration":%d,"width":1280,"height":720}}]}}`, seconds)
	var used measure.Series
	for range clipTurns {
		before := p.TreeCPU()
		id, err := work.Start(conns[0], plan)
		if err != nil {
			return err
		}
		if err := work.Await(conns[1], work.StreamPath(id), "workflow_completed", func() {}); err != nil {
			return err
		}
		used = append(used, (p.TreeCPU() - before).Seconds())
	}
	b.out.Add(measure.Value("processor time", "s", measure.Less, used))
	return nil
}
