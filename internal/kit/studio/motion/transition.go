package motion

import (
	"image"
	"image/draw"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// Blender draws the transition from one clip to the next.
type Blender struct {
	Out  *image.RGBA
	mask []uint8 // the grain of a dissolve
}

// Transitions draw the transition from one clip to the next, at its progress,
// into the blender's frame. They have the names and directions of ffmpeg's
// xfade.
var Transitions = map[string]func(s *Blender, a, b *image.RGBA, t float64){
	"fade":      func(s *Blender, a, b *image.RGBA, t float64) { Crossfade(s.Out, a, b, t) },
	"dissolve":  (*Blender).dissolve,
	"wipeleft":  func(s *Blender, a, b *image.RGBA, t float64) { s.wipe(a, b, 1-t) },
	"wiperight": func(s *Blender, a, b *image.RGBA, t float64) { s.wipe(b, a, t) },
	"slideup":   func(s *Blender, a, b *image.RGBA, t float64) { s.slide(a, b, -t) },
	"slidedown": func(s *Blender, a, b *image.RGBA, t float64) { s.slide(a, b, t) },
}

// dissolve shows the new picture grain by grain.
func (s *Blender) dissolve(a, b *image.RGBA, t float64) {
	w, h := s.Out.Rect.Dx(), s.Out.Rect.Dy()
	if s.mask == nil {
		s.mask = make([]uint8, w*h)
		for y := range h {
			for x := range w {
				// Grains of two pixels, with a trace of larger clouds.
				grain := hashUnit(97, (x/2)*65537+y/2, 1)
				s.mask[y*w+x] = uint8(255 * (0.75*grain + 0.25*cloud(float64(x)/40, float64(y)/40, 5)))
			}
		}
	}
	level := int32(t * (255 + 32))
	footage.Rows(h, func(y int) {
		p, q, o := a.Pix[y*a.Stride:], b.Pix[y*b.Stride:], s.Out.Pix[y*s.Out.Stride:]
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
func (s *Blender) wipe(left, right *image.RGBA, at float64) {
	w, h := s.Out.Rect.Dx(), s.Out.Rect.Dy()
	soft := max(1, w/96)
	edge := at * float64(w+2*soft)
	footage.Rows(h, func(y int) {
		p, q, o := left.Pix[y*left.Stride:], right.Pix[y*right.Stride:], s.Out.Pix[y*s.Out.Stride:]
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
func (s *Blender) slide(a, b *image.RGBA, t float64) {
	h := s.Out.Rect.Dy()
	off := int(t * float64(h))
	draw.Draw(s.Out, s.Out.Rect.Add(image.Pt(0, off)), a, image.Point{}, draw.Src)
	next := off - h
	if t < 0 {
		next = off + h
	}
	draw.Draw(s.Out, s.Out.Rect.Add(image.Pt(0, next)), b, image.Point{}, draw.Src)
}
