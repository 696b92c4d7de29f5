package pixel

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"
)

// Swatch is a colour of a picture and how much of the picture has it.
type Swatch struct {
	Hex   string  `json:"hex"`
	Name  string  `json:"name"` // the lexicon's nearest
	Share float64 `json:"share"`
}

// PaletteOf returns the main colours of a picture, the most frequent first, at most n.
func PaletteOf(ctx context.Context, img image.Image, n int) ([]Swatch, error) {
	s, err := StudyOf(ctx, AsNRGBA(img), 160)
	if err != nil {
		return nil, err
	}
	return s.palette(n), nil
}

// palette groups the colours of a study: boxes of colours are halved where they
// are widest (median cut), similar ones are merged, and each pixel counts for
// the nearest.
func (s *Study) palette(n int) []Swatch {
	var all []Lab
	for i, c := range s.Colour {
		if !s.clear[i] {
			all = append(all, c)
		}
	}
	if len(all) == 0 || n < 1 {
		return nil
	}
	centres := CentresOf(all, 2*n)
	count := make([]int, len(centres))
	sums := make([]Lab, len(centres))
	for _, c := range all {
		k := NearestOf(centres, c)
		count[k]++
		sums[k] = sums[k].Plus(c)
	}
	out := make([]Swatch, 0, len(centres))
	for k, m := range count {
		if m == 0 {
			continue
		}
		mean := sums[k].Scaled(1 / float32(m))
		c := mean.RGB()
		out = append(out, Swatch{
			Hex:  fmt.Sprintf("#%02x%02x%02x", ByteOf(c.R), ByteOf(c.G), ByteOf(c.B)),
			Name: nearestName(mean), Share: rounded3(float64(m) / float64(len(all))),
		})
	}
	slices.SortStableFunc(out, func(a, b Swatch) int { return cmp.Compare(b.Share, a.Share) })
	return out[:min(len(out), n)]
}

// CentresOf finds up to n representative colours by k-means, started from a
// median cut.
func CentresOf(all []Lab, n int) []Lab {
	boxes := [][]Lab{slices.Clone(all)}
	for len(boxes) < n {
		widest, spread, axis := -1, float32(0.03), 0
		for i, b := range boxes {
			for a := range 3 {
				lo, hi := float32(9), float32(-9)
				for _, c := range b {
					v := c.part(a)
					lo, hi = min(lo, v), max(hi, v)
				}
				if hi-lo > spread && len(b) > 1 {
					widest, spread, axis = i, hi-lo, a
				}
			}
		}
		if widest < 0 {
			break
		}
		b := boxes[widest]
		slices.SortStableFunc(b, func(x, y Lab) int { return cmp.Compare(x.part(axis), y.part(axis)) })
		boxes[widest] = b[:len(b)/2]
		boxes = append(boxes, b[len(b)/2:])
	}
	var centres []Lab
	for _, b := range boxes {
		var sum Lab
		for _, c := range b {
			sum = sum.Plus(c)
		}
		centres = append(centres, sum.Scaled(1/float32(len(b))))
	}
	for range 4 {
		sums, counts := make([]Lab, len(centres)), make([]int, len(centres))
		for _, c := range all {
			k := NearestOf(centres, c)
			sums[k] = sums[k].Plus(c)
			counts[k]++
		}
		for k := range centres {
			if counts[k] > 0 {
				centres[k] = sums[k].Scaled(1 / float32(counts[k]))
			}
		}
	}
	// Colours that look the same are merged.
	var out []Lab
	for _, c := range centres {
		if !slices.ContainsFunc(out, func(o Lab) bool { return o.distance(c) < 0.055 }) {
			out = append(out, c)
		}
	}
	return out
}

func (c Lab) part(i int) float32 { return [3]float32{c.L, c.A, c.B}[i] }

// NearestOf returns the index of the centre that is nearest.
func NearestOf(centres []Lab, c Lab) int {
	best, at := float32(1e9), 0
	for k, o := range centres {
		if d := o.Minus(c).square(); d < best {
			best, at = d, k
		}
	}
	return at
}

func rounded3(v float64) float64 { return float64(int(v*1000+0.5)) / 1000 }
