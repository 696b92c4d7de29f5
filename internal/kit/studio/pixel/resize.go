package pixel

import (
	"context"
	"errors"
	"image"
	"image/draw"
	"math"
)

// Resize scales a picture with the Lanczos filter of three lobes, which keeps
// edges crisp in both directions. Colours are weighted by alpha, so that a
// cutout has no dark rim.
func Resize(ctx context.Context, img image.Image, w, h int) (*image.NRGBA, error) {
	if w < 1 || h < 1 || w > 4*MaxSide || h > 4*MaxSide {
		return nil, ErrSize
	}
	src := Flatten(img)
	sw, sh := src.Rect.Dx(), src.Rect.Dy()
	if sw == 0 || sh == 0 {
		return nil, ErrSize
	}
	if sw == w && sh == h {
		return src, nil
	}
	across, down := lanczos(sw, w), lanczos(sh, h)
	mid := make([]float32, w*sh*4)
	if err := Bands(ctx, sh, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			row := src.Pix[y*src.Stride:]
			for x, t := range across {
				var sum [4]float32
				for i, k := range t.weights {
					p := row[(t.from+i)*4:]
					a := float32(p[3]) * k
					sum[0] += float32(p[0]) * a
					sum[1] += float32(p[1]) * a
					sum[2] += float32(p[2]) * a
					sum[3] += a
				}
				copy(mid[(y*w+x)*4:], sum[:])
			}
		}
	}, nil); err != nil {
		return nil, err
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	err := Bands(ctx, h, 16, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			t := down[y]
			for x := range w {
				var sum [4]float32
				for i, k := range t.weights {
					p := mid[((t.from+i)*w+x)*4:]
					sum[0] += p[0] * k
					sum[1] += p[1] * k
					sum[2] += p[2] * k
					sum[3] += p[3] * k
				}
				o := out.Pix[y*out.Stride+x*4:]
				if sum[3] > 0 {
					o[0], o[1], o[2] = ClampByte(sum[0]/sum[3]), ClampByte(sum[1]/sum[3]), ClampByte(sum[2]/sum[3])
				}
				o[3] = ClampByte(sum[3])
			}
		}
	}, nil)
	return out, err
}

// ClampByte rounds a value of a byte and keeps it in range.
func ClampByte(v float32) uint8 { return uint8(min(max(v+0.5, 0), 255)) }

// Flatten returns the picture as NRGBA with its corner at the origin; it copies.
func Flatten(img image.Image) *image.NRGBA {
	b := img.Bounds()
	out := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Rect, img, b.Min, draw.Src)
	return out
}

// taps are the source pixels of a pixel and their weights.
type taps struct {
	from    int
	weights []float32
}

func lanczos(from, to int) []taps {
	out := make([]taps, to)
	ratio := float64(from) / float64(to)
	reach := 3 * max(ratio, 1)
	for i := range out {
		c := (float64(i)+0.5)*ratio - 0.5
		lo, hi := max(int(math.Ceil(c-reach)), 0), min(int(math.Floor(c+reach)), from-1)
		t := taps{from: lo, weights: make([]float32, hi-lo+1)}
		var sum float64
		for j := range t.weights {
			k := window((float64(lo+j) - c) / max(ratio, 1))
			t.weights[j] = float32(k)
			sum += k
		}
		for j := range t.weights {
			t.weights[j] /= float32(sum)
		}
		out[i] = t
	}
	return out
}

func window(x float64) float64 {
	if x == 0 {
		return 1
	}
	if x <= -3 || x >= 3 {
		return 0
	}
	p := math.Pi * x
	return 3 * math.Sin(p) * math.Sin(p/3) / (p * p)
}

// The sizes that can be painted. The upper bound keeps one job's memory in the
// hundreds of megabytes.
const (
	MinSide = 16
	MaxSide = 8192
)

// ErrSize is returned for a size that cannot be painted.
var ErrSize = errors.New("picture: width and height must be from 16 to 8192")
