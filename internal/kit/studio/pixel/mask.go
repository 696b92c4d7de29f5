package pixel

import (
	"cmp"
	"context"
	"image"
	"math"
	"slices"
)

// Mask selects pixels: 0 is not selected, 255 is selected, and values between
// are soft borders.
type Mask struct {
	W, H int
	Pix  []uint8
}

// NewMask returns a mask that selects nothing.
func NewMask(w, h int) *Mask { return &Mask{w, h, make([]uint8, w*h)} }

// MaskOf reads a mask that came as a picture: white is selected, black and
// transparent are not. It is fitted to w by h.
func MaskOf(ctx context.Context, img image.Image, w, h int) (*Mask, error) {
	fitted, err := Resize(ctx, img, w, h)
	if err != nil {
		return nil, err
	}
	m := NewMask(w, h)
	for i := range m.Pix {
		p := fitted.Pix[i*4:]
		m.Pix[i] = uint8((299*int(p[0]) + 587*int(p[1]) + 114*int(p[2])) * int(p[3]) / 255000)
	}
	return m, nil
}

// MaskOfPixels makes a mask from a bool for each pixel.
func MaskOfPixels(w, h int, in []bool) *Mask {
	m := NewMask(w, h)
	for i, v := range in {
		if v {
			m.Pix[i] = 255
		}
	}
	return m
}

// Gray returns the mask as a picture.
func (m *Mask) Gray() *image.Gray {
	return &image.Gray{Pix: m.Pix, Stride: m.W, Rect: image.Rect(0, 0, m.W, m.H)}
}

// Share returns the selected part of the picture, from 0 to 1.
func (m *Mask) Share() float64 {
	sum := 0
	for _, v := range m.Pix {
		sum += int(v)
	}
	return float64(sum) / 255 / float64(max(len(m.Pix), 1))
}

// Box returns the smallest rectangle around what is at least half selected;
// empty when nothing is.
func (m *Mask) Box() image.Rectangle {
	b := image.Rectangle{Min: image.Pt(m.W, m.H)}
	for y := range m.H {
		for x, v := range m.Pix[y*m.W : (y+1)*m.W] {
			if v >= 128 {
				b.Min.X, b.Min.Y, b.Max.X, b.Max.Y = min(b.Min.X, x), min(b.Min.Y, y), max(b.Max.X, x+1), y+1
			}
		}
	}
	if b.Max.X <= b.Min.X {
		return image.Rectangle{}
	}
	return b
}

// Invert selects what m does not.
func (m *Mask) Invert() *Mask {
	out := NewMask(m.W, m.H)
	for i, v := range m.Pix {
		out.Pix[i] = 255 - v
	}
	return out
}

// Union selects what either of two masks of the same size selects.
func (m *Mask) Union(o *Mask) *Mask {
	out := NewMask(m.W, m.H)
	for i, v := range m.Pix {
		out.Pix[i] = max(v, o.Pix[i])
	}
	return out
}

// Intersect selects what both of two masks of the same size select.
func (m *Mask) Intersect(o *Mask) *Mask {
	out := NewMask(m.W, m.H)
	for i, v := range m.Pix {
		out.Pix[i] = min(v, o.Pix[i])
	}
	return out
}

// Within keeps what lies in a rectangle.
func (m *Mask) Within(r image.Rectangle) *Mask {
	out := NewMask(m.W, m.H)
	r = r.Intersect(image.Rect(0, 0, m.W, m.H))
	for y := r.Min.Y; y < r.Max.Y; y++ {
		copy(out.Pix[y*m.W+r.Min.X:y*m.W+r.Max.X], m.Pix[y*m.W+r.Min.X:])
	}
	return out
}

// Feather softens the border of a mask over about radius pixels on each side.
func (m *Mask) Feather(ctx context.Context, radius int) (*Mask, error) {
	if radius < 1 {
		return &Mask{m.W, m.H, slices.Clone(m.Pix)}, nil
	}
	p := newPlane(m.W, m.H)
	for i, v := range m.Pix {
		p.V[i] = float32(v)
	}
	for range 2 {
		if err := p.Soften(ctx, (radius+1)/2); err != nil {
			return nil, err
		}
	}
	out := NewMask(m.W, m.H)
	for i, v := range p.V {
		out.Pix[i] = ClampByte(v)
	}
	return out, nil
}

// Dilate widens a mask by n pixels, or narrows it when n is negative.
func (m *Mask) Dilate(n int) *Mask {
	pick := func(a, b uint8) uint8 { return max(a, b) }
	if n < 0 {
		n, pick = -n, func(a, b uint8) uint8 { return min(a, b) }
	}
	across, out := NewMask(m.W, m.H), NewMask(m.W, m.H)
	for y := range m.H {
		extremes(m.Pix[y*m.W:], across.Pix[y*m.W:], 1, m.W, n, pick)
	}
	for x := range m.W {
		extremes(across.Pix[x:], out.Pix[x:], m.W, m.H, n, pick)
	}
	return out
}

// extremes is the largest or smallest value within n on a line, in a time that
// does not depend on n: blocks of 2n+1 are run through from both sides (van
// Herk).
func extremes(from, to []uint8, step, length, n int, pick func(a, b uint8) uint8) {
	size := 2*n + 1
	total := length + 2*n
	at := func(i int) uint8 { return from[min(max(i-n, 0), length-1)*step] }
	ahead, back := make([]uint8, total), make([]uint8, total)
	for i := range total {
		if ahead[i] = at(i); i%size != 0 {
			ahead[i] = pick(ahead[i-1], ahead[i])
		}
	}
	for i := total - 1; i >= 0; i-- {
		if back[i] = at(i); i != total-1 && (i+1)%size != 0 {
			back[i] = pick(back[i+1], back[i])
		}
	}
	for i := range length {
		to[i*step] = pick(back[i], ahead[i+2*n])
	}
}

// Resize returns the mask at another size.
func (m *Mask) Resize(w, h int) *Mask {
	if w == m.W && h == m.H {
		return m
	}
	out := NewMask(w, h)
	kx, ky := float32(m.W)/float32(w), float32(m.H)/float32(h)
	for y := range h {
		fy := min(max((float32(y)+0.5)*ky-0.5, 0), float32(m.H-1))
		y0 := int(fy)
		y1 := min(y0+1, m.H-1)
		fy -= float32(y0)
		for x := range w {
			fx := min(max((float32(x)+0.5)*kx-0.5, 0), float32(m.W-1))
			x0 := int(fx)
			x1 := min(x0+1, m.W-1)
			fx -= float32(x0)
			top := float32(m.Pix[y0*m.W+x0])*(1-fx) + float32(m.Pix[y0*m.W+x1])*fx
			low := float32(m.Pix[y1*m.W+x0])*(1-fx) + float32(m.Pix[y1*m.W+x1])*fx
			out.Pix[y*w+x] = ClampByte(top*(1-fy) + low*fy)
		}
	}
	return out
}

// Components returns the connected components of a mask, the largest first,
// without those smaller than a share of the picture.
func (m *Mask) Components(least float64) []*Mask {
	seen := make([]bool, len(m.Pix))
	var out [][]int
	for s, v := range m.Pix {
		if v < 128 || seen[s] {
			continue
		}
		piece := m.flood(s, seen, func(v uint8) bool { return v >= 128 })
		if float64(len(piece)) >= least*float64(len(m.Pix)) {
			out = append(out, piece)
		}
	}
	slices.SortStableFunc(out, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	masks := make([]*Mask, len(out))
	for i, piece := range out {
		masks[i] = NewMask(m.W, m.H)
		for _, at := range piece {
			masks[i].Pix[at] = m.Pix[at]
		}
	}
	return masks
}

// flood returns the connected pixels around s for which like holds.
func (m *Mask) flood(s int, seen []bool, like func(uint8) bool) []int {
	seen[s] = true
	out := []int{s}
	for k := 0; k < len(out); k++ {
		i := out[k]
		x, y := i%m.W, i/m.W
		for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			nx, ny := x+d[0], y+d[1]
			if nx < 0 || ny < 0 || nx >= m.W || ny >= m.H {
				continue
			}
			if n := ny*m.W + nx; !seen[n] && like(m.Pix[n]) {
				seen[n] = true
				out = append(out, n)
			}
		}
	}
	return out
}

// FillHoles closes holes that are smaller than a share of the picture.
func (m *Mask) FillHoles(most float64) *Mask {
	out := &Mask{m.W, m.H, slices.Clone(m.Pix)}
	seen := make([]bool, len(m.Pix))
	for s, v := range m.Pix {
		if v >= 128 || seen[s] {
			continue
		}
		hole := m.flood(s, seen, func(v uint8) bool { return v < 128 })
		open := slices.ContainsFunc(hole, func(i int) bool {
			x, y := i%m.W, i/m.W
			return x == 0 || y == 0 || x == m.W-1 || y == m.H-1
		})
		if !open && float64(len(hole)) < most*float64(len(m.Pix)) {
			for _, i := range hole {
				out.Pix[i] = 255
			}
		}
	}
	return out
}

// Frame is a rectangle in parts of a picture's width and height.
type Frame struct {
	X0 float64 `json:"x0"`
	Y0 float64 `json:"y0"`
	X1 float64 `json:"x1"`
	Y1 float64 `json:"y1"`
}

// Holds reports whether the middle of another frame lies in this one.
func (f Frame) Holds(o Frame) bool {
	x, y := (o.X0+o.X1)/2, (o.Y0+o.Y1)/2
	return x >= f.X0 && x <= f.X1 && y >= f.Y0 && y <= f.Y1
}

// Clear deselects what lies in a frame.
func (m *Mask) Clear(f Frame) {
	x0, x1 := max(int(f.X0*float64(m.W)), 0), min(int(f.X1*float64(m.W)+0.5), m.W)
	for y := max(int(f.Y0*float64(m.H)), 0); y < min(int(f.Y1*float64(m.H)+0.5), m.H) && x0 < x1; y++ {
		clear(m.Pix[y*m.W+x0 : y*m.W+x1])
	}
}

// BoxIn returns the box around what a mask selects, in parts of the picture.
func BoxIn(m *Mask) Frame {
	b := m.Box()
	w, h := float64(m.W), float64(m.H)
	return Frame{
		X0: Thousandths(float64(b.Min.X) / w), Y0: Thousandths(float64(b.Min.Y) / h),
		X1: Thousandths(float64(b.Max.X) / w), Y1: Thousandths(float64(b.Max.Y) / h),
	}
}

// Thousandths rounds to three places.
func Thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }
