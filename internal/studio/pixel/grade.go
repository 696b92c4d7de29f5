package pixel

import (
	"cmp"
	"context"
	"image"
	"slices"
)

// Grade pulls a picture's colours towards a palette, dark tones to its darkest
// colour and light ones to its lightest. Amount 0 changes nothing, 1 leaves only
// the palette. Alpha stays.
func Grade(ctx context.Context, img image.Image, palette []Colour, amount float64) (*image.NRGBA, error) {
	src := RasterOf(img)
	if len(palette) == 0 || amount <= 0 {
		return src.NRGBA, nil
	}
	toward := PaletteRamp(palette)
	_, h := src.Size()
	k := float32(min(amount, 1))
	err := Bands(ctx, h, 32, func(y0, y1 int) {
		for i := y0 * src.Stride; i < y1*src.Stride; i += 4 {
			p := src.Pix[i : i+3]
			c := RGB{float32(p[0]) / 255, float32(p[1]) / 255, float32(p[2]) / 255}
			c = Mix(c, toward.At(c.Luma()), k)
			p[0], p[1], p[2] = ByteOf(c.R), ByteOf(c.G), ByteOf(c.B)
		}
	}, nil)
	return src.NRGBA, err
}

// PaletteRamp runs from near black through the palette, dark to light, to near
// white.
func PaletteRamp(palette []Colour) Ramp {
	tones := make([]RGB, 0, len(palette))
	for _, c := range palette {
		tones = append(tones, c.Tint())
	}
	slices.SortStableFunc(tones, func(a, b RGB) int { return cmp.Compare(a.Luma(), b.Luma()) })
	stops := Ramp{{0, tones[0].Shifted(-80)}}
	for i, c := range tones {
		stops = append(stops, Stop{0.2 + 0.6*(float32(i)+0.5)/float32(len(tones)), c})
	}
	return append(stops, Stop{1, tones[len(tones)-1].Shifted(80)})
}
