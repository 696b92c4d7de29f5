package footage

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/film"
)

// Sharpener sharpens lightness. The result stays near the range of the
// neighbours, so that edges get no halo; small differences are left alone, so
// that noise is not sharpened.
type Sharpener struct {
	w, h      int
	reach     int
	amount    int32 // in 256ths
	over      int32
	Threshold int32
	blur      []uint8
	next      []uint8
}

// NewSharpener returns a Sharpener for frames of w by h that were enlarged by a
// scale.
func NewSharpener(w, h int, scale float64, sharper bool) *Sharpener {
	e := &Sharpener{w: w, h: h, reach: max(1, int(math.Round(scale/1.6))), amount: 190, over: 3, Threshold: 2, blur: make([]uint8, w*h), next: make([]uint8, w*h)}
	if sharper {
		e.amount, e.over, e.Threshold = 330, 8, 1
	}
	return e
}

// Sharpen works on a frame in place.
func (e *Sharpener) Sharpen(s *film.Samples) {
	w, h, r := e.w, e.h, e.reach
	n := int32(2*r + 1)
	// A running mean across, then one down.
	Rows(h, func(y int) {
		in, out := s.Y[y*s.YStride:][:w], e.next[y*w:][:w]
		sum := int32(0)
		for x := -r; x <= r; x++ {
			sum += int32(in[min(max(x, 0), w-1)])
		}
		for x := range w {
			out[x] = uint8((sum + n/2) / n)
			sum += int32(in[min(x+r+1, w-1)]) - int32(in[max(x-r, 0)])
		}
	})
	Rows(h, func(y int) {
		out := e.blur[y*w:][:w]
		var sum [4096]int32
		wide := sum[:min(w, len(sum))]
		for x0 := 0; x0 < w; x0 += len(wide) {
			part := wide[:min(len(wide), w-x0)]
			clear(part)
			for d := -r; d <= r; d++ {
				for x, v := range e.next[min(max(y+d, 0), h-1)*w+x0:][:len(part)] {
					part[x] += int32(v)
				}
			}
			for x, v := range part {
				out[x0+x] = uint8((v + n/2) / n)
			}
		}
	})
	Rows(h, func(y int) {
		line, soft, out := s.Y[y*s.YStride:][:w], e.blur[y*w:][:w], e.next[y*w:][:w]
		up, down := s.Y[max(y-r, 0)*s.YStride:][:w], s.Y[min(y+r, h-1)*s.YStride:][:w]
		for x := range w {
			v := int32(line[x])
			d := v - int32(soft[x])
			if d <= e.Threshold && d >= -e.Threshold {
				out[x] = line[x]
				continue
			}
			a, b, c, f := int32(up[x]), int32(down[x]), int32(line[max(x-r, 0)]), int32(line[min(x+r, w-1)])
			low, high := min(v, a, b, c, f)-e.over, max(v, a, b, c, f)+e.over
			out[x] = ByteOf(min(max(v+d*e.amount>>8, low), high))
		}
	})
	Rows(h, func(y int) { copy(s.Y[y*s.YStride:][:w], e.next[y*w:][:w]) })
}
