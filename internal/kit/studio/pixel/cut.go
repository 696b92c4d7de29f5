package pixel

import (
	"context"
	"math"
)

// CutHint is what is known about a pixel before a cut.
type CutHint uint8

const (
	SurelyOut CutHint = iota
	LikelyOut
	LikelyIn
	SurelyIn
)

// edgeStrength is the cost of a border between two similar neighbours, relative
// to that of a pixel on the side whose colours it does not have; as whole
// numbers.
const (
	edgeStrength = 42
	costStep     = 256
	never        = 1 << 24
)

// Cut divides a study into inside and outside: it learns the colours from the
// hints, finds the cheapest border, and repeats both until nothing changes
// (GrabCut: Rother, Kolmogorov, Blake 2004).
func (s *Study) Cut(ctx context.Context, hints []CutHint, rounds int) ([]bool, error) {
	in := make([]bool, len(hints))
	for i, h := range hints {
		in[i] = h >= LikelyIn && !s.clear[i]
	}
	ties := s.edgeWeights()
	for range rounds {
		var mine, others []Lab
		for i, c := range s.Colour {
			switch {
			case s.clear[i]:
			case in[i]:
				mine = append(mine, c)
			default:
				others = append(others, c)
			}
		}
		inside, outside := mixtureOf(mine), mixtureOf(others)
		if inside == nil || outside == nil {
			return in, nil
		}
		next, err := s.divide(ctx, hints, inside, outside, ties)
		if err != nil {
			return nil, err
		}
		changed := 0
		for i := range in {
			if in[i] != next[i] {
				changed++
			}
		}
		if in = next; changed*2000 < len(in) {
			break
		}
	}
	return in, nil
}

// divide finds the cheapest border for given colours of both sides.
func (s *Study) divide(ctx context.Context, hints []CutHint, inside, outside mixture, ties *[4][]int32) ([]bool, error) {
	g := newMincut(s.W, s.H)
	err := Bands(ctx, s.H, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range s.W {
				i, n := y*s.W+x, g.node(x, y)
				switch {
				case hints[i] == SurelyIn && !s.clear[i]:
					g.terminal[n] = never
				case hints[i] == SurelyOut || s.clear[i]:
					g.terminal[n] = -never
				default:
					d := outside.cost(s.Colour[i]) - inside.cost(s.Colour[i])
					g.terminal[n] = int32(min(max(d, -60), 60) * costStep)
				}
			}
		}
	}, nil)
	if err != nil {
		return nil, err
	}
	for d := range 4 {
		for y := range s.H {
			for x := range s.W {
				if v := ties[d][y*s.W+x]; v > 0 {
					g.connect(g.node(x, y), d, v)
				}
			}
		}
	}
	return g.cut(ctx)
}

// edgeWeights returns the weight of the edge between neighbours: the less their
// colours differ, relative to the whole picture, the higher.
func (s *Study) edgeWeights() *[4][]int32 {
	next := [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}
	var out [4][]int32
	var sum, n float64
	for d, by := range next {
		out[d] = make([]int32, s.W*s.H)
		s.pairs(by, func(i, j int) {
			sum += float64(s.Colour[i].Minus(s.Colour[j]).square())
			n++
		})
	}
	beta := 1 / max(2*sum/max(n, 1), 1e-6)
	for d, by := range next {
		length := math.Hypot(float64(by[0]), float64(by[1]))
		s.pairs(by, func(i, j int) {
			diff := float64(s.Colour[i].Minus(s.Colour[j]).square())
			out[d][i] = int32(edgeStrength / length * math.Exp(-beta*diff) * costStep)
		})
	}
	return &out
}

// pairs visits every pixel that has a neighbour in a direction.
func (s *Study) pairs(by [2]int, visit func(i, j int)) {
	for y := range s.H - by[1] {
		for x := max(-by[0], 0); x < s.W-max(by[0], 0); x++ {
			visit(y*s.W+x, (y+by[1])*s.W+x+by[0])
		}
	}
}

// Score returns how well a selection can be distinguished from its surroundings
// by colour, from 0, not at all, to 1. Only the neighbourhood counts: a red car
// is compared with the road, not with a red flower elsewhere.
func (s *Study) Score(m *Mask) float64 {
	reach := max(max(s.W, s.H)/12, 3)
	around := m.Dilate(reach)
	var mine, others []Lab
	for i, c := range s.Colour {
		switch {
		case s.clear[i]:
		case m.Pix[i] >= 128:
			mine = append(mine, c)
		case around.Pix[i] >= 128:
			others = append(others, c)
		}
	}
	if len(mine) == 0 || len(others) == 0 {
		return 0
	}
	inside, outside := mixtureOf(mine), mixtureOf(others)
	right := func(of []Lab, a, b mixture) float64 {
		n := 0
		for _, c := range of {
			if a.cost(c) < b.cost(c) {
				n++
			}
		}
		return float64(n) / float64(len(of))
	}
	return max(right(mine, inside, outside)+right(others, outside, inside)-1, 0)
}
