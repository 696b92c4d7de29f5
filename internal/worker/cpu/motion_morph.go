package cpu

import "image"

// morph turns one picture into another of the same size: both are bent towards
// each other along their flow while one fades into the other.
type morph struct {
	a, b       *image.RGBA
	flow       *flow
	net        *lattice
	one, other *image.RGBA
}

func newMorph(a, b *image.RGBA) *morph {
	w, h := a.Rect.Dx(), a.Rect.Dy()
	return &morph{a: a, b: b, flow: flowOf(greysOf(a, flowSide), greysOf(b, flowSide)), net: newLattice(w, h),
		one: image.NewRGBA(a.Rect), other: image.NewRGBA(a.Rect)}
}

// at is the picture at a part of the way. It is used again for the next.
func (m *morph) at(t float64, dst *image.RGBA) *image.RGBA {
	switch {
	case t <= 0:
		copy(dst.Pix, m.a.Pix)
		return dst
	case t >= 1:
		copy(dst.Pix, m.b.Pix)
		return dst
	}
	m.net.bend(m.a.Rect, func(u, v float64) (float64, float64) {
		dx, dy := m.flow.at(u, v)
		return u - t*dx, v - t*dy
	})
	m.net.draw(m.one, m.a)
	m.net.bend(m.b.Rect, func(u, v float64) (float64, float64) {
		dx, dy := m.flow.at(u, v)
		return u + (1-t)*dx, v + (1-t)*dy
	})
	m.net.draw(m.other, m.b)
	crossfade(dst, m.one, m.other, ease((t-0.15)/0.7))
	return dst
}

// crossfade mixes two pictures of the same size; they may be the destination.
func crossfade(dst, a, b *image.RGBA, t float64) {
	k := int32(min(max(t, 0), 1) * 256)
	n := 4 * dst.Rect.Dx()
	rows(dst.Rect.Dy(), func(y int) {
		p, q, o := a.Pix[y*a.Stride:][:n], b.Pix[y*b.Stride:][:n], dst.Pix[y*dst.Stride:][:n]
		for i := range o {
			o[i] = uint8((int32(p[i])*(256-k) + int32(q[i])*k + 128) >> 8)
		}
	})
}
