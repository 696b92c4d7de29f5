package main

import (
	"runtime"
	"testing"
)

func TestGCPercent(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{
		0: smallHeapPercent, smallHeap: smallHeapPercent, (smallHeap + largeHeap) / 2: 60, largeHeap: largeHeapPercent, 8 << 30: largeHeapPercent,
	} {
		if got := gcPercent(live); got != want {
			t.Errorf("gcPercent(%d) = %d, want %d", live, got, want)
		}
	}
}

func TestAfterEachCollection(t *testing.T) {
	t.Parallel()
	called := make(chan struct{}, 1)
	afterEachCollection(func() {
		select { // f is called after the test, too
		case called <- struct{}{}:
		default:
		}
	})
	for range 3 {
		runtime.GC()
		<-called
	}
}
