package motion

import (
	"image"
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/footage"
)

// DanceScene draws a figure that dances.
type DanceScene struct {
	steps  Choreography
	body   *Solid
	wide   float64
	tall   float64
	behind *image.RGBA
	out    *image.RGBA
	net    *WarpGrid
	seed   uint64
}

// NewDanceScene makes frames of w by h.
func NewDanceScene(steps Choreography, body *Solid, behind *image.RGBA, w, h int, seed int64) *DanceScene {
	f := &DanceScene{steps: steps, body: body, behind: behind, out: image.NewRGBA(image.Rect(0, 0, w, h)), net: NewWarpGrid(w, h), seed: uint64(seed)}
	f.wide, f.tall = body.Extent()
	return f
}

// Frame returns the dance at a moment. A montage changes its view every two bars.
func (f *DanceScene) Frame(seconds float64, single bool) *image.RGBA {
	beat := seconds * f.steps.Bpm / 60
	shot := 0
	if !single {
		shot = int(beat / 8)
	}
	v := Shots[shot%len(Shots)]
	w, h := float64(f.out.Rect.Dx()), float64(f.out.Rect.Dy())
	pulse := math.Exp(-5 * math.Mod(beat, 1))
	if v.Stage {
		f.drawLights(beat, pulse)
	} else {
		lean := 1 - 0.02*pulse
		f.net.Set(f.behind.Rect, func(x, y float64) (float64, float64) {
			return View{X: 0.5, Y: 0.5, Size: lean * v.Near, Roll: 0}.Place(x, y, 1)
		})
		f.net.Draw(f.out, f.behind)
	}
	unit := min(v.Size*h, 0.42*w/float64(v.Troupe)/max(f.wide, 0.2))
	p := f.steps.Pose(beat)
	for i := range v.Troupe {
		x := w / 2
		if v.Troupe > 1 {
			x += (float64(i) - float64(v.Troupe-1)/2) * w * 0.3
		}
		f.drawFigure(x, h*v.Foot, unit, p, v, i%2 == 1)
	}
	for i := range f.steps.Swarms {
		f.steps.Swarm(i, f.seed).Draw(f.out, seconds, 0.4+0.6*pulse)
	}
	flash := 1 + 0.10*pulse
	Light{R: flash, G: flash, B: flash, Lift: 0}.Apply(f.out)
	return f.out
}

// drawFigure draws the figure in a pose with its feet at a place.
func (f *DanceScene) drawFigure(x, foot, unit float64, p Pose, v Shot, mirrored bool) {
	tall := f.tall
	Shadow(f.out, x+p.Step*unit, foot, unit*0.55*(1-0.5*p.Jump), unit*0.05)
	bend := func(q Vector) Vector {
		// up runs from 0 at the feet to 1 at the head.
		up := (q[1]/tall + 1) / 2
		hips := math.Exp(-12 * (up - 0.48) * (up - 0.48))
		out := q
		turn := p.Twist * (up - 0.35)
		s, c := math.Sincos(turn)
		out[0], out[2] = q[0]*c+q[2]*s, q[2]*c-q[0]*s
		// Points far to the side at the height of the shoulders are the arms.
		if side := math.Abs(q[0]); side > 0.28 && up > 0.42 && up < 0.86 {
			reach := footage.Ease((side - 0.28) / 0.4)
			wave := p.Left
			if q[0] > 0 {
				wave = p.Right
			}
			out[1] += reach * wave
		}
		out[1] = -tall + (out[1]+tall)*p.Squash
		out[0] = out[0]/math.Sqrt(p.Squash) + p.Sway*up*up + p.Hips*hips + p.Nod*footage.Ease((up-0.75)*4)
		return out
	}
	f.body.Draw(f.out, Projection{Yaw: p.Yaw, Pitch: v.Pitch, X: x + p.Step*unit, Y: foot - unit*tall*math.Cos(v.Pitch) - p.Jump*unit, Size: unit, Mirror: mirrored}, bend)
}

// drawLights draws the background: a dark room, a floor and beams that move with
// the beat.
func (f *DanceScene) drawLights(beat, pulse float64) {
	w, h := f.out.Rect.Dx(), f.out.Rect.Dy()
	tones := f.steps.Colours
	footage.Rows(h, func(y int) {
		v := float64(y) / float64(h)
		line := f.out.Pix[y*f.out.Stride:]
		floor := footage.Ease((v - 0.72) / 0.06)
		for x := range w {
			u := float64(x)/float64(w) - 0.5
			base := 0.10 + 0.05*(1-v) + 0.16*floor*(1-1.2*math.Abs(u))
			var c [3]float64
			for i, tone := range tones {
				// A beam hangs from the top and swings.
				swing := 0.35 * math.Sin(beat*math.Pi/4*(1+0.3*float64(i))+2.1*float64(i))
				at := (float64(i)+0.5)/float64(len(tones)) - 0.5 + swing*v
				wide := 0.035 + 0.13*v
				d := (u - at) / wide
				k := math.Exp(-d*d) * (0.30 + 0.35*pulse) * (1 - 0.5*v)
				k += 0.35 * floor * math.Exp(-d*d*0.4) * (0.5 + 0.5*pulse)
				for n := range 3 {
					c[n] += float64(tone[n]) / 255 * k
				}
			}
			p := line[4*x:]
			for n := range 3 {
				p[n] = uint8(255 * min(1, base*(0.5+0.5*float64(tones[0][n])/255)+c[n]))
			}
			p[3] = 255
		}
	})
}
