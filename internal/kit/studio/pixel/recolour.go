package pixel

import (
	"context"
	"image"
)

// Recolour gives what a mask selects another colour and keeps its light and
// shade: a white target brightens it, a black one darkens it, and highlights
// stay white.
func Recolour(ctx context.Context, img image.Image, m *Mask, to Colour) (*image.NRGBA, error) {
	out := Flatten(img)
	if m.W != out.Rect.Dx() || m.H != out.Rect.Dy() {
		return nil, ErrSize
	}
	light, chroma := meanOf(out, m)
	want := to.lab()
	shift := (want.L - light) * 0.8
	err := Bands(ctx, m.H, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range m.W {
				v := m.Pix[y*m.W+x]
				if v == 0 {
					continue
				}
				p := out.Pix[y*out.Stride+x*4:]
				c := LabOf(p[0], p[1], p[2])
				// Less saturated parts, such as a reflection or a window, take less
				// of the new colour.
				keep := float32(1)
				if chroma > 0.06 {
					keep = Smooth(0.1, 0.6, c.chroma()/chroma)
				}
				l := c.L + shift*keep*(1-Smooth(0.88, 1, c.L))
				pale := (1 - Smooth(0.9, 1, l)) * Smooth(0, 0.18, l)
				next := Lab{Unit(l), want.A * pale, want.B * pale}
				q := Lab{next.L, c.A + (next.A-c.A)*keep, c.B + (next.B-c.B)*keep}.RGB()
				k := float32(v) / 255
				for i, part := range [3]float32{q.R, q.G, q.B} {
					p[i] = ClampByte(float32(p[i])*(1-k) + 255*part*k)
				}
			}
		}
	}, nil)
	return out, err
}

// meanOf returns the mean lightness of what a mask selects, and the
// colourfulness of the more colourful half of it.
func meanOf(img *image.NRGBA, m *Mask) (light, chroma float32) {
	var l, c, n float64
	var most [64]float64
	for i := 0; i < len(m.Pix); i += max(len(m.Pix)/60000, 1) {
		if m.Pix[i] < 128 {
			continue
		}
		p := img.Pix[i/m.W*img.Stride+i%m.W*4:]
		v := LabOf(p[0], p[1], p[2])
		l, n = l+float64(v.L), n+1
		most[min(int(v.chroma()*100), 63)]++
	}
	if n == 0 {
		return 0.5, 0
	}
	left := n / 2
	for i := 63; i >= 0 && left > 0; i-- {
		take := min(most[i], left)
		c += take * (float64(i) + 0.5) / 100
		left -= take
	}
	return float32(l / n), float32(c / (n / 2))
}
