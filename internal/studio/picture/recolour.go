package picture

import (
	"context"
	"image"
)

// Recolour gives what a mask means another colour and leaves its light and shade:
// a white target lifts it, a black one sinks it, and highlights stay white.
func Recolour(ctx context.Context, img image.Image, m *Mask, to Colour) (*image.NRGBA, error) {
	out := flatten(img)
	if m.W != out.Rect.Dx() || m.H != out.Rect.Dy() {
		return nil, ErrSize
	}
	light, chroma := meanOf(out, m)
	want := to.lab()
	shift := (want.l - light) * 0.8
	err := bands(ctx, m.H, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range m.W {
				v := m.Pix[y*m.W+x]
				if v == 0 {
					continue
				}
				p := out.Pix[y*out.Stride+x*4:]
				c := labOf(p[0], p[1], p[2])
				// What had less colour than the rest of it, a reflection or a
				// window, takes less of the new one.
				keep := float32(1)
				if chroma > 0.06 {
					keep = smooth(0.1, 0.6, c.chroma()/chroma)
				}
				l := c.l + shift*keep*(1-smooth(0.88, 1, c.l))
				pale := (1 - smooth(0.9, 1, l)) * smooth(0, 0.18, l)
				next := lab{unit(l), want.a * pale, want.b * pale}
				q := lab{next.l, c.a + (next.a-c.a)*keep, c.b + (next.b-c.b)*keep}.rgb()
				k := float32(v) / 255
				for i, part := range [3]float32{q.r, q.g, q.b} {
					p[i] = clampByte(float32(p[i])*(1-k) + 255*part*k)
				}
			}
		}
	}, nil)
	return out, err
}

// meanOf is the mean lightness of what a mask means, and the colourfulness of the
// more colourful half of it.
func meanOf(img *image.NRGBA, m *Mask) (light, chroma float32) {
	var l, c, n float64
	var most [64]float64
	for i := 0; i < len(m.Pix); i += max(len(m.Pix)/60000, 1) {
		if m.Pix[i] < 128 {
			continue
		}
		p := img.Pix[i/m.W*img.Stride+i%m.W*4:]
		v := labOf(p[0], p[1], p[2])
		l, n = l+float64(v.l), n+1
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
