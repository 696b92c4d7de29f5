package pixel

import (
	"context"
	"image"
	"math"
)

// Levels maps the tones from black to white onto the whole range and bends the
// middle by gamma; the bounds are from 0 to 255.
func Levels(ctx context.Context, img image.Image, black, white uint8, gamma float64) (*image.NRGBA, error) {
	if white <= black {
		white = min(black, 254) + 1
	}
	if gamma <= 0 {
		gamma = 1
	}
	var table [256]uint8
	for i := range table {
		t := (float64(i) - float64(black)) / (float64(white) - float64(black))
		table[i] = ClampByte(float32(255 * math.Pow(min(max(t, 0), 1), 1/gamma)))
	}
	return combine(ctx, RasterOf(img), func(_ int, v uint8) uint8 { return table[v] })
}

// AutoContrast stretches the tones so that half a percent of the pixels is black
// and as many are white. A flat picture is left alone.
func AutoContrast(ctx context.Context, img image.Image) (*image.NRGBA, error) {
	src := Flatten(img)
	var count [256]int
	total := 0
	for i := 0; i+3 < len(src.Pix); i += 4 {
		if src.Pix[i+3] == 0 {
			continue
		}
		count[(299*int(src.Pix[i])+587*int(src.Pix[i+1])+114*int(src.Pix[i+2]))/1000]++
		total++
	}
	black, white := 0, 255
	for sum := count[0]; black < 255 && sum <= total/200; sum += count[black] {
		black++
	}
	for sum := count[255]; white > 0 && sum <= total/200; sum += count[white] {
		white--
	}
	if white-black < 8 {
		return src, nil
	}
	return Levels(ctx, src, uint8(black), uint8(white), 1)
}
