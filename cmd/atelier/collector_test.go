package main

import (
	"runtime"
	"testing"
)

func TestRoom(t *testing.T) {
	t.Parallel()
	for live, want := range map[uint64]int{
		0: roomySmall, smallHeap: roomySmall, (smallHeap + largeHeap) / 2: 60, largeHeap: roomyLarge, 8 << 30: roomyLarge,
	} {
		if got := room(live); got != want {
			t.Errorf("room(%d) = %d, want %d", live, got, want)
		}
	}
}

func TestAfterEachCollection(t *testing.T) {
	t.Parallel()
	called := make(chan struct{}, 1)
	afterEachCollection(func() {
		select { // it goes on when the test is over
		case called <- struct{}{}:
		default:
		}
	})
	for range 3 {
		runtime.GC()
		<-called
	}
}
