package pixel

import (
	"math"
	"slices"
)

// salience returns how much each pixel stands out, from 0 to 1: background reaches
// the edge of the picture without crossing a barrier of colour, a subject does
// not (minimum barrier distance: Zhang et al. 2015), and its colours are not
// those of the edge.
func (s *Study) salience() []float32 {
	seeds := s.edgeSeeds()
	out := make([]float32, len(s.Colour))
	for channel := range 3 {
		for i, d := range s.barrier(channel, seeds) {
			out[i] += d
		}
	}
	// The border's own colours, wherever they are, count less.
	var border []Lab
	for i, on := range seeds {
		if on {
			border = append(border, s.Colour[i])
		}
	}
	known := mixtureOf(border)
	fit := make([]float32, len(out))
	for i, c := range s.Colour {
		fit[i] = float32(math.Sqrt(max(known.nearest(c), 0)))
	}
	level(out)
	level(fit)
	for i := range out {
		x, y := float64(i%s.W)/float64(s.W)-0.5, float64(i/s.W)/float64(s.H)-0.5
		centre := float32(math.Exp(-2.2 * (x*x + y*y)))
		out[i] = (0.65*out[i] + 0.35*fit[i]) * centre
		if s.clear[i] {
			out[i] = 0
		}
	}
	level(out)
	return out
}

// nearest returns the squared distance of a colour from the nearest Gaussian,
// in standard deviations.
func (m mixture) nearest(c Lab) float64 {
	best := math.Inf(1)
	for i := range m {
		g := &m[i]
		best = min(best, 2*(g.level-g.likelihood(c)))
	}
	return min(best, 400)
}

// level stretches numbers so that all but the outermost fall between 0 and 1.
func level(v []float32) {
	sorted := slices.Clone(v)
	slices.Sort(sorted)
	lo, hi := sorted[len(sorted)/100], sorted[len(sorted)-1-len(sorted)/100]
	k := 1 / max(hi-lo, 1e-6)
	for i := range v {
		v[i] = Unit((v[i] - lo) * k)
	}
}

// edgeSeeds returns the pixels of the picture's edge that are background. A subject
// that touches the edge has colours that are rare there.
func (s *Study) edgeSeeds() []bool {
	seeds := make([]bool, len(s.Colour))
	var rim []int
	var colours []Lab
	for i := range seeds {
		if s.OnEdge(i, 2) && !s.clear[i] {
			rim = append(rim, i)
			// The subject often touches the lower edge.
			if i/s.W < s.H-2 {
				colours = append(colours, s.Colour[i])
			}
		}
	}
	const alike = 0.12
	for _, i := range rim {
		near, step := 0, max(len(colours)/200, 1)
		for k := 0; k < len(colours); k += step {
			if s.Colour[i].Minus(colours[k]).square() < alike*alike {
				near++
			}
		}
		seeds[i] = near*step*14 > len(colours)
	}
	return seeds
}

// barrier returns for each pixel the least difference between the highest and
// the lowest value on any way to a seed, by three sweeps over the study.
func (s *Study) barrier(channel int, seeds []bool) []float32 {
	n := len(s.Colour)
	value := make([]float32, n)
	for i, c := range s.Colour {
		value[i] = [3]float32{c.L, c.A, c.B}[channel]
	}
	high, low, dist := slices.Clone(value), slices.Clone(value), make([]float32, n)
	for i := range dist {
		if !seeds[i] && !s.clear[i] {
			dist[i] = math.MaxFloat32
		}
	}
	try := func(i, j int) {
		h, l := max(high[j], value[i]), min(low[j], value[i])
		if h-l < dist[i] {
			dist[i], high[i], low[i] = h-l, h, l
		}
	}
	for sweep := range 4 {
		if sweep%2 == 0 {
			for y := range s.H {
				for x := range s.W {
					if i := y*s.W + x; dist[i] > 0 {
						if x > 0 {
							try(i, i-1)
						}
						if y > 0 {
							try(i, i-s.W)
						}
					}
				}
			}
			continue
		}
		for y := s.H - 1; y >= 0; y-- {
			for x := s.W - 1; x >= 0; x-- {
				if i := y*s.W + x; dist[i] > 0 {
					if x < s.W-1 {
						try(i, i+1)
					}
					if y < s.H-1 {
						try(i, i+s.W)
					}
				}
			}
		}
	}
	for i := range dist {
		dist[i] = min(dist[i], 2)
	}
	return dist
}

// OtsuThreshold returns the threshold that divides numbers from 0 to 1 best into low
// and high ones (Otsu 1979).
func OtsuThreshold(v []float32) float32 {
	var count [256]float64
	for _, x := range v {
		count[int(Unit(x)*255)]++
	}
	var total, all float64
	for i, n := range count {
		total += n
		all += n * float64(i)
	}
	var n, sum, best float64
	at := 128
	for i, c := range count {
		n += c
		sum += c * float64(i)
		if n == 0 || n == total {
			continue
		}
		a, b := sum/n, (all-sum)/(total-n)
		if v := n * (total - n) * (a - b) * (a - b); v > best {
			best, at = v, i
		}
	}
	return float32(at) / 255
}
