package pixel

import (
	"context"
	"image"
)

// Sky finds the smooth area at the top of a picture, which is the sky in an
// outdoor picture. It returns nil when there is none.
func Sky(ctx context.Context, img image.Image) (*Mask, error) {
	src := AsNRGBA(img)
	s, err := StudyOf(ctx, src, StudySide)
	if err != nil {
		return nil, err
	}
	m, err := s.Sky(ctx)
	if m == nil || err != nil {
		return nil, err
	}
	return Matte(ctx, src, m)
}

// Sky returns where the sky is; nil when there is none.
func (s *Study) Sky(ctx context.Context) (*Mask, error) {
	if s.W < 8 || s.H < 8 {
		return nil, nil
	}
	seeds := make([]bool, len(s.Colour))
	for i := range s.W * 2 {
		x, y := i%s.W, i/s.W
		seeds[y*s.W+x] = s.Gradient(x, y) < 0.05
	}
	climb := make([]float32, len(s.Colour))
	for channel := range 3 {
		for i, d := range s.barrier(channel, seeds) {
			climb[i] += d
		}
	}
	hints := make([]CutHint, len(s.Colour))
	for i, d := range climb {
		x, y := i%s.W, i/s.W
		switch {
		case y > s.H*9/10 && d > 0.28:
			hints[i] = SurelyOut
		case seeds[i]:
			hints[i] = SurelyIn
		case d < 0.28 && s.Gradient(x, y) < 0.06:
			hints[i] = LikelyIn
		default:
			hints[i] = LikelyOut
		}
	}
	in, err := s.Cut(ctx, hints, 3)
	if err != nil {
		return nil, err
	}
	top := make([]int, s.W)
	for x := range top {
		top[x] = x
	}
	m := s.ComponentsWith(MaskOfPixels(s.W, s.H, in), top).FillHoles(0.01)
	if !s.canBeSky(m) {
		return nil, nil
	}
	return m, nil
}

// Gradient returns how much the colour changes around a pixel.
func (s *Study) Gradient(x, y int) float32 {
	return (s.at(x-1, y).distance(s.at(x+1, y)) + s.at(x, y-1).distance(s.at(x, y+1))) / 2
}

// canBeSky reports whether an area can be sky: large, along most of the top, smooth,
// not green, and lighter or bluer than what lies below.
func (s *Study) canBeSky(m *Mask) bool {
	along, n, rough := 0, 0, float32(0)
	var above, below Lab
	for i, v := range m.Pix {
		if v < 128 {
			below = below.Plus(s.Colour[i])
			continue
		}
		n++
		above = above.Plus(s.Colour[i])
		rough += s.Gradient(i%s.W, i/s.W)
		if i < s.W {
			along++
		}
	}
	if rest := len(m.Pix) - n; n*25 < len(m.Pix) || rest*25 < len(m.Pix) || along*2 < s.W {
		return false
	}
	above, below = above.Scaled(1/float32(n)), below.Scaled(1/float32(len(m.Pix)-n))
	green := above.A < -0.06 && above.B > 0
	return rough/float32(n) < 0.03 && !green && (above.L > below.L+0.02 || above.B < below.B-0.04)
}

// Tint gives a grey picture colours by lightness and place: warm tones from brown
// to cream, and a blue sky where one is seen. It is a tint, not the colours that
// were there.
func Tint(ctx context.Context, img image.Image) (*image.NRGBA, error) {
	src := Flatten(img)
	sky, err := Sky(ctx, src)
	if err != nil {
		return nil, err
	}
	warm := Ramp{{0, MustHex("#120c0a")}, {0.25, MustHex("#4a3426")}, {0.5, MustHex("#94785c")}, {0.75, MustHex("#d8bd9c")}, {1, MustHex("#fdf8ee")}}
	blue := Ramp{{0, MustHex("#0c1626")}, {0.5, MustHex("#5f8fc0")}, {1, MustHex("#eef5fb")}}
	w := src.Rect.Dx()
	out, err := Redraw(ctx, &Raster{src, nil}, func(x, y int) RGB {
		p := src.Pix[y*src.Stride+x*4:]
		c := RGB{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
		l := c.Luma()
		tinted := warm.At(l)
		if sky != nil {
			tinted = Mix(tinted, blue.At(l), float32(sky.Pix[y*w+x])/255)
		}
		return Mix(c, tinted, 0.8)
	})
	if err != nil {
		return nil, err
	}
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = src.Pix[i]
	}
	return out.NRGBA, nil
}
