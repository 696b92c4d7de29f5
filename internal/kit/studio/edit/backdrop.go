package edit

import (
	"context"
	"fmt"
	"image"

	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
)

// replaceBackground cuts the subject out and puts it before something else: a colour, a
// painted scene, or nothing.
func (d *Editor) replaceBackground(ctx context.Context, e Edit) (*image.NRGBA, error) {
	m := inverted(d.Mask)
	if m == nil {
		var err error
		if m, _, err = pixel.Subject(ctx, d.Picture); err != nil {
			return nil, err
		}
	}
	front, err := pixel.Cutout(ctx, d.Picture, m)
	if err != nil || e.Kind == EditCutout {
		return front, err
	}
	w, h := d.Picture.Rect.Dx(), d.Picture.Rect.Dy()
	if e.Colour.Name != "" {
		back := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := 0; i < len(back.Pix); i += 4 {
			back.Pix[i], back.Pix[i+1], back.Pix[i+2], back.Pix[i+3] = e.Colour.R, e.Colour.G, e.Colour.B, 255
		}
		return pixel.Over(ctx, back, front)
	}
	scene := e.Scene
	if len(scene.Settings) == 0 && len(scene.Subjects) == 0 && len(scene.Sky) == 0 {
		scene.Settings = []paint.Thing{{Key: "meadow", Count: 1, Size: 1, On: -1, HeldBy: -1}}
	}
	back, err := paint.PaintScene(ctx, scene, d.Look, w, h, d.Seed, 0, nil)
	if err != nil {
		return nil, err
	}
	lit, err := matchLight(ctx, front, m, back)
	if err != nil {
		return nil, err
	}
	shadow(back, m)
	d.Notes = append(d.Notes, fmt.Sprintf("the background was painted as %s", paint.Describe(scene)))
	return pixel.Over(ctx, back, lit)
}

func inverted(m *pixel.Mask) *pixel.Mask {
	if m == nil {
		return nil
	}
	return m.Invert()
}

// matchLight moves a cutout half the way to the brightness and the tint of its
// new background.
func matchLight(ctx context.Context, front *image.NRGBA, m *pixel.Mask, back *image.NRGBA) (*image.NRGBA, error) {
	mean := func(img *image.NRGBA, all bool) (sum pixel.Lab) {
		n := float32(0)
		for i := 0; i < len(m.Pix); i += max(len(m.Pix)/20000, 1) {
			if all || m.Pix[i] >= 200 {
				p := img.Pix[i*4:]
				sum = sum.Plus(pixel.LabOf(p[0], p[1], p[2]))
				n++
			}
		}
		return sum.Scaled(1 / max(n, 1))
	}
	a, b := mean(front, false), mean(back, true)
	light := float64(min(max(b.L-a.L, -0.35), 0.3))
	warm := float64(min(max(b.B-a.B, -0.15), 0.15))
	if light < 0 {
		light *= 1.2
	}
	return pixel.Adjust(ctx, front, pixel.Tone{Light: 0.7 * light, Warmth: 1.6 * warm}, 0)
}

// shadow darkens the ground under a subject, unless the lower edge cuts it off.
func shadow(back *image.NRGBA, m *pixel.Mask) {
	b := m.Box()
	if b.Empty() || b.Max.Y >= m.H-1 || b.Dy() < 8 {
		return
	}
	// Its feet are its lowest part.
	left, right := m.W, 0
	for y := b.Max.Y - max(b.Dy()/12, 2); y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if m.Pix[y*m.W+x] >= 128 {
				left, right = min(left, x), max(right, x+1)
			}
		}
	}
	if right <= left {
		return
	}
	cx, cy := float32(left+right)/2, float32(b.Max.Y)-float32(b.Dy())*0.015
	rx, ry := float32(right-left)*0.62+4, max(float32(b.Dy())*0.045, 3)
	for y := max(int(cy-ry), 0); y < min(int(cy+ry)+1, m.H); y++ {
		for x := max(int(cx-rx), 0); x < min(int(cx+rx)+1, m.W); x++ {
			u, v := (float32(x)-cx)/rx, (float32(y)-cy)/ry
			if t := 1 - u*u - v*v; t > 0 {
				p := back.Pix[y*back.Stride+x*4:]
				k := 1 - 0.6*t
				p[0], p[1], p[2] = uint8(float32(p[0])*k), uint8(float32(p[1])*k), uint8(float32(p[2])*k)
			}
		}
	}
}
