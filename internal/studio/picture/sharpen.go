package picture

import (
	"context"
	"image"
)

// Sharpen adds back what a blur of this radius takes away, times amount. Alpha
// stays as it is.
func Sharpen(ctx context.Context, img image.Image, radius, amount float64) (*image.NRGBA, error) {
	src := rasterOf(img)
	soft, err := blur(ctx, src, max(radius, 0.5))
	if err != nil {
		return nil, err
	}
	k := float32(amount)
	return combine(ctx, src, func(i int, v uint8) uint8 {
		return clampByte(float32(v) + k*(float32(v)-float32(soft.Pix[i])))
	})
}

// rasterOf is a copy of any picture as a raster in which nothing is near.
func rasterOf(img image.Image) *raster {
	flat := flatten(img)
	return &raster{flat, make([]uint8, flat.Rect.Dx()*flat.Rect.Dy())}
}

// combine maps every colour byte by its place and value; alpha is copied.
func combine(ctx context.Context, src *raster, f func(i int, v uint8) uint8) (*image.NRGBA, error) {
	w, h := src.size()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	err := bands(ctx, h, 32, func(y0, y1 int) {
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
