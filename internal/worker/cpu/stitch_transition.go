package cpu

import (
	"image"
	"image/draw"
)

// transitions draw one clip turning into the next, at a part of the way, into the
// seam's frame. They are named and directed as editors know them from xfade.
var transitions = map[string]func(s *seam, a, b *image.RGBA, t float64){
	"fade":      func(s *seam, a, b *image.RGBA, t float64) { crossfade(s.out, a, b, t) },
	"dissolve":  (*seam).dissolve,
	"wipeleft":  func(s *seam, a, b *image.RGBA, t float64) { s.wipe(a, b, 1-t) },
	"wiperight": func(s *seam, a, b *image.RGBA, t float64) { s.wipe(b, a, t) },
	"slideup":   func(s *seam, a, b *image.RGBA, t float64) { s.slide(a, b, -t) },
	"slidedown": func(s *seam, a, b *image.RGBA, t float64) { s.slide(a, b, t) },
}

// dissolve lets the new picture come through grain by grain.
func (s *seam) dissolve(a, b *image.RGBA, t float64) {
	w, h := s.out.Rect.Dx(), s.out.Rect.Dy()
	if s.mask == nil {
		s.mask = make([]uint8, w*h)
		for y := range h {
			for x := range w {
				// Grains of two pixels, with a trace of larger clouds.
				grain := roll(97, (x/2)*65537+y/2, 1)
				s.mask[y*w+x] = uint8(255 * (0.75*grain + 0.25*cloud(float64(x)/40, float64(y)/40, 5)))
			}
		}
	}
	level := int32(t * (255 + 32))
	rows(h, func(y int) {
		p, q, o := a.Pix[y*a.Stride:], b.Pix[y*b.Stride:], s.out.Pix[y*s.out.Stride:]
		for x := range w {
			k := min(max((level-int32(s.mask[y*w+x]))*8, 0), 256)
			for c := range 4 {
				i := 4*x + c
				o[i] = uint8((int32(p[i])*(256-k) + int32(q[i])*k) >> 8)
			}
		}
	})
}

// wipe shows one picture left of a line and another right of it; the line is a
// little soft.
func (s *seam) wipe(left, right *image.RGBA, at float64) {
	w, h := s.out.Rect.Dx(), s.out.Rect.Dy()
	soft := max(1, w/96)
	edge := at * float64(w+2*soft)
	rows(h, func(y int) {
		p, q, o := left.Pix[y*left.Stride:], right.Pix[y*right.Stride:], s.out.Pix[y*s.out.Stride:]
		for x := range w {
			k := int32(256 * min(max((float64(x+soft)-edge)/float64(2*soft)+0.5, 0), 1))
			for c := range 4 {
				i := 4*x + c
				o[i] = uint8((int32(p[i])*(256-k) + int32(q[i])*k) >> 8)
			}
		}
	})
}

// slide pushes the old picture out and the new one in: upwards when t is below
// zero.
func (s *seam) slide(a, b *image.RGBA, t float64) {
	h := s.out.Rect.Dy()
	off := int(t * float64(h))
	draw.Draw(s.out, s.out.Rect.Add(image.Pt(0, off)), a, image.Point{}, draw.Src)
	next := off - h
	if t < 0 {
		next = off + h
	}
	draw.Draw(s.out, s.out.Rect.Add(image.Pt(0, next)), b, image.Point{}, draw.Src)
}
