package picture

import (
	"context"
	"image"
)

// Grade pulls a picture's colours towards a palette, dark tones to its darkest
// colour and light ones to its lightest. Amount 0 changes nothing, 1 leaves only
// the palette. Alpha stays.
func Grade(ctx context.Context, img image.Image, palette []Colour, amount float64) (*image.NRGBA, error) {
	src := rasterOf(img)
	if len(palette) == 0 || amount <= 0 {
		return src.NRGBA, nil
	}
	toward := paletteRamp(palette)
	_, h := src.size()
	k := float32(min(amount, 1))
	err := bands(ctx, h, 32, func(y0, y1 int) {
		for i := y0 * src.Stride; i < y1*src.Stride; i += 4 {
			p := src.Pix[i : i+3]
			c := rgb{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
			c = mix(c, toward.at(c.luma()), k)
			p[0], p[1], p[2] = byteOf(c.r), byteOf(c.g), byteOf(c.b)
		}
	}, nil)
	return src.NRGBA, err
}
