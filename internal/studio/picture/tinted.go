package picture

import (
	"context"
	"image"
)

// Tint gives a grey picture colours by lightness and place: warm tones from brown
// to cream, and a blue sky where one is seen. It is a tint, not the colours that
// were there.
func Tint(ctx context.Context, img image.Image) (*image.NRGBA, error) {
	src := flatten(img)
	sky, err := Sky(ctx, src)
	if err != nil {
		return nil, err
	}
	warm := ramp{{0, ink("#120c0a")}, {0.25, ink("#4a3426")}, {0.5, ink("#94785c")}, {0.75, ink("#d8bd9c")}, {1, ink("#fdf8ee")}}
	blue := ramp{{0, ink("#0c1626")}, {0.5, ink("#5f8fc0")}, {1, ink("#eef5fb")}}
	w := src.Rect.Dx()
	out, err := redraw(ctx, &raster{src, nil}, func(x, y int) rgb {
		p := src.Pix[y*src.Stride+x*4:]
		c := rgb{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
		l := c.luma()
		tinted := warm.at(l)
		if sky != nil {
			tinted = mix(tinted, blue.at(l), float32(sky.Pix[y*w+x])/255)
		}
		return mix(c, tinted, 0.8)
	})
	if err != nil {
		return nil, err
	}
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = src.Pix[i]
	}
	return out.NRGBA, nil
}
