package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The growth of the heap between collections, as a percentage of the live heap. A small
// heap is collected very often, and more growth costs a few megabytes and saves processor
// time; with thousands of requests in flight the same percentage would be hundreds of
// megabytes.
const (
	smallHeapPercent = 120
	largeHeapPercent = 30
)

// The sizes of the live heap between which the percentage falls, in bytes.
const (
	smallHeap = 24 << 20
	largeHeap = 96 << 20
)

// adaptCollector lets a small heap grow much between collections and a large one little. A
// GOGC that the operator sets is left alone.
func adaptCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(smallHeapPercent)
	afterEachCollection(func() func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		percent := smallHeapPercent
		return func() {
			metrics.Read(live)
			if now := gcPercent(live[0].Value.Uint64()); now != percent {
				percent = now
				debug.SetGCPercent(percent)
			}
		}
	}())
}

// gcPercent is the percentage for a live heap of this size, in steps: each change stops all
// goroutines for a moment.
func gcPercent(live uint64) int {
	switch {
	case live <= smallHeap:
		return smallHeapPercent
	case live >= largeHeap:
		return largeHeapPercent
	}
	share := float64(live-smallHeap) / float64(largeHeap-smallHeap)
	const step = 30
	return int(smallHeapPercent+share*(largeHeapPercent-smallHeapPercent)) / step * step
}

// afterEachCollection calls f after every collection: each one finds an unreferenced
// object, whose cleanup makes the next such object.
func afterEachCollection(f func()) {
	var watch func()
	watch = func() {
		sentinel := new([16]byte)
		runtime.AddCleanup(sentinel, func(int) { watch(); f() }, 0)
	}
	watch()
}
