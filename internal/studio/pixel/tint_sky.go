package pixel

import (
	"context"
	"image"
)

// Tint gives a grey picture colours by lightness and place: warm tones from brown
// to cream, and a blue sky where one is seen. It is a tint, not the colours that
// were there.
func Tint(ctx context.Context, img image.Image) (*image.NRGBA, error) {
	src := Flatten(img)
	sky, err := Sky(ctx, src)
	if err != nil {
		return nil, err
	}
	warm := Ramp{{0, Ink("#120c0a")}, {0.25, Ink("#4a3426")}, {0.5, Ink("#94785c")}, {0.75, Ink("#d8bd9c")}, {1, Ink("#fdf8ee")}}
	blue := Ramp{{0, Ink("#0c1626")}, {0.5, Ink("#5f8fc0")}, {1, Ink("#eef5fb")}}
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
