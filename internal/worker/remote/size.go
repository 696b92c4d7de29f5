package remote

import (
	"fmt"
	"math"

	"github.com/atelier-project/atelier/internal/catalog"
)

// imageSize is the size of a picture as the images API spells it. Sizes that were
// not chosen, such as that of a source, become the nearest that the model can make.
func imageSize(w, h float64, s *catalog.Size) string {
	if !(w > 0) || !(h > 0) || w > 1e6 || h > 1e6 {
		return "auto"
	}
	if s == nil {
		return fmt.Sprintf("%.0fx%.0f", w, h)
	}
	if s.MaxAspect > 0 {
		if w > h*s.MaxAspect {
			w = h * s.MaxAspect
		} else if h > w*s.MaxAspect {
			h = w * s.MaxAspect
		}
	}
	scale := func(k float64) { w, h = w*k, h*k }
	if n := float64(s.MinPixels); n > 0 && w*h < n {
		scale(math.Sqrt(n / (w * h)))
	}
	if n := float64(s.MaxPixels); n > 0 && w*h > n {
		scale(math.Sqrt(n / (w * h)))
	}
	if n := float64(s.Max); n > 0 && max(w, h) > n {
		scale(n / max(w, h))
	}
	step := float64(max(1, s.Multiple))
	edge := func(x float64) float64 {
		n := max(step, math.Round(x/step)*step)
		if s.Max > 0 && n > float64(s.Max) {
			n -= step
		}
		return n
	}
	a, b := edge(w), edge(h)
	// Rounding may have exceeded a limit that lies between two multiples.
	for s.MaxPixels > 0 && a*b > float64(s.MaxPixels) {
		if a >= b {
			a -= step
		} else {
			b -= step
		}
	}
	for n := 0; n < 64 && (s.MinPixels > 0 && a*b < float64(s.MinPixels) || s.MaxAspect > 0 && max(a, b) > s.MaxAspect*min(a, b)); n++ {
		if a <= b {
			a += step
		} else {
			b += step
		}
	}
	return fmt.Sprintf("%.0fx%.0f", a, b)
}
