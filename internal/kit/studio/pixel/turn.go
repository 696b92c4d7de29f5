package pixel

import (
	"context"
	"errors"
	"image"
	"math"
)

// Crop returns a part of a picture, at least a pixel of it.
func Crop(img image.Image, r image.Rectangle) *image.NRGBA {
	src := AsNRGBA(img)
	r = r.Intersect(src.Rect)
	if r.Empty() {
		r = image.Rect(0, 0, 1, 1)
	}
	return Flatten(src.SubImage(r))
}

// Rotate90 rotates a picture clockwise by multiples of 90 degrees.
func Rotate90(img image.Image, times int) *image.NRGBA {
	src := Flatten(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	switch times = (times%4 + 4) % 4; times {
	case 1:
		return mapped(src, h, w, func(x, y int) (int, int) { return y, h - 1 - x })
	case 2:
		return mapped(src, w, h, func(x, y int) (int, int) { return w - 1 - x, h - 1 - y })
	case 3:
		return mapped(src, h, w, func(x, y int) (int, int) { return w - 1 - y, x })
	}
	return src
}

// Flip mirrors a picture from left to right, or from top to bottom.
func Flip(img image.Image, upright bool) *image.NRGBA {
	src := Flatten(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	return mapped(src, w, h, func(x, y int) (int, int) {
		if upright {
			return x, h - 1 - y
		}
		return w - 1 - x, y
	})
}

func mapped(src *image.NRGBA, w, h int, from func(x, y int) (int, int)) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			sx, sy := from(x, y)
			copy(out.Pix[y*out.Stride+x*4:y*out.Stride+x*4+4], src.Pix[sy*src.Stride+sx*4:])
		}
	}
	return out
}

// ApplyOrientation rotates a picture by its EXIF orientation, 1 to 8.
func ApplyOrientation(img image.Image, orientation int) image.Image {
	switch orientation {
	case 2:
		return Flip(img, false)
	case 3:
		return Rotate90(img, 2)
	case 4:
		return Flip(img, true)
	case 5:
		return Flip(Rotate90(img, 1), false)
	case 6:
		return Rotate90(img, 1)
	case 7:
		return Flip(Rotate90(img, 3), false)
	case 8:
		return Rotate90(img, 3)
	}
	return img
}

// Rotate rotates a picture clockwise by degrees and enlarges it so that no empty
// corner shows.
func Rotate(ctx context.Context, img image.Image, degrees float64) (*image.NRGBA, error) {
	b := img.Bounds()
	w, h := float64(b.Dx()), float64(b.Dy())
	sn, cs := math.Sincos(degrees * math.Pi / 180)
	a, c := math.Abs(cs), math.Abs(sn)
	k := max((w*a+h*c)/w, (w*c+h*a)/h) * (1 + 3/min(w, h))
	return Warp(ctx, img, Projection{
		A: k * cs, B: -k * sn, C: w/2 - k*(cs*w-sn*h)/2,
		D: k * sn, E: k * cs, F: h/2 - k*(sn*w+cs*h)/2,
	}, b.Dx(), b.Dy())
}

// CropToRatio crops a picture to a ratio of width to height, around its subject and
// the most detail. A picture that has the ratio already is returned unchanged.
func CropToRatio(ctx context.Context, img image.Image, ratio float64) (*image.NRGBA, error) {
	src := AsNRGBA(img)
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if !(ratio > 0) || math.IsInf(ratio, 0) {
		return nil, ErrSize
	}
	cw, ch := min(w, max(int(math.Round(float64(h)*ratio)), 1)), min(h, max(int(math.Round(float64(w)/ratio)), 1))
	if cw == w && ch == h {
		return src, ctx.Err()
	}
	s, err := StudyOf(ctx, src, StudySide)
	if err != nil {
		return nil, err
	}
	detail, err := s.detail(ctx)
	if err != nil {
		return nil, err
	}
	if cw < w {
		across := make([]float64, s.W)
		for i, v := range detail {
			across[i%s.W] += v
		}
		x := bestWindow(across, float64(cw)/float64(w), w-cw)
		return Crop(src, image.Rect(x, 0, x+cw, h)), nil
	}
	down := make([]float64, s.H)
	for i, v := range detail {
		down[i/s.W] += v
	}
	y := bestWindow(down, float64(ch)/float64(h), h-ch)
	return Crop(src, image.Rect(0, y, w, y+ch)), nil
}

// detail returns the importance of each pixel for cropping: its gradient,
// doubled on the subject.
func (s *Study) detail(ctx context.Context) ([]float64, error) {
	out := make([]float64, len(s.Colour))
	var total float64
	for i := range out {
		out[i] = float64(s.Gradient(i%s.W, i/s.W))
		total += out[i]
	}
	m, _, err := s.Subject(ctx)
	if errors.Is(err, ErrNoSubject) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	share := m.Share() * float64(len(out))
	for i, v := range m.Pix {
		if v >= 128 {
			out[i] += 2 * total / share
		}
	}
	return out, nil
}

// bestWindow returns where a window should begin, up to most, to contain the most
// detail. The middle is preferred slightly.
func bestWindow(detail []float64, part float64, most int) int {
	n := min(max(int(part*float64(len(detail))), 1), len(detail))
	var total float64
	for _, v := range detail {
		total += v
	}
	best, at := math.Inf(-1), 0
	for i := 0; i+n <= len(detail); i++ {
		var sum float64
		for _, v := range detail[i : i+n] {
			sum += v
		}
		off := math.Abs(float64(2*i+n)/float64(len(detail)) - 1)
		if v := sum/max(total, 1e-9) - 0.15*off; v > best+1e-9 {
			best, at = v, i
		}
	}
	return most * at / max(len(detail)-n, 1)
}

// Fit brings a picture to a size: it is cropped to the aspect ratio and then
// scaled, never stretched.
func Fit(ctx context.Context, img image.Image, w, h int) (*image.NRGBA, error) {
	if w < 1 || h < 1 {
		return nil, ErrSize
	}
	cut, err := CropToRatio(ctx, img, float64(w)/float64(h))
	if err != nil {
		return nil, err
	}
	return Resize(ctx, cut, w, h)
}
