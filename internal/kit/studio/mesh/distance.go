package mesh

import "math"

// outside measures for each pixel of a mask how far the nearest pixel outside
// is, exactly, and the border of the picture counts as outside.
func (m *mask) outside() []float64 {
	w, h := m.w+2, m.h+2
	f := make([]float64, w*h)
	for y := range m.h {
		for x := range m.w {
			if m.in[y*m.w+x] {
				f[(y+1)*w+x+1] = math.Inf(1)
			}
		}
	}
	line, out := make([]float64, max(w, h)), make([]float64, max(w, h))
	for x := range w {
		for y := range h {
			line[y] = f[y*w+x]
		}
		envelope(line[:h], out[:h])
		for y := range h {
			f[y*w+x] = out[y]
		}
	}
	for y := range h {
		copy(line[:w], f[y*w:(y+1)*w])
		envelope(line[:w], out[:w])
		copy(f[y*w:(y+1)*w], out[:w])
	}
	d := make([]float64, m.w*m.h)
	for y := range m.h {
		for x := range m.w {
			d[y*m.w+x] = math.Sqrt(f[(y+1)*w+x+1])
		}
	}
	return d
}

// envelope is the lower envelope of parabolas rooted at each place of a line: the
// squared distance to the nearest root, added to the root's own value.
func envelope(f, out []float64) {
	n := len(f)
	roots, from := make([]int, 0, n), make([]float64, 0, n+1)
	for q := range n {
		if math.IsInf(f[q], 1) {
			continue
		}
		start := math.Inf(-1)
		for len(roots) > 0 {
			p := roots[len(roots)-1]
			start = ((f[q] + float64(q*q)) - (f[p] + float64(p*p))) / float64(2*(q-p))
			if start > from[len(from)-1] {
				break
			}
			roots, from = roots[:len(roots)-1], from[:len(from)-1]
			start = math.Inf(-1)
		}
		roots, from = append(roots, q), append(from, start)
	}
	k := 0
	for q := range n {
		if len(roots) == 0 {
			out[q] = math.Inf(1)
			continue
		}
		for k+1 < len(roots) && from[k+1] < float64(q) {
			k++
		}
		d := float64(q - roots[k])
		out[q] = d*d + f[roots[k]]
	}
}
