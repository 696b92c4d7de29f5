package motion

import (
	"image"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// Morph morphs one picture into another of the same size: both are warped along
// their flow while one fades into the other.
type Morph struct {
	a, B       *image.RGBA
	flow       *Flow
	net        *WarpGrid
	one, other *image.RGBA
}

// NewMorph returns a Morph for two pictures of the same size.
func NewMorph(a, b *image.RGBA) *Morph {
	w, h := a.Rect.Dx(), a.Rect.Dy()
	return &Morph{a: a, B: b, flow: FlowOf(GreyOf(a, FlowSide), GreyOf(b, FlowSide)), net: NewWarpGrid(w, h),
		one: image.NewRGBA(a.Rect), other: image.NewRGBA(a.Rect)}
}

// At returns the picture at a part of the way. The next call overwrites it.
func (m *Morph) At(t float64, dst *image.RGBA) *image.RGBA {
	switch {
	case t <= 0:
		copy(dst.Pix, m.a.Pix)
		return dst
	case t >= 1:
		copy(dst.Pix, m.B.Pix)
		return dst
	}
	m.net.Set(m.a.Rect, func(u, v float64) (float64, float64) {
		dx, dy := m.flow.At(u, v)
		return u - t*dx, v - t*dy
	})
	m.net.Draw(m.one, m.a)
	m.net.Set(m.B.Rect, func(u, v float64) (float64, float64) {
		dx, dy := m.flow.At(u, v)
		return u + (1-t)*dx, v + (1-t)*dy
	})
	m.net.Draw(m.other, m.B)
	Crossfade(dst, m.one, m.other, footage.Ease((t-0.15)/0.7))
	return dst
}

// Crossfade mixes two pictures of the same size; they may be the destination.
func Crossfade(dst, a, b *image.RGBA, t float64) {
	k := int32(min(max(t, 0), 1) * 256)
	n := 4 * dst.Rect.Dx()
	footage.Rows(dst.Rect.Dy(), func(y int) {
		p, q, o := a.Pix[y*a.Stride:][:n], b.Pix[y*b.Stride:][:n], dst.Pix[y*dst.Stride:][:n]
		for i := range o {
			o[i] = uint8((int32(p[i])*(256-k) + int32(q[i])*k + 128) >> 8)
		}
	})
}
