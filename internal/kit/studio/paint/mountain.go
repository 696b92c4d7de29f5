package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawMountains draws two ranges; the slope of a noise shades their faces, and
// snow lies on what is high and flat.
func (s *renderer) drawMountains(t Thing) {
	rock := pixel.MustHex("#6b6f86")
	if len(t.Colours) > 0 {
		rock = t.Colours[0].Tint()
	}
	grand := 0.5
	if len(s.scene.Subjects) == 0 {
		grand = 0.72
	}
	for i := range 2 {
		seed := uint32(s.dice("mountains").Next()) + uint32(i)*7919
		height := min(s.horizon*0.92, s.u*grand*t.Size*(1-0.32*float64(i)))
		base := s.horizon + s.u*0.01
		loop := s.profile(base, height, 1, 5, seed, s.ridgeProfile(i))
		far := float32(0.34 - 0.22*float64(i))
		lit, dim := s.light.Tones(rock, far)
		dim = dim.Scaled(0.82)
		white, shade := s.light.Tones(pixel.MustHex("#f6f9ff"), far*0.6)
		shade = pixel.Mix(shade, pixel.MustHex("#8fa6d0").Times(s.light.Lit), 0.5)
		unitLength, top := float32(s.u), float32(base-height)
		side := s.light.From[0] * 2
		deep := float32(height)
		flat := s.light.Flat
		lush, _ := s.light.Tones(pixel.MustHex("#5d7a4c"), far)
		snowline := float32(0.36)
		if s.snow {
			snowline = 0.9
		}
		// The height of each column gives how far a point is below its peak.
		n := len(loop) - 2
		edge := func(x float32) float32 {
			k := int(x / float32(s.w) * float32(n-1))
			return float32(loop[min(max(k, 0), n-1)].Y)
		}
		st := vector.Stroke{Loops: [][]vector.Point{loop}, Depth: uint8(6 + 5*i), Shading: vector.Custom, Alpha: 1}
		st.Shade = func(x, y float32) (pixel.RGB, float32) {
			px, py := x/unitLength*7, y/unitLength*5
			below := (y - edge(x)) / deep
			slope := edge(x+unitLength*0.012) - edge(x-unitLength*0.012)
			n := chance.Fractal(px+py*0.5, py*1.25, 5, seed)
			m := chance.Fractal(px+0.16*side+py*0.5, py*1.25-0.10, 5, seed)
			facing := pixel.Unit(0.5 + (m-n)*3.6 - side*slope/unitLength*12*max(0, 1-below*3))
			if flat {
				facing = 0.7
			}
			c := pixel.Mix(dim, lit, facing)
			height := (y - top) / deep
			c = pixel.Mix(c, lush, pixel.Smooth(0.62, 0.95, height+0.2*(n-0.5))*0.7)
			snow := pixel.Smooth(snowline+0.06, snowline-0.06, height+0.34*(n-0.5)+below*0.55)
			c = pixel.Mix(c, pixel.Mix(shade, white, facing), snow)
			return pixel.Mix(c, s.light.Haze, pixel.Smooth(0.45, 1.05, height)*0.30), 1
		}
		s.Add(st)
	}
}

// ridgeProfile makes the outline of a range: a few summits with straight flanks, made
// rough by a ridge noise.
func (s *renderer) ridgeProfile(row int) func(x float64, octaves int, seed uint32) float64 {
	d := s.dice("peaks", string(rune('a'+row)))
	wide := s.w / s.u
	n := 3 + row + int(wide*1.5)
	type peak struct{ x, h, w float64 }
	ps := make([]peak, n)
	for i := range ps {
		ps[i] = peak{(float64(i) + 0.5 + d.Around(0.35)) / float64(n) * wide, d.In(0.45, 0.85), d.In(0.30, 0.46)}
	}
	main := d.UpTo(n)
	ps[main].h, ps[main].w = 1, 0.55
	return func(x float64, octaves int, seed uint32) float64 {
		best := 0.12
		for _, p := range ps {
			best = max(best, p.h*(1-math.Pow(math.Abs(x-p.x)/p.w, 0.9)))
		}
		return best*0.9 + 0.16*(chance.Ridge(x*5, octaves, seed)-0.5)
	}
}

func (s *renderer) drawVolcano(t Thing) {
	d := s.dice("volcano")
	x, half, height := s.w*d.In(0.4, 0.6), s.u*0.46, min(s.horizon*0.62, s.u*0.42*t.Size)
	top := vector.Point{X: x, Y: s.horizon - height}
	mouth := s.u * 0.07
	s.Halo(vector.Point{X: x, Y: top.Y}, s.u*0.4, s.u*0.35, pixel.RGB{R: 1, G: 0.35, B: 0.1}, 0.5, vector.Glow)
	for i := range 14 {
		k := float64(i) / 14
		p := vector.Point{X: x + d.Around(0.05+0.16*k)*s.u + k*s.u*0.12, Y: top.Y - k*s.u*0.34}
		r := s.u * (0.04 + 0.08*k)
		st := s.shadedStroke(vector.Oval(p, r*1.2, r, 0), pixel.MustHex("#5c5358"), 0.1, 8)
		st.Alpha = float32(0.75 - 0.4*k)
		s.Add(st)
	}
	cone := vector.Spline([]vector.Knot{{Point: vector.Point{X: x - half, Y: s.horizon + s.u*0.02}, Sharp: true}, {Point: vector.Point{X: x - half*0.4, Y: s.horizon - height*0.45}, Sharp: false}, {Point: vector.Point{X: x - mouth, Y: top.Y}, Sharp: true}, {Point: vector.Point{X: x, Y: top.Y + s.u*0.02}, Sharp: false}, {Point: vector.Point{X: x + mouth, Y: top.Y}, Sharp: true}, {Point: vector.Point{X: x + half*0.4, Y: s.horizon - height*0.45}, Sharp: false}, {Point: vector.Point{X: x + half, Y: s.horizon + s.u*0.02}, Sharp: true}}, true)
	st := s.shadedStroke(cone, pixel.MustHex("#5a4a4a"), 0.12, 10)
	st.Grain = vector.Grain{Kind: vector.Stone, Strength: 0.5, Unit: float32(s.u * 0.012), X: 0, Y: 0, Seed: 5}
	s.Add(st)
	for i := range 4 {
		a := vector.Point{X: x + d.Around(0.7)*mouth, Y: top.Y + s.u*0.01}
		line := []vector.Point{a}
		for k := range 5 {
			a = vector.Point{X: a.X + (float64(i)-1.5)*s.u*0.022 + d.Around(0.012)*s.u, Y: a.Y + height*d.In(0.08, 0.17)}
			line = append(line, a)
			_ = k
		}
		curve := vector.Spline(vector.Knots(line), false)
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(curve, s.u*0.022, s.u*0.006)}, Lit: pixel.RGB{R: 0.95, G: 0.28, B: 0.08}, Alpha: 1, Depth: 10})
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(curve, s.u*0.009, s.u*0.002)}, Lit: pixel.RGB{R: 1, G: 0.8, B: 0.3}, Alpha: 1, Depth: 10})
	}
}
