package pixel

import (
	"context"
	"image"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	_ "golang.org/x/image/webp" // registers the WebP decoder for image.Decode
)

// Raster is a painted picture: opaque colours, and for each pixel how near it is.
type Raster struct {
	*image.NRGBA
	Depth []uint8
}

// NewRaster returns a black picture, all of it far away.
func NewRaster(w, h int) *Raster {
	return &Raster{image.NewNRGBA(image.Rect(0, 0, w, h)), make([]uint8, w*h)}
}

// Size returns the width and the height.
func (r *Raster) Size() (w, h int) { return r.Rect.Dx(), r.Rect.Dy() }

// At returns the colour of a pixel; beyond the border, that of the nearest
// pixel.
func (r *Raster) At(x, y int) RGB {
	w, h := r.Size()
	x, y = min(max(x, 0), w-1), min(max(y, 0), h-1)
	p := r.Pix[y*r.Stride+x*4:]
	return RGB{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
}

// Set gives a pixel a colour.
func (r *Raster) Set(x, y int, c RGB) {
	p := r.Pix[y*r.Stride+x*4:]
	p[0], p[1], p[2], p[3] = ByteOf(c.R), ByteOf(c.G), ByteOf(c.B), 255
}

// ByteOf converts a number from 0 to 1 to a byte.
func ByteOf(v float32) uint8 { return uint8(min(max(int32(v*255+0.5), 0), 255)) }

// Bands runs work over the rows of a picture on all processors, a few rows at a
// time, until it is done or the context ends.
func Bands(ctx context.Context, height, rows int, work func(y0, y1 int), progress func(float64)) error {
	var next, done atomic.Int64
	var report sync.Mutex
	total := (height + rows - 1) / rows
	var g sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), total) {
		g.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= total {
					return
				}
				work(i*rows, min((i+1)*rows, height))
				if progress != nil {
					report.Lock()
					progress(float64(done.Add(1)) / float64(total))
					report.Unlock()
				}
			}
		})
	}
	g.Wait()
	return ctx.Err()
}

// Redraw makes a picture of the same size from a function of the pixel.
func Redraw(ctx context.Context, like *Raster, f func(x, y int) RGB) (*Raster, error) {
	w, h := like.Size()
	out := NewRaster(w, h)
	err := Bands(ctx, h, 32, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range w {
				out.Set(x, y, f(x, y))
			}
		}
	}, nil)
	return out, err
}

// Soften blurs with three box filters, which approximate a Gaussian.
func Soften(ctx context.Context, r *Raster, radius float64) (*Raster, error) {
	w, h := r.Size()
	n := max(int(math.Round(radius*0.6)), 1)
	a, b := NewRaster(w, h), NewRaster(w, h)
	copy(a.Pix, r.Pix)
	for range 2 {
		if err := Bands(ctx, h, 32, func(y0, y1 int) {
			for y := y0; y < y1; y++ {
				boxBlurLine(a.Pix[y*a.Stride:], b.Pix[y*b.Stride:], 4, w, n)
			}
		}, nil); err != nil {
			return nil, err
		}
		if err := Bands(ctx, w, 32, func(x0, x1 int) {
			for x := x0; x < x1; x++ {
				boxBlurLine(b.Pix[x*4:], a.Pix[x*4:], b.Stride, h, n)
			}
		}, nil); err != nil {
			return nil, err
		}
	}
	a.Depth = r.Depth
	return a, nil
}

// boxBlurLine averages each pixel of a line with n neighbours on both sides.
func boxBlurLine(from, to []uint8, step, length, n int) {
	var sum [3]int
	at := func(i int) int { return min(max(i, 0), length-1) * step }
	for i := -n; i <= n; i++ {
		for c := range 3 {
			sum[c] += int(from[at(i)+c])
		}
	}
	size := 2*n + 1
	for i := range length {
		o := i * step
		for c := range 3 {
			to[o+c] = uint8((sum[c] + n) / size)
			sum[c] += int(from[at(i+n+1)+c]) - int(from[at(i-n)+c])
		}
		to[o+3] = 255
	}
}
