package run

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/admission"
	"github.com/atelier-project/atelier/internal/bus"
)

// An account has a share of a node, by its runs and by their size, and so have all
// accounts together, and large runs. A run that found no place is offered when another has
// ended, or waits for a workflow.
func TestPlacesAreBounded(t *testing.T) {
	t.Parallel()
	b, err := bus.Open(t.Context(), bus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	smallRun := nodeBounds.Small
	newEngine := func() *Engine {
		return &Engine{bus: b, serving: context.Background(), places: admission.NewPlaces[atelier.RunID](nodeBounds)}
	}
	fill := func(e *Engine, wallets int, bytes int64) (taken int) {
		for i := range 5000 {
			if e.reserve(atelier.Wallet(fmt.Sprint("0x", i%wallets)), atelier.RunID(fmt.Sprint(i)), bytes) {
				taken++
			}
		}
		return taken
	}
	for _, tt := range []struct {
		wallets int
		bytes   int64
		want    int
	}{{1, 100, 64}, {2, 100, 128}, {100, 100, 1024}, {1, 4 << 20, 4}, {100, 4 << 20, 12}, {100, smallRun + 1, 96}, {100, smallRun, 128}} {
		e := newEngine()
		if got := fill(e, tt.wallets, tt.bytes); got != tt.want {
			t.Errorf("%d accounts with runs of %d bytes have %d places, want %d", tt.wallets, tt.bytes, got, tt.want)
		}
	}
	e := newEngine()
	fill(e, 5, 4<<20)
	if _, most := e.places.Full(); most != smallRun || !e.reserve("0x6", "small", smallRun) || e.reserve("0x6", "large", smallRun+1) {
		t.Errorf("beside the large runs there is space for one of %d bytes, want %d", most, smallRun)
	}
	e.offer(e.places.Shrink("0", 0))
	if _, most := e.places.Full(); most != math.MaxInt64 || !e.reserve("0x6", "large", smallRun+1) {
		t.Errorf("a large run that waits leaves space for one of %d bytes", most)
	}
	e = newEngine()
	sub := b.Subscribe(queuedTopic)
	defer sub.Close()
	fill(e, 1, 100)
	e.unreserve("0")
	<-sub.C()
	if !e.reserve("0x0", "again", 100) || e.reserve("0x0", "more", 100) || !e.reserve("0x1", "other", 100) {
		t.Error("a place that is free is not the next one's")
	}
}
