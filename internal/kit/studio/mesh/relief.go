package mesh

import (
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
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
	// The mean removes the creases of the distance along the middle of a shape.
	for range 3 {
		f.height = pixel.MeanFilter(f.height, f.w, f.h)
	}
	for i, v := range d {
		if v == 0 {
			f.height[i] = 0
		}
	}
	return f
}

// at returns the height between pixels.
func (f *field) at(x, y float64) float64 { return pixel.Interpolate(f.height, f.w, f.h, x, y) }
