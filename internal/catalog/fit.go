package catalog

import "math"

// Fit is the size nearest to w by h that the model can make. The limits scale both edges
// before they change the shape.
func (s *Size) Fit(w, h float64) (int, int) {
	scale := func(k float64) { w, h = w*k, h*k }
	if s.MaxAspect > 0 {
		w, h = min(w, h*s.MaxAspect), min(h, w*s.MaxAspect)
	}
	if n := float64(s.Min); min(w, h) < n {
		scale(n / min(w, h))
	}
	if n := float64(s.MinPixels); w*h < n {
		scale(math.Sqrt(n / (w * h)))
	}
	if n := float64(s.MaxPixels); n > 0 && w*h > n {
		scale(math.Sqrt(n / (w * h)))
	}
	if n := float64(s.Max); n > 0 && max(w, h) > n {
		scale(n / max(w, h))
	}
	return s.round(w, h)
}

// round moves edges to multiples that are inside the limits.
func (s *Size) round(w, h float64) (int, int) {
	step := max(1, s.Multiple)
	edge := func(x float64) int {
		n := max(step, int(math.Round(x/float64(step)))*step)
		if s.Max > 0 && n > s.Max {
			n = s.Max / step * step
		}
		if n < s.Min {
			n = (s.Min + step - 1) / step * step
		}
		return n
	}
	a, b := edge(w), edge(h)
	// Rounding may have exceeded a limit that lies between two multiples.
	for s.MaxPixels > 0 && a*b > s.MaxPixels {
		if a >= b {
			a -= step
		} else {
			b -= step
		}
	}
	for n := 0; n < 64 && (a*b < s.MinPixels || s.MaxAspect > 0 && float64(max(a, b)) > s.MaxAspect*float64(min(a, b))); n++ {
		if a <= b {
			a += step
		} else {
			b += step
		}
	}
	return a, b
}
