package mesh

import (
	"image"
	"math"
)

// segmentation separates the subject from the background by colour: a few colours
// represent each, learned first from the middle and the border and then from
// the result itself.
type segmentation struct {
	w, h  int
	pix   [][3]float32
	prior []float32 // how central a pixel is, from -1 to 1
	score []float32 // above 0 is subject
}

const (
	groundTones = 14
	figureTones = 9
	rounds      = 4
	spreads     = 8  // passes of smoothing in each round
	unlike      = 26 // a colour this far from every ground tone is not ground
)

func newSegmentation(img *image.NRGBA) *segmentation {
	s := &segmentation{w: img.Rect.Dx(), h: img.Rect.Dy()}
	n := s.w * s.h
	s.pix, s.prior, s.score = make([][3]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		p := img.Pix[i*4:]
		s.pix[i] = [3]float32{float32(p[0]), float32(p[1]), float32(p[2])}
		u, v := (float64(i%s.w)+0.5)/float64(s.w)-0.5, (float64(i/s.w)+0.5)/float64(s.h)-0.53
		s.prior[i] = float32(1 - 2*min(math.Hypot(u, v*0.92)/0.46, 1.2))
	}
	return s
}

// subject returns which pixels belong to the subject.
func (s *segmentation) subject() []bool {
	for i := range s.score {
		s.score[i] = s.prior[i]
	}
	for round := range rounds {
		ground, figure := s.learn(round == 0)
		weight := float32(0.42 - 0.08*float64(round))
		for i, p := range s.pix {
			b, f := nearest(ground, p), nearest(figure, p)
			strange := float32(math.Tanh(math.Sqrt(float64(b))/unlike - 1))
			s.score[i] = 0.5*(b-f)/(b+f+300) + 0.7*strange + weight*s.prior[i]
		}
		s.spread()
	}
	out := make([]bool, len(s.score))
	for i, v := range s.score {
		out[i] = v > 0
	}
	return out
}

// learn finds the tones of both sides from the current result. The border is
// always background, except below, where a subject may stand on the edge; at
// first nothing else is, because a subject may reach far from the middle.
func (s *segmentation) learn(first bool) (ground, figure [][3]float32) {
	var out, in [][3]float32
	rim := max(min(s.w, s.h)/18, 1)
	for i, p := range s.pix {
		x, y := i%s.w, i/s.w
		side := x < rim || x >= s.w-rim || y < rim || y >= s.h-rim && (x < s.w/4 || x >= s.w-s.w/4)
		switch {
		case side || !first && s.score[i] < -0.25:
			out = append(out, p)
		case s.score[i] > 0.15:
			in = append(in, p)
		}
	}
	return tones(out, groundTones), tones(in, figureTones)
}

// tones returns n representative colours by k-means.
func tones(of [][3]float32, n int) [][3]float32 {
	if len(of) == 0 {
		return [][3]float32{{127, 127, 127}}
	}
	step := max(len(of)/3000, 1)
	picked := [][3]float32{of[len(of)/2]}
	for len(picked) < n {
		far, most := 0, float32(-1)
		for i := 0; i < len(of); i += step {
			if d := nearest(picked, of[i]); d > most {
				far, most = i, d
			}
		}
		picked = append(picked, of[far])
	}
	for range 5 {
		sums, counts := make([][3]float32, n), make([]float32, n)
		for i := 0; i < len(of); i += step {
			k := nearestIndex(picked, of[i])
			for c := range 3 {
				sums[k][c] += of[i][c]
			}
			counts[k]++
		}
		for k := range picked {
			if counts[k] > 0 {
				for c := range 3 {
					picked[k][c] = sums[k][c] / counts[k]
				}
			}
		}
	}
	return picked
}

func square(a, b [3]float32) float32 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return x*x + y*y + z*z
}

func nearestIndex(tones [][3]float32, p [3]float32) int {
	best, least := 0, float32(math.MaxFloat32)
	for i, t := range tones {
		if d := square(t, p); d < least {
			best, least = i, d
		}
	}
	return best
}

func nearest(tones [][3]float32, p [3]float32) float32 {
	least := float32(math.MaxFloat32)
	for _, t := range tones {
		least = min(least, square(t, p))
	}
	return least
}

// spread averages the scores of neighbours of similar colour, so that the
// border moves to the edges of the picture.
func (s *segmentation) spread() {
	next := make([]float32, len(s.score))
	right, below := make([]float32, len(s.score)), make([]float32, len(s.score))
	for i := range s.pix {
		if i%s.w+1 < s.w {
			right[i] = 1 / (1 + square(s.pix[i], s.pix[i+1])/260)
		}
		if i+s.w < len(s.pix) {
			below[i] = 1 / (1 + square(s.pix[i], s.pix[i+s.w])/260)
		}
	}
	for range spreads {
		for i := range next {
			sum, total := s.score[i]*1.5, float32(1.5)
			if k := right[i]; k > 0 {
				sum, total = sum+k*s.score[i+1], total+k
			}
			if k := below[i]; k > 0 {
				sum, total = sum+k*s.score[i+s.w], total+k
			}
			if i%s.w > 0 {
				sum, total = sum+right[i-1]*s.score[i-1], total+right[i-1]
			}
			if i >= s.w {
				sum, total = sum+below[i-s.w]*s.score[i-s.w], total+below[i-s.w]
			}
			next[i] = sum / total
		}
		s.score, next = next, s.score
	}
}
