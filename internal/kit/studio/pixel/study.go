package pixel

import (
	"context"
	"image"
)

// Study is a small copy of a picture for global analysis (where its subject is,
// what colours it has), so that the cost does not depend on the size of the
// picture.
type Study struct {
	W, H   int
	Colour []Lab
	clear  []bool // transparent, and so neither subject nor background
}

// StudySide is the longest side of a study.
const StudySide = 288

// StudyOf makes a study in which each pixel is the mean of those it covers.
func StudyOf(ctx context.Context, src *image.NRGBA, side int) (*Study, error) {
	w, h := src.Rect.Dx(), src.Rect.Dy()
	if w < 1 || h < 1 {
		return nil, ErrSize
	}
	if longest := max(w, h); longest > side {
		w, h = max(w*side/longest, 1), max(h*side/longest, 1)
	}
	small, err := shrink(ctx, src, w, h)
	if err != nil {
		return nil, err
	}
	s := &Study{W: w, H: h, Colour: make([]Lab, w*h), clear: make([]bool, w*h)}
	for i := range s.Colour {
		p := small.Pix[4*i : 4*i+4]
		s.Colour[i], s.clear[i] = LabOf(p[0], p[1], p[2]), p[3] < 128
	}
	return s, nil
}

// shrink makes a picture smaller: each pixel becomes the mean of those it
// covers; transparent ones do not count for the colour.
func shrink(ctx context.Context, src *image.NRGBA, w, h int) (*image.NRGBA, error) {
	sw, sh := src.Rect.Dx(), src.Rect.Dy()
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	err := Bands(ctx, h, 8, func(y0, y1 int) {
		for y := y0; y < y1; y++ {
			top, bottom := y*sh/h, max((y+1)*sh/h, y*sh/h+1)
			for x := range w {
				left, right := x*sw/w, max((x+1)*sw/w, x*sw/w+1)
				var sum [4]int
				for j := top; j < bottom; j++ {
					row := src.Pix[j*src.Stride:]
					for i := left; i < right; i++ {
						p := row[i*4 : i*4+4]
						a := int(p[3])
						sum[0], sum[1], sum[2], sum[3] = sum[0]+int(p[0])*a, sum[1]+int(p[1])*a, sum[2]+int(p[2])*a, sum[3]+a
					}
				}
				o := out.Pix[y*out.Stride+x*4:]
				if sum[3] > 0 {
					o[0], o[1], o[2] = uint8(sum[0]/sum[3]), uint8(sum[1]/sum[3]), uint8(sum[2]/sum[3])
				}
				o[3] = uint8(sum[3] / ((bottom - top) * (right - left)))
			}
		}
	}, nil)
	return out, err
}

// AsNRGBA returns a picture as NRGBA with its corner at the origin, for reading:
// the picture itself when it has that form.
func AsNRGBA(img image.Image) *image.NRGBA {
	if n, ok := img.(*image.NRGBA); ok && n.Rect.Min == (image.Point{}) && n.Stride == 4*n.Rect.Dx() {
		return n
	}
	return Flatten(img)
}

func (s *Study) at(x, y int) Lab {
	return s.Colour[min(max(y, 0), s.H-1)*s.W+min(max(x, 0), s.W-1)]
}

// OnEdge reports whether a pixel lies within n of the picture's edge.
func (s *Study) OnEdge(i, n int) bool {
	x, y := i%s.W, i/s.W
	return x < n || y < n || x >= s.W-n || y >= s.H-n
}

// ComponentsWith keeps the components of a mask that contain one of the pixels.
func (s *Study) ComponentsWith(m *Mask, pixels []int) *Mask {
	seen := make([]bool, len(m.Pix))
	out := NewMask(m.W, m.H)
	for _, i := range pixels {
		if m.Pix[i] < 128 || seen[i] {
			continue
		}
		for _, k := range m.flood(i, seen, func(v uint8) bool { return v >= 128 }) {
			out.Pix[k] = 255
		}
	}
	return out
}
