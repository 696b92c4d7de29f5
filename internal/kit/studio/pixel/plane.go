package pixel

import "context"

// Plane is one number for each pixel.
type Plane struct {
	w, h int
	V    []float32
}

func newPlane(w, h int) *Plane { return &Plane{w, h, make([]float32, w*h)} }

// Soften replaces each number by the mean within n pixels; beyond the edge the
// values of the edge continue.
func (p *Plane) Soften(ctx context.Context, n int) error {
	if n < 1 {
		return ctx.Err()
	}
	other := make([]float32, len(p.V))
	if err := Bands(ctx, p.h, 32, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			mean(p.V[y*p.w:], other[y*p.w:], 1, p.w, n)
		}
	}, nil); err != nil {
		return err
	}
	// Columns are summed row by row, so that memory is read in order.
	strip := 64
	return Bands(ctx, p.w, strip, func(x0, x1 int) {
		sum := make([]float64, x1-x0)
		row := func(y int) []float32 {
			y = min(max(y, 0), p.h-1)
			return other[y*p.w+x0 : y*p.w+x1]
		}
		for i := -n; i <= n; i++ {
			for x, v := range row(i) {
				sum[x] += float64(v)
			}
		}
		k := 1 / float64(2*n+1)
		for y := range p.h {
			in, out, to := row(y+n+1), row(y-n), p.V[y*p.w+x0:]
			for x := range sum {
				to[x] = float32(sum[x] * k)
				sum[x] += float64(in[x]) - float64(out[x])
			}
		}
	}, nil)
}

func mean(from, to []float32, step, length, n int) {
	at := func(i int) float64 { return float64(from[min(max(i, 0), length-1)*step]) }
	var sum float64
	for i := -n; i <= n; i++ {
		sum += at(i)
	}
	k := 1 / float64(2*n+1)
	for i := range length {
		to[i*step] = float32(sum * k)
		sum += at(i+n+1) - at(i-n)
	}
}

// at interpolates the plane as if it were scaled.
func (p *Plane) at(x, y int, kx, ky float32) float32 {
	fx := min(max((float32(x)+0.5)*kx-0.5, 0), float32(p.w-1))
	fy := min(max((float32(y)+0.5)*ky-0.5, 0), float32(p.h-1))
	x0, y0 := int(fx), int(fy)
	x1, y1 := min(x0+1, p.w-1), min(y0+1, p.h-1)
	fx, fy = fx-float32(x0), fy-float32(y0)
	top := p.V[y0*p.w+x0]*(1-fx) + p.V[y0*p.w+x1]*fx
	low := p.V[y1*p.w+x0]*(1-fx) + p.V[y1*p.w+x1]*fx
	return top*(1-fy) + low*fy
}

// MeanFilter returns the mean of the 5 by 5 values around each value of a plane.
func MeanFilter[T float32 | float64](v []T, w, h int) []T {
	out := make([]T, len(v))
	for y := range h {
		for x := range w {
			var sum, n T
			for j := max(y-2, 0); j <= min(y+2, h-1); j++ {
				for i := max(x-2, 0); i <= min(x+2, w-1); i++ {
					sum += v[j*w+i]
					n++
				}
			}
			out[y*w+x] = sum / n
		}
	}
	return out
}

// Interpolate returns the value of a plane between its pixels.
func Interpolate[T float32 | float64](v []T, w, h int, x, y float64) T {
	x, y = min(max(x, 0), float64(w-1)), min(max(y, 0), float64(h-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, w-1), min(y0+1, h-1)
	fx, fy := T(x-float64(x0)), T(y-float64(y0))
	a := v[y0*w+x0]*(1-fx) + v[y0*w+x1]*fx
	b := v[y1*w+x0]*(1-fx) + v[y1*w+x1]*fx
	return a*(1-fy) + b*fy
}
