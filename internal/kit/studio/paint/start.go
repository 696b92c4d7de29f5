package paint

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// overlayStrength is the strength below which a starting picture gives its
// colours to a painted scene, and above which the scene is laid over it. A mix
// of the two, pixel by pixel, would show both half transparent.
const overlayStrength = 0.35

// startFrom makes a picture from a prompt and another picture.
func startFrom(ctx context.Context, scene Scene, r Request, progress func(float64)) (*image.NRGBA, error) {
	if r.Width < pixel.MinSide || r.Height < pixel.MinSide || r.Width > pixel.MaxSide || r.Height > pixel.MaxSide {
		return nil, pixel.ErrSize
	}
	look := LookOf(r.Model)
	start, err := pixel.Fit(ctx, r.Start, r.Width, r.Height)
	if err != nil {
		return nil, err
	}
	if r.StartStrength < overlayStrength {
		painted, err := paintScene(ctx, scene, look, r.Width, r.Height, r.Seed, 0, progress)
		if err != nil {
			return nil, err
		}
		return transferColours(ctx, painted.NRGBA, start, min(1.6*r.StartStrength/overlayStrength, 1))
	}
	tell := func(f float64) {
		if progress != nil {
			progress(f)
		}
	}
	out := start
	if scene.Time != "" || scene.Season != "" || len(scene.Weather) > 0 {
		if out, err = Relight(ctx, out, scene, look, r.Seed); err != nil {
			return nil, err
		}
	}
	tell(0.3)
	if len(scene.Sky) > 0 {
		if out, err = InsertSky(ctx, out, scene, look, r.Seed); err != nil {
			return nil, err
		}
	}
	tell(0.5)
	if len(scene.Subjects) > 0 || len(scene.Text) > 0 {
		if out, err = Insert(ctx, out, scene, look, image.Rectangle{}, r.Seed, nil); err != nil {
			return nil, err
		}
	}
	tell(0.8)
	// The nearer to 1, the less of style and look is applied.
	styled, err := Stylise(ctx, out, scene, look, r.Seed)
	if err != nil {
		return nil, err
	}
	m := pixel.NewMask(r.Width, r.Height)
	weight := pixel.ClampByte(float32(255 * min(1.7*(1-r.StartStrength), 1)))
	for i := range m.Pix {
		m.Pix[i] = weight
	}
	out, err = pixel.Blend(ctx, out, styled, m)
	tell(1)
	return out, err
}

// transferColours moves the mean and the deviation of a picture's colours to
// those of another (Reinhard et al. 2001), by amount.
func transferColours(ctx context.Context, img, from *image.NRGBA, amount float64) (*image.NRGBA, error) {
	mine, err := pixel.StudyOf(ctx, img, 128)
	if err != nil {
		return nil, err
	}
	theirs, err := pixel.StudyOf(ctx, from, 128)
	if err != nil {
		return nil, err
	}
	a, b := colourMoments(mine), colourMoments(theirs)
	ma, ca := a.Covariance()
	mb, cb := b.Covariance()
	var gain [3]float32
	for i, k := range [3]int{0, 3, 5} {
		gain[i] = float32(min(max(math.Sqrt(cb[k]/ca[k]), 0.5), 1.6))
	}
	t := float32(min(max(amount, 0), 1))
	out := pixel.Flatten(img)
	err = pixel.Bands(ctx, out.Rect.Dy(), 16, func(y0, y1 int) {
		for i := y0 * out.Stride; i < y1*out.Stride; i += 4 {
			p := out.Pix[i : i+3]
			c := pixel.LabOf(p[0], p[1], p[2])
			n := pixel.Lab{
				L: float32(mb[0]) + (c.L-float32(ma[0]))*gain[0], A: float32(mb[1]) + (c.A-float32(ma[1]))*gain[1], B: float32(mb[2]) + (c.B-float32(ma[2]))*gain[2],
			}
			q := c.Plus(n.Minus(c).Scaled(t)).RGB()
			p[0], p[1], p[2] = pixel.ByteOf(q.R), pixel.ByteOf(q.G), pixel.ByteOf(q.B)
		}
	}, nil)
	return out, err
}

func colourMoments(s *pixel.Study) (m pixel.Moments) {
	for _, c := range s.Colour {
		m.Add(c)
	}
	return m
}

// ErrNothingToPaint is returned when a prompt names no subject.
var ErrNothingToPaint = errors.New("the prompt names nothing that could be painted without a ground")

// PaintAlone paints the subjects of a prompt without anything around them, on
// transparent ground. They are painted on black and on white; the difference is
// the transparency.
func PaintAlone(ctx context.Context, r Request, progress func(float64)) (*image.NRGBA, error) {
	scene := r.read()
	if len(scene.Subjects) == 0 && len(scene.Text) == 0 {
		return nil, fmt.Errorf("%w; understood was: %s", ErrNothingToPaint, Describe(scene))
	}
	if r.Width < pixel.MinSide || r.Height < pixel.MinSide || r.Width > pixel.MaxSide || r.Height > pixel.MaxSide {
		return nil, pixel.ErrSize
	}
	var on [2]*pixel.Raster
	var last *renderer
	for i, ground := range []pixel.RGB{{}, {R: 1, G: 1, B: 1}} {
		s := newRenderer(scene, LookOf(r.Model), r.Width, r.Height, r.Seed, 0)
		s.world, s.scene.Settings = "plain", nil
		s.Wash(0, func(_, _ float32) (pixel.RGB, float32) { return ground, 1 })
		s.drawFigures()
		s.drawTexts()
		var err error
		if on[i], err = s.Paint(ctx, nil); err != nil {
			return nil, err
		}
		if last = s; progress != nil {
			progress(0.4 * float64(i+1))
		}
	}
	alpha := pixel.NewMask(r.Width, r.Height)
	black, white := on[0], on[1]
	for i := range alpha.Pix {
		p, q := black.Pix[4*i:4*i+4], white.Pix[4*i:4*i+4]
		seen := 255 - (int(q[0])-int(p[0])+int(q[1])-int(p[1])+int(q[2])-int(p[2]))/3
		if alpha.Pix[i] = uint8(min(max(seen, 0), 255)); seen <= 3 {
			alpha.Pix[i] = 0
		}
		for c := range 3 {
			if a := int(alpha.Pix[i]); a > 0 {
				p[c] = uint8(min(int(p[c])*255/a, 255))
			}
		}
	}
	out, err := last.finish(ctx, black, nil)
	if err != nil {
		return nil, err
	}
	for i, v := range alpha.Pix {
		if out.Pix[4*i+3] = v; v == 0 {
			out.Pix[4*i], out.Pix[4*i+1], out.Pix[4*i+2] = 0, 0, 0
		}
	}
	return out.NRGBA, nil
}
