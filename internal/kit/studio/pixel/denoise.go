package pixel

import (
	"context"
	"image"
	"math"
)

// Denoise smooths what is nearly even and keeps edges: each pixel becomes the
// mean of its neighbours within two pixels, weighted by similarity (a bilateral
// filter). Strength from 0 to 1 is how different a neighbour may be.
func Denoise(ctx context.Context, img image.Image, strength float64) (*image.NRGBA, error) {
	src := RasterOf(img)
	w, h := src.Size()
	if strength <= 0 {
		return src.NRGBA, nil
	}
	sigma := 6 + 44*min(strength, 1)
	var like [766]float32 // by the sum of differences over three channels
	for i := range like {
		d := float64(i) / 3 / sigma
		like[i] = float32(math.Exp(-d * d))
	}
	out := image.NewNRGBA(src.Rect)
	err := Bands(ctx, h, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			for x := range w {
				o := y*src.Stride + x*4
				p := src.Pix[o : o+4]
				var r, g, b, total float32
				for j := max(y-2, 0); j <= min(y+2, h-1); j++ {
					for i := max(x-2, 0); i <= min(x+2, w-1); i++ {
						q := src.Pix[j*src.Stride+i*4:]
						d := Diff(p[0], q[0]) + Diff(p[1], q[1]) + Diff(p[2], q[2])
						k := like[d]
						r, g, b, total = r+k*float32(q[0]), g+k*float32(q[1]), b+k*float32(q[2]), total+k
					}
				}
				out.Pix[o], out.Pix[o+1], out.Pix[o+2], out.Pix[o+3] = ClampByte(r/total), ClampByte(g/total), ClampByte(b/total), p[3]
			}
		}
	}, nil)
	return out, err
}

// Diff returns the distance of two values.
func Diff(a, b uint8) int {
	if a > b {
		return int(a - b)
	}
	return int(b - a)
}
