package footage

import (
	"image"
	"runtime"
	"sync"
)

// ByteOf keeps a value within a byte.
func ByteOf(v int32) byte { return byte(min(max(v, 0), 255)) }

// Rows calls a function for every row, on all processors.
func Rows(n int, do func(y int)) {
	workers := min(runtime.GOMAXPROCS(0), (n+15)/16)
	if workers <= 1 {
		for y := range n {
			do(y)
		}
		return
	}
	var g sync.WaitGroup
	for k := range workers {
		g.Go(func() {
			for y := k * n / workers; y < (k+1)*n/workers; y++ {
				do(y)
			}
		})
	}
	g.Wait()
}

// Mirror folds a coordinate into a picture.
func Mirror(x, n int) int {
	if n == 1 {
		return 0
	}
	x %= 2 * n
	if x < 0 {
		x += 2 * n
	}
	if x >= n {
		x = 2*n - 1 - x
	}
	return x
}

// CopyFrame copies a frame, into dst when there is one.
func CopyFrame(dst, src *image.RGBA) *image.RGBA {
	if dst == nil {
		dst = image.NewRGBA(src.Rect)
	}
	copy(dst.Pix, src.Pix)
	return dst
}
