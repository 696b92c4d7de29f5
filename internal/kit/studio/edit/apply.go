package edit

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/selection"
)

// Editor applies edits to a picture, one after another.
type Editor struct {
	Picture *image.NRGBA
	Look    paint.Look
	Seed    int64
	Mask    *pixel.Mask // limits where, if there is one; of the picture's size
	Notes   []string    // what was assumed
}

// NewEditor starts from a picture, which is not changed.
func NewEditor(img image.Image, look paint.Look, seed int64) *Editor {
	return &Editor{Picture: pixel.Flatten(img), Look: look, Seed: seed}
}

// Apply makes one change.
func (d *Editor) Apply(ctx context.Context, e Edit) error {
	if d.Mask != nil && e.MovesPixels() {
		return fmt.Errorf("a mask cannot limit where a picture is changed by %q", e.String())
	}
	next, err := d.change(ctx, e)
	if err != nil {
		return err
	}
	if d.Mask != nil {
		if next.Rect.Size() != d.Picture.Rect.Size() {
			return pixel.ErrSize
		}
		if next, err = pixel.Blend(ctx, d.Picture, next, d.Mask); err != nil {
			return err
		}
	}
	d.Picture = next
	return nil
}

func (d *Editor) change(ctx context.Context, e Edit) (*image.NRGBA, error) {
	img := d.Picture
	unit := float64(min(img.Rect.Dx(), img.Rect.Dy()))
	switch e.Kind {
	case EditTone:
		return d.changeWithin(ctx, e.Target, func() (*image.NRGBA, error) { return pixel.Adjust(ctx, img, e.Tone, d.Seed) })
	case EditSharpen:
		return d.changeWithin(ctx, e.Target, func() (*image.NRGBA, error) { return pixel.Sharpen(ctx, img, max(unit/700, 1), 0.8*e.Amount) })
	case EditBlur:
		return d.changeWithin(ctx, e.Target, func() (*image.NRGBA, error) { return pixel.Blur(ctx, img, unit*0.014*e.Amount) })
	case EditSoften:
		return d.changeWithin(ctx, e.Target, func() (*image.NRGBA, error) { return pixel.Denoise(ctx, img, 0.6*min(e.Amount, 1.6)) })
	case EditDenoise:
		out, _, err := pixel.Restore(ctx, img, pixel.Repair{Noise: 1.2 * e.Amount}, nil)
		return out, err
	case EditDehaze:
		return d.changeWithin(ctx, e.Target, func() (*image.NRGBA, error) { return d.dehaze(ctx, e.Amount) })
	case EditDust:
		out, _, err := pixel.Restore(ctx, img, pixel.Repair{Dust: 1.5 * e.Amount}, nil)
		return out, err
	case EditEnhance:
		out, _, err := pixel.Restore(ctx, img, pixel.Repair{Noise: 0.8, Fade: 0.6, Cast: 0.3, Sharpen: 0.9 * e.Amount}, nil)
		return out, err
	case EditGlow:
		return paint.Stylise(ctx, img, paint.Scene{Moods: []string{"dreamy"}}, paint.Look{}, d.Seed)
	case EditRecolour:
		return d.recolour(ctx, e)
	case EditAdd:
		return d.add(ctx, e)
	case EditRemove:
		return d.remove(ctx, e.Target)
	case EditReplace:
		return d.replace(ctx, e)
	case EditBackdrop, EditCutout:
		return d.replaceBackground(ctx, e)
	case EditLight:
		return paint.Relight(ctx, img, e.Scene, d.Look, d.Seed)
	case EditStyle:
		return paint.Stylise(ctx, img, e.Scene, paint.Look{Texture: 1}, d.Seed)
	}
	return d.reshape(ctx, e)
}

// changeWithin makes a change where a target is, and everywhere without one.
func (d *Editor) changeWithin(ctx context.Context, target string, change func() (*image.NRGBA, error)) (*image.NRGBA, error) {
	next, err := change()
	if err != nil || target == "" || d.Mask != nil {
		return next, err
	}
	m, err := d.region(ctx, target)
	if err != nil {
		return nil, err
	}
	if m, err = m.Feather(ctx, max(min(m.W, m.H)/300, 1)); err != nil {
		return nil, err
	}
	return pixel.Blend(ctx, d.Picture, next, m)
}

// region finds what a target names. A noun that can be a subject is taken to
// mean the subject of this picture, and that is noted.
func (d *Editor) region(ctx context.Context, target string) (*pixel.Mask, error) {
	if d.Mask != nil {
		return d.Mask, nil
	}
	f, err := selection.NewFinder(ctx, d.Picture)
	if err != nil {
		return nil, err
	}
	finds, err := f.ByWords(ctx, target)
	if err == nil {
		d.Notes = append(d.Notes, fmt.Sprintf("%q was found by %s", target, finds[0].How))
		return f.Mask(ctx, finds...)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if !couldBeSubject(target) {
		return nil, err
	}
	m, _, serr := pixel.Subject(ctx, d.Picture)
	if serr != nil {
		return nil, fmt.Errorf("%q cannot be found: %w", target, serr)
	}
	d.Notes = append(d.Notes, fmt.Sprintf("%q was taken to be the subject of the picture", target))
	return m, nil
}

// couldBeSubject reports whether words name a possible subject, without a part
// or a colour by which it could have been found: a purple tree that is not
// found is not the subject.
func couldBeSubject(target string) bool {
	if w := selection.ParseQuery(target); len(w.Colours) > 0 || w.Zoned || w.Area != "" || w.Matter != nil {
		return false
	}
	s := paint.Read(target)
	for _, w := range lexicon.Tokenise(target) {
		if m, _ := lexicon.Words().Find(w); m != nil && m.Group == "part" {
			return false
		}
	}
	return len(s.Subjects) == 1 && len(s.Unknown) == 0
}

func (d *Editor) recolour(ctx context.Context, e Edit) (*image.NRGBA, error) {
	if e.Target == "" && d.Mask == nil {
		return pixel.Grade(ctx, d.Picture, []pixel.Colour{e.Colour}, 0.55*min(e.Amount, 1.6))
	}
	m, err := d.region(ctx, e.Target)
	if err != nil {
		return nil, err
	}
	return pixel.Recolour(ctx, d.Picture, m, e.Colour)
}

func (d *Editor) add(ctx context.Context, e Edit) (*image.NRGBA, error) {
	out := d.Picture
	var err error
	if len(e.Scene.Sky) > 0 {
		if out, err = paint.InsertSky(ctx, out, e.Scene, d.Look, d.Seed); err != nil {
			return nil, err
		}
	}
	if len(e.Scene.Subjects) == 0 && len(e.Scene.Text) == 0 {
		return out, nil
	}
	var area image.Rectangle
	if d.Mask != nil {
		area = d.Mask.Box()
	}
	return paint.Insert(ctx, out, e.Scene, d.Look, area, d.Seed, nil)
}

// maskWithRim returns the mask of a target with a margin: its wheels, its shadow and
// its soft rim are removed with it.
func (d *Editor) maskWithRim(ctx context.Context, target string) (*pixel.Mask, error) {
	if d.Mask != nil {
		return d.Mask.Dilate(1), nil
	}
	if target == "" {
		return nil, errors.New("nothing is named that could be removed; " + selection.SelectHelp)
	}
	m, err := d.region(ctx, target)
	if err != nil {
		return nil, err
	}
	w := selection.ParseQuery(target)
	unit := min(m.W, m.H)
	if w.Area == "" && w.Matter == nil && w.Part == "" && m.Share() < 0.4 {
		// A thing that was found by its colour also has parts of other colours.
		f, err := selection.NewFinder(ctx, d.Picture)
		if err != nil {
			return nil, err
		}
		b := m.Box()
		x, y := float64(b.Dx())*0.10, float64(b.Dy())*0.14
		one, err := f.ByBox(ctx, pixel.Frame{
			X0: max(float64(b.Min.X)-x, 0) / float64(m.W), Y0: max(float64(b.Min.Y)-y/2, 0) / float64(m.H),
			X1: min(float64(b.Max.X)+x, float64(m.W)) / float64(m.W), Y1: min(float64(b.Max.Y)+y, float64(m.H)) / float64(m.H),
		})
		if err == nil {
			more, err := f.Mask(ctx, one)
			if err != nil {
				return nil, err
			}
			m = m.Union(more)
		}
		m = m.Dilate(unit / 28).Dilate(-unit / 28)
	}
	m = m.FillHoles(0.1).Dilate(max(unit/90, 2))
	if w.Area == "" || w.Area == "subject" {
		addGroundShadow(m)
	}
	return m, nil
}

// addGroundShadow adds the ground under a thing, where its shadow lies.
func addGroundShadow(m *pixel.Mask) {
	b := m.Box()
	if b.Empty() || b.Max.Y >= m.H-1 {
		return
	}
	cx, cy := float64(b.Min.X+b.Max.X)/2, float64(b.Max.Y)-0.02*float64(b.Dy())
	rx, ry := 0.62*float64(b.Dx()), max(0.07*float64(b.Dy()), 2)
	for y := max(int(cy-ry), 0); y < min(int(cy+ry)+1, m.H); y++ {
		for x := max(int(cx-rx), 0); x < min(int(cx+rx)+1, m.W); x++ {
			u, v := (float64(x)-cx)/rx, (float64(y)-cy)/ry
			if u*u+v*v < 1 {
				m.Pix[y*m.W+x] = 255
			}
		}
	}
}

func (d *Editor) remove(ctx context.Context, target string) (*image.NRGBA, error) {
	m, err := d.maskWithRim(ctx, target)
	if err != nil {
		return nil, err
	}
	if m, err = m.Feather(ctx, 2); err != nil {
		return nil, err
	}
	return pixel.Fill(ctx, d.Picture, m, d.Seed, nil)
}

// replace fills the place of a thing and paints another one there.
func (d *Editor) replace(ctx context.Context, e Edit) (*image.NRGBA, error) {
	target := orElse(e.Target, "subject")
	m, err := d.maskWithRim(ctx, target)
	if err != nil {
		return nil, err
	}
	soft, err := m.Feather(ctx, 2)
	if err != nil {
		return nil, err
	}
	empty, err := pixel.Fill(ctx, d.Picture, soft, d.Seed, nil)
	if err != nil {
		return nil, err
	}
	b := m.Box()
	wide, high := b.Dx()/6, b.Dy()/10
	area := image.Rect(b.Min.X-wide, b.Min.Y-high, b.Max.X+wide, b.Max.Y+high).Intersect(image.Rect(0, 0, m.W, m.H))
	return paint.Insert(ctx, empty, e.Scene, d.Look, area, d.Seed, nil)
}

// dehaze removes haze: the darkest tones of the picture become dark again.
func (d *Editor) dehaze(ctx context.Context, amount float64) (*image.NRGBA, error) {
	out, _, _, err := pixel.Stretch(ctx, d.Picture, min(0.9*amount, 1), 0.5)
	if err != nil {
		return nil, err
	}
	return pixel.Adjust(ctx, out, pixel.Tone{Contrast: 0.3 * amount, Saturation: 0.25 * amount}, d.Seed)
}

// reshape changes the shape.
func (d *Editor) reshape(ctx context.Context, e Edit) (*image.NRGBA, error) {
	img := d.Picture
	w, h := img.Rect.Dx(), img.Rect.Dy()
	switch e.Kind {
	case EditRotate:
		if quarters := e.Number / 90; quarters == math.Trunc(quarters) {
			return pixel.Rotate90(img, int(quarters)%4), nil
		}
		return pixel.Rotate(ctx, img, math.Mod(e.Number, 360))
	case EditFlip:
		return pixel.Flip(img, e.Way == "upright"), nil
	case EditZoom:
		return RenderView(ctx, img, View{Zoom: math.Pow(e.Number, e.Amount)})
	case EditCrop:
		if !math.IsNaN(e.Number) && e.Number > 0 {
			return pixel.CropToRatio(ctx, img, e.Number)
		}
		if target := strings.TrimSpace(e.Target); target != "" {
			m, err := d.region(ctx, target)
			if err != nil {
				return nil, err
			}
			b := m.Box()
			x, y := b.Dx()/12, b.Dy()/12
			return pixel.Crop(img, image.Rect(b.Min.X-x, b.Min.Y-y, b.Max.X+x, b.Max.Y+y)), nil
		}
		k := 0.1 * min(e.Amount, 3)
		return pixel.Crop(img, image.Rect(int(float64(w)*k), int(float64(h)*k), int(float64(w)*(1-k)), int(float64(h)*(1-k)))), nil
	}
	return nil, fmt.Errorf("nothing is known of the edit %q", e.Kind)
}
