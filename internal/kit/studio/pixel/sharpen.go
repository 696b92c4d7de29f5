package pixel

import (
	"context"
	"image"
)

// Sharpen adds back what a blur of this radius takes away, times amount. Alpha
// stays as it is.
func Sharpen(ctx context.Context, img image.Image, radius, amount float64) (*image.NRGBA, error) {
	src := RasterOf(img)
	soft, err := Soften(ctx, src, max(radius, 0.5))
	if err != nil {
		return nil, err
	}
	k := float32(amount)
	return combine(ctx, src, func(i int, v uint8) uint8 {
		return ClampByte(float32(v) + k*(float32(v)-float32(soft.Pix[i])))
	})
}

// RasterOf returns a copy of any picture as a raster in which nothing is near.
func RasterOf(img image.Image) *Raster {
	flat := Flatten(img)
	return &Raster{flat, make([]uint8, flat.Rect.Dx()*flat.Rect.Dy())}
}

// combine maps every colour byte by its place and value; alpha is copied.
func combine(ctx context.Context, src *Raster, f func(i int, v uint8) uint8) (*image.NRGBA, error) {
	w, h := src.Size()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	err := Bands(ctx, h, 32, func(y0, y1 int) {
		for i := y0 * src.Stride; i < y1*src.Stride; i++ {
			if v := src.Pix[i]; i%4 == 3 {
				out.Pix[i] = v
			} else {
				out.Pix[i] = f(i, v)
			}
		}
	}, nil)
	return out, err
}
