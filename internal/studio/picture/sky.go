package picture

import (
	"context"
	"image"
)

// Sky finds the smooth area that comes down from the top of a picture, which out
// of doors is the sky. It answers nil when there is none.
func Sky(ctx context.Context, img image.Image) (*Mask, error) {
	src := seen(img)
	s, err := studyOf(ctx, src, studySide)
	if err != nil {
		return nil, err
	}
	m, err := s.sky(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	return matte(ctx, src, m)
}

func (s *study) sky(ctx context.Context) (*Mask, error) {
	if s.w < 8 || s.h < 8 {
		return nil, nil
	}
	seeds := make([]bool, len(s.colour))
	for i := range s.w * 2 {
		x, y := i%s.w, i/s.w
		seeds[y*s.w+x] = s.rough(x, y) < 0.05
	}
	climb := make([]float32, len(s.colour))
	for channel := range 3 {
		for i, d := range s.barrier(channel, seeds) {
			climb[i] += d
		}
	}
	hints := make([]hint, len(s.colour))
	for i, d := range climb {
		x, y := i%s.w, i/s.w
		switch {
		case y > s.h*9/10 && d > 0.28:
			hints[i] = surelyOut
		case seeds[i]:
			hints[i] = surelyIn
		case d < 0.28 && s.rough(x, y) < 0.06:
			hints[i] = likelyIn
		default:
			hints[i] = likelyOut
		}
	}
	in, err := s.cut(ctx, hints, 3)
	if err != nil {
		return nil, err
	}
	top := make([]int, s.w)
	for x := range top {
		top[x] = x
	}
	m := s.holding(maskOf(s.w, s.h, in), top).Filled(0.01)
	if !s.airy(m) {
		return nil, nil
	}
	return m, nil
}

// rough is how much the colour changes around a pixel.
func (s *study) rough(x, y int) float32 {
	return (s.at(x-1, y).distance(s.at(x+1, y)) + s.at(x, y-1).distance(s.at(x, y+1))) / 2
}

// airy says whether an area can be sky: large, along most of the top, smooth,
// not green, and lighter or bluer than what lies below.
func (s *study) airy(m *Mask) bool {
	along, n, rough := 0, 0, float32(0)
	var above, below lab
	for i, v := range m.Pix {
		if v < 128 {
			below = below.plus(s.colour[i])
			continue
		}
		n++
		above = above.plus(s.colour[i])
		rough += s.rough(i%s.w, i/s.w)
		if i < s.w {
			along++
		}
	}
	if rest := len(m.Pix) - n; n*25 < len(m.Pix) || rest*25 < len(m.Pix) || along*2 < s.w {
		return false
	}
	above, below = above.scaled(1/float32(n)), below.scaled(1/float32(len(m.Pix)-n))
	green := above.a < -0.06 && above.b > 0
	return rough/float32(n) < 0.03 && !green && (above.l > below.l+0.02 || above.b < below.b-0.04)
}
