package picture

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
)

// mostlyPainted is the strength below which a starting picture gives its colours
// to a painted scene, and above which the scene is laid over it. Mixing the two
// pixel by pixel would show both as ghosts.
const mostlyPainted = 0.35

// startFrom makes a picture from a prompt and another picture.
func startFrom(ctx context.Context, scene Scene, r Request, progress func(float64)) (*image.NRGBA, error) {
	if r.Width < minSide || r.Height < minSide || r.Width > maxSide || r.Height > maxSide {
		return nil, ErrSize
	}
	look := LookOf(r.Model)
	start, err := Fit(ctx, r.Start, r.Width, r.Height)
	if err != nil {
		return nil, err
	}
	if r.StartStrength < mostlyPainted {
		painted, err := paintScene(ctx, scene, look, r.Width, r.Height, r.Seed, 0, progress)
		if err != nil {
			return nil, err
		}
		return borrowColours(ctx, painted.NRGBA, start, min(1.6*r.StartStrength/mostlyPainted, 1))
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
	// The nearer to 1 the less of style and look is laid over.
	styled, err := Stylise(ctx, out, scene, look, r.Seed)
	if err != nil {
		return nil, err
	}
	m := NewMask(r.Width, r.Height)
	weight := clampByte(float32(255 * min(1.7*(1-r.StartStrength), 1)))
	for i := range m.Pix {
		m.Pix[i] = weight
	}
	out, err = Blend(ctx, out, styled, m)
	tell(1)
	return out, err
}

// borrowColours moves the mean and the spread of a picture's colours to those of
// another (Reinhard et al. 2001), as far as amount says.
func borrowColours(ctx context.Context, img, from *image.NRGBA, amount float64) (*image.NRGBA, error) {
	mine, err := studyOf(ctx, img, 128)
	if err != nil {
		return nil, err
	}
	theirs, err := studyOf(ctx, from, 128)
	if err != nil {
		return nil, err
	}
	a, b := momentsOf(mine), momentsOf(theirs)
	ma, ca := a.covariance()
	mb, cb := b.covariance()
	var gain [3]float32
	for i, k := range [3]int{0, 3, 5} {
		gain[i] = float32(min(max(math.Sqrt(cb[k]/ca[k]), 0.5), 1.6))
	}
	t := float32(min(max(amount, 0), 1))
	out := flatten(img)
	err = bands(ctx, out.Rect.Dy(), 16, func(y0, y1 int) {
		for i := y0 * out.Stride; i < y1*out.Stride; i += 4 {
			p := out.Pix[i : i+3]
			c := labOf(p[0], p[1], p[2])
			n := lab{
				float32(mb[0]) + (c.l-float32(ma[0]))*gain[0], float32(mb[1]) + (c.a-float32(ma[1]))*gain[1], float32(mb[2]) + (c.b-float32(ma[2]))*gain[2],
			}
			q := c.plus(n.minus(c).scaled(t)).rgb()
			p[0], p[1], p[2] = byteOf(q.r), byteOf(q.g), byteOf(q.b)
		}
	}, nil)
	return out, err
}

func momentsOf(s *study) (m moments) {
	for _, c := range s.colour {
		m.add(c)
	}
	return m
}

// ErrNothingToPaint says that a prompt names nothing that could stand alone.
var ErrNothingToPaint = errors.New("the prompt names nothing that could be painted without a ground")

// PaintAlone paints the subjects of a prompt without anything around them, on
// transparent ground. They are painted on black and on white: what differs shows
// through.
func PaintAlone(ctx context.Context, r Request, progress func(float64)) (*image.NRGBA, error) {
	scene := r.read()
	if len(scene.Subjects) == 0 && len(scene.Text) == 0 {
		return nil, fmt.Errorf("%w; understood was: %s", ErrNothingToPaint, Describe(scene))
	}
	if r.Width < minSide || r.Height < minSide || r.Width > maxSide || r.Height > maxSide {
		return nil, ErrSize
	}
	var on [2]*raster
	var last *stage
	for i, ground := range []rgb{{}, {1, 1, 1}} {
		s := newStage(scene, LookOf(r.Model), r.Width, r.Height, r.Seed, 0)
		s.world, s.scene.Settings = "plain", nil
		s.wash(0, func(_, _ float32) (rgb, float32) { return ground, 1 })
		s.cast()
		s.letters()
		var err error
		if on[i], err = s.paint(ctx, nil); err != nil {
			return nil, err
		}
		if last = s; progress != nil {
			progress(0.4 * float64(i+1))
		}
	}
	alpha := NewMask(r.Width, r.Height)
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
