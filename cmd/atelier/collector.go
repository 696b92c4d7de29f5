package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// How much room the heap gets before it is collected, as a percentage of what
// lives. A small heap is collected very often, and a little more room costs a few
// megabytes and gives some of the processor back; with thousands of requests in
// flight the room would be hundreds of megabytes.
const (
	roomySmall = 120
	roomyLarge = 30
)

// The sizes between which the room shrinks, in bytes that live.
const (
	smallHeap = 24 << 20
	largeHeap = 96 << 20
)

// adaptCollector has the garbage collector give a small heap much room and a
// large one little. Whoever sets GOGC knows better.
func adaptCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(roomySmall)
	afterEachCollection(func() func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		percent := roomySmall
		return func() {
			metrics.Read(live)
			if now := room(live[0].Value.Uint64()); now != percent {
				percent = now
				debug.SetGCPercent(percent)
			}
		}
	}())
}

// room is the percentage for a heap of which so much lives, in steps: each
// change stops everybody for a moment.
func room(live uint64) int {
	switch {
	case live <= smallHeap:
		return roomySmall
	case live >= largeHeap:
		return roomyLarge
	}
	share := float64(live-smallHeap) / float64(largeHeap-smallHeap)
	const step = 30
	return int(roomySmall+share*(roomyLarge-roomySmall)) / step * step
}

// afterEachCollection calls f after every collection: something that nobody
// holds is found by each of them, and comes again.
func afterEachCollection(f func()) {
	var watch func()
	watch = func() {
		sentinel := new([16]byte)
		runtime.AddCleanup(sentinel, func(int) { watch(); f() }, 0)
	}
	watch()
}
