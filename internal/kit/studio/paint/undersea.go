package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawUndersea draws the world below the surface: shafts of light, a bed of sand with
// coral and weed, small fish, bubbles.
func (s *renderer) drawUndersea() {
	tone := colourOf(s.scene.setting("undersea"), pixel.MustHex("#1f86ae"))
	if t := s.scene.setting("sea"); t != nil {
		tone = colourOf(t, tone)
	}
	top, low := tone.Shifted(38), tone.Shifted(-62)
	if s.sky.night > 0.6 {
		top, low = top.Scaled(0.45), low.Scaled(0.5)
	}
	seed := uint32(s.dice("undersea").Next())
	u, h, drift := float32(s.u), float32(s.h), float32(s.at)*0.12
	flat := s.light.Flat
	s.Wash(0, func(x, y float32) (pixel.RGB, float32) {
		t := y / h
		c := pixel.Mix(top, low, pixel.Smooth(-0.05, 1, t))
		if !flat {
			// Shafts fan out from above the picture.
			a := (x - float32(s.w)*0.4) / (y + u*0.5)
			ray := chance.Fractal(a*5+drift, 0.5+drift, 3, seed)
			c = c.Plus(pixel.RGB{R: 0.75, G: 0.95, B: 0.95}.Scaled(pixel.Smooth(0.52, 0.78, ray) * 0.34 * (1 - t) * (1 - t)))
			c = c.Scaled(0.95 + 0.1*chance.Fractal(x/u*3, y/u*3+drift, 3, seed+5))
		}
		return c, 1
	})
	s.light.Haze = pixel.Mix(top, low, 0.45)
	s.light.Lit = pixel.Mix(s.light.Lit, pixel.RGB{R: 0.88, G: 1.02, B: 1.05}, 0.6)
	s.light.Dim = pixel.Mix(s.light.Dim, tone.Shifted(-30), 0.4)
	d := s.dice("seabed")
	for i := range 3 {
		base := s.h * (0.86 + 0.05*float64(i))
		loop := s.profile(base, s.u*0.10*(1.2-0.3*float64(i)), 1.2, 3, seed+uint32(i), rolling)
		st := s.shadedStroke(loop, pixel.MustHex("#c9b98a"), float32(0.62-0.18*float64(i)), uint8(10+i*8))
		st.Grain = vector.Grain{Kind: vector.Stone, Strength: 0.25, Unit: float32(s.u * 0.012), X: 0, Y: 0, Seed: seed}
		s.Add(st)
		for range 7 {
			x := d.Unit() * s.w
			s.drawWeed(vector.Point{X: x, Y: base - s.u*0.02}, s.u*d.In(0.08, 0.2), float32(0.5-0.17*float64(i)), uint8(12+i*8), d)
		}
		for range 3 {
			s.drawCoral(vector.Point{X: d.Unit() * s.w, Y: base}, s.u*d.In(0.06, 0.12), float32(0.4-0.16*float64(i)), uint8(12+i*8), d)
		}
	}
	if !s.scene.without("fish") {
		c := vector.Point{X: d.In(0.15, 0.85) * s.w, Y: d.In(0.15, 0.4) * s.h}
		tint := pixel.FromHSL(d.In32(0, 1), 0.6, 0.6)
		for range 9 {
			p := vector.Point{X: c.X + d.Around(0.2)*s.u + s.at*s.u*0.05, Y: c.Y + d.Around(0.1)*s.u}
			fish := vector.Drawings()["fish"]
			fish.Draw(s.Canvas, vector.Pose{Place: placeDrawing(fish, p, s.u*0.028, false), Colours: map[string]pixel.RGB{"body": tint}, Light: &s.light, Far: 0.45, Depth: 14, Seed: d.Next(), Seconds: s.at, Opacity: 1})
		}
	}
	for range 26 {
		p := vector.Point{X: d.Unit() * s.w, Y: math.Mod(d.Unit()*s.h-s.at*s.u*0.12+9*s.h, s.h)}
		r := s.u * d.In(0.003, 0.010)
		s.Add(vector.Stroke{Loops: vector.ClosedRibbon(vector.Oval(p, r, r, 0), max(r*0.3, 0.7)), Lit: pixel.RGB{R: 0.85, G: 0.97, B: 1}, Alpha: 0.55, Depth: 16})
	}
}

func (s *renderer) drawWeed(base vector.Point, height float64, far float32, depth uint8, d *chance.Dice) {
	tone := chance.Choose(d, pixel.MustHex("#3f8a4a"), pixel.MustHex("#5f9a3a"), pixel.MustHex("#2f7a5a"))
	for range 3 {
		x := base.X + d.Around(0.2)*height
		var line []vector.Point
		for k := range 5 {
			t := float64(k) / 4
			line = append(line, vector.Point{X: x + math.Sin(t*5+base.X+s.at*1.5)*height*0.08*(t+0.2), Y: base.Y + height*0.1 - t*height*d.In(0.85, 1.1)})
		}
		s.Add(s.shadedStroke(vector.Ribbon(vector.Spline(vector.Knots(line), false), height*0.09, height*0.02), tone, far, depth))
	}
}

func (s *renderer) drawCoral(base vector.Point, size float64, far float32, depth uint8, d *chance.Dice) {
	tone := chance.Choose(d, pixel.MustHex("#e0625a"), pixel.MustHex("#e89a4a"), pixel.MustHex("#c85a9a"), pixel.MustHex("#8a6ac8"))
	for range 7 {
		a := -math.Pi/2 + d.Around(1.0)
		sn, cs := math.Sincos(a)
		tip := vector.Point{X: base.X + cs*size, Y: base.Y + sn*size}
		mid := vector.Point{X: base.X + cs*size*0.5 + d.Around(0.1)*size, Y: base.Y + sn*size*0.5}
		s.Add(s.shadedStroke(vector.Ribbon(vector.Spline(vector.Knots([]vector.Point{base, mid, tip}), false), size*0.2, size*0.12), tone, far, depth))
	}
}
