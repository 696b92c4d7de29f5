package motion

import (
	"image"
	"math"
)

// Turntable draws a solid from any side, before a background that moves with
// the angle.
type Turntable struct {
	body   *Solid
	behind *image.RGBA
	out    *image.RGBA
	net    *WarpGrid
	tall   float64 // how much of its box the body fills upwards
}

// NewTurntable makes frames of w by h.
func NewTurntable(body *Solid, behind *image.RGBA, w, h int) *Turntable {
	s := &Turntable{body: body, behind: behind, out: image.NewRGBA(image.Rect(0, 0, w, h)), net: NewWarpGrid(w, h)}
	_, s.tall = body.Extent()
	return s
}

// Frame returns what is seen from an angle.
func (s *Turntable) Frame(yaw, pitch, size float64) *image.RGBA {
	w, h := float64(s.out.Rect.Dx()), float64(s.out.Rect.Dy())
	// The background moves as with a field of view of sixty degrees.
	s.net.Set(s.behind.Rect, func(u, v float64) (float64, float64) {
		return 0.5 + (u-0.5)*0.92 + yaw/(math.Pi/3), 0.5 + (v-0.5)*0.86 - pitch*0.22
	})
	s.net.Draw(s.out, s.behind)
	unit := size * min(w, h*1.1)
	y := h * (0.52 + 0.06*(1-size))
	if s.tall > 0.5 {
		Shadow(s.out, w/2, y+unit*s.tall*math.Cos(pitch)+unit*0.02, unit*0.62, max(2, unit*(0.05+0.3*max(0, math.Sin(pitch)))))
	}
	s.body.Draw(s.out, Projection{Yaw: -yaw, Pitch: pitch, X: w / 2, Y: y, Size: unit}, nil)
	return s.out
}
