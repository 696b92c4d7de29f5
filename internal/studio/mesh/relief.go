package mesh

import (
	"image"
	"math"
)

// field is a height over the analysed picture, in pixels of it.
type field struct {
	w, h   int
	height []float64
}

// heights inflates a mask: round at the rim, flatter where it is wide, with a
// trace of the picture's light and dark on top.
func heights(m *mask, img *image.NRGBA) *field {
	d := m.outside()
	deepest := 0.0
	for _, v := range d {
		deepest = max(deepest, v)
	}
	reach := max(min(deepest, float64(max(m.w, m.h))*0.22), 1)
	f := &field{m.w, m.h, make([]float64, len(d))}
	for i, v := range d {
		t := min(v/reach, 1)
		p := img.Pix[i*4:]
		light := (0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2])) / 255
		round := math.Sqrt(max(0, 1-(1-t)*(1-t)))
		f.height[i] = reach * 0.72 * round * (0.96 + 0.08*(light-0.5)*t)
	}
	f.soften(3)
	for i, v := range d {
		if v == 0 {
			f.height[i] = 0
		}
	}
	return f
}

// soften takes the mean of neighbours, which removes the creases that the
// distance has along the middle of a shape.
func (f *field) soften(times int) {
	for range times {
		next := make([]float64, len(f.height))
		for y := range f.h {
			for x := range f.w {
				sum, n := 0.0, 0.0
				for dy := -2; dy <= 2; dy++ {
					for dx := -2; dx <= 2; dx++ {
						if i, j := x+dx, y+dy; i >= 0 && j >= 0 && i < f.w && j < f.h {
							sum += f.height[j*f.w+i]
							n++
						}
					}
				}
				next[y*f.w+x] = sum / n
			}
		}
		f.height = next
	}
}

// at reads the height between pixels.
func (f *field) at(x, y float64) float64 {
	x, y = min(max(x, 0), float64(f.w-1)), min(max(y, 0), float64(f.h-1))
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, f.w-1), min(y0+1, f.h-1)
	fx, fy := x-float64(x0), y-float64(y0)
	a := f.height[y0*f.w+x0]*(1-fx) + f.height[y0*f.w+x1]*fx
	b := f.height[y1*f.w+x0]*(1-fx) + f.height[y1*f.w+x1]*fx
	return a*(1-fy) + b*fy
}
