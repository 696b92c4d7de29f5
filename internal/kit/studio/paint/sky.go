package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawSky draws the sky and what is in it.
func (s *renderer) drawSky() {
	d := &s.sky
	bottom := float32(s.horizon)
	if s.world == "clouds" {
		bottom = float32(s.h)
	}
	seed := uint32(s.dice("sky").Next())
	u := float32(s.u)
	cover := s.cloudiness()
	drift := float32(s.at) * 0.03
	sun := vector.Point{X: d.sunAt.X * s.w, Y: d.sunAt.Y * s.horizon}
	if s.dice("side").Chance(0.5) && !s.scene.Symmetric {
		sun.X = s.w - sun.X
		s.light.From[0] = -s.light.From[0]
	}
	if s.scene.Symmetric {
		sun.X = s.w / 2
	}
	flat := s.light.Flat
	s.WashLines(vector.Box{X0: 0, Y0: 0, X1: s.w, Y1: float64(bottom) + 2}, 0, func(y float32) func(x float32) (pixel.RGB, float32) {
		t := y / bottom
		air := d.at(t)
		if flat {
			return func(float32) (pixel.RGB, float32) { return air, 1 }
		}
		dy := (y - float32(sun.Y)) / u
		shine := d.sun.Scaled(0.15 * (1 - d.night*0.75))
		// Clouds are flatter near the horizon, where they are far away.
		flatter := 1.3 / (1.15 - min(t, 1)*0.92)
		cy := y / u * 2.4 * flatter
		lean := 0.05 * float32(sun.X/s.w-0.5)
		body := chance.FractalLine(2.1/u, 5, func(x float32) float32 { return chance.Fractal(x/u*2.1+drift*3, cy, 5, seed) })
		top := chance.FractalLine(2.1/u, 3, func(x float32) float32 { return chance.Fractal(x/u*2.1+drift*3+lean, cy-0.16, 3, seed) })
		thin, dense, strong := 0.62-cover*0.34, 0.80-cover*0.22, 0.9-0.3*t
		return func(x float32) (pixel.RGB, float32) {
			dx := (x - float32(sun.X)) / u
			c := air.Plus(shine.Scaled(1 / (1 + 14*(dx*dx+dy*dy))))
			if cover > 0 && t < 1 {
				n := body(x)
				if v := pixel.Smooth(thin, dense, n); v > 0 {
					c = pixel.Mix(c, pixel.Mix(d.under, d.cloud, pixel.Unit(0.5+(n-top(x))*3.2)), v*strong)
				}
			}
			return c, 1
		}
	})
	if d.night > 0.6 && cover < 0.75 || s.scene.SkyThing("stars") != nil {
		s.drawStars(s.horizon, 1-float32(cover)*0.6)
	}
	s.drawSunOrMoon(sun)
	s.drawSkyEffects()
}

func (s *renderer) cloudiness() float32 {
	switch {
	case s.scene.without("clouds"):
		return 0
	case s.scene.weather("storm"):
		return 1.2
	case s.scene.weather("rain"), s.scene.SkyThing("clouds") != nil:
		return 0.9
	case s.scene.weather("fog"), s.scene.weather("snow"):
		return 0.45
	case s.sky.night == 1:
		return 0.15
	}
	return s.dice("clouds").In32(0.2, 0.6)
}

// drawStars draws stars down to a line, fewer near it.
func (s *renderer) drawStars(down float64, strength float32) {
	d := s.dice("stars")
	n := int(150 * math.Sqrt(s.w*s.h) / s.u)
	for range n {
		p := vector.Point{X: d.Unit() * s.w, Y: d.Unit() * d.Unit() * down}
		bright := d.Unit()
		r := s.u * (0.0009 + 0.0022*bright*bright*bright)
		twinkle := float32(0.75 + 0.25*math.Sin(s.at*5+bright*40))
		c := pixel.Mix(pixel.RGB{R: 1, G: 0.95, B: 0.8}, pixel.RGB{R: 0.75, G: 0.86, B: 1}, float32(d.Unit()))
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(p, max(r, 0.6), max(r, 0.6), 0)}, Lit: c, Alpha: strength * twinkle * float32(0.4+0.6*bright)})
		if bright > 0.93 {
			s.Halo(p, r*6, r*6, c, 0.5*strength, vector.Glow)
		}
	}
}

// drawSunOrMoon draws the sun, or the moon at night.
func (s *renderer) drawSunOrMoon(at vector.Point) {
	d := &s.sky
	thing := s.scene.SkyThing("sun")
	night := d.night > 0.6
	if night || thing == nil && s.scene.SkyThing("moon") != nil {
		thing = s.scene.SkyThing("moon")
	}
	if thing == nil && (s.scene.weather("storm") || s.scene.weather("rain") || s.scene.without("sun") && !night || s.scene.without("moon") && night) {
		return
	}
	if thing == nil && s.world == "" && s.time == "day" && s.dice("sun").Chance(0.4) {
		return
	}
	size, tone := 1.0, d.sun
	if thing != nil {
		size = thing.Size * 1.15
		if len(thing.Colours) > 0 {
			tone = thing.Colours[0].Tint()
		}
		if thing.Size > 1.2 {
			at.Y = max(at.Y, s.u*0.24*size/1.6)
			at.Y = min(at.Y, s.horizon*0.62)
		}
	}
	moon := night || thing != nil && thing.Key == "moon"
	r := s.u * 0.055 * size
	if moon {
		r = s.u * 0.068 * size * size
		at.Y = max(at.Y, r*1.5)
		if thing != nil && s.world == "" { // in a photograph it must be fully visible
			at.X = min(max(at.X, r*1.3), s.w-r*1.3)
		}
	}
	s.Halo(at, r*5, r*5, tone, 0.20, vector.Glow)
	s.Halo(at, r*2.2, r*2.2, tone, 0.28, vector.Glow)
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(at, r, r, 0)}, Lit: tone, Alpha: 1, Depth: 2})
	if !moon || s.light.Flat {
		return
	}
	roll := s.dice("craters")
	for range 9 {
		a, q := roll.In(0, 2*math.Pi), r*math.Sqrt(roll.Unit())*0.72
		cr := r * roll.In(0.07, 0.2)
		p := vector.Point{X: at.X + math.Cos(a)*q, Y: at.Y + math.Sin(a)*q}
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(p, cr, cr*0.92, 0)}, Lit: tone.Shifted(-22), Alpha: 0.45})
	}
	if thing != nil && (thing.Word == "crescent" || thing.Word == "crescent moon") {
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(vector.Point{X: at.X + r*0.45, Y: at.Y - r*0.2}, r*0.92, r*0.92, 0)}, Lit: d.at(float32(at.Y / s.horizon)), Alpha: 1})
	}
}

// drawSkyEffects draws rainbow, aurora, lightning and fireworks.
func (s *renderer) drawSkyEffects() {
	if s.scene.SkyThing("rainbow") != nil {
		s.drawRainbow()
	}
	if s.scene.SkyThing("aurora") != nil {
		s.drawAurora()
	}
	if s.scene.SkyThing("comet") != nil {
		d := s.dice("comet")
		for range 3 {
			p := vector.Point{X: d.In(0.2, 0.9) * s.w, Y: d.In(0.08, 0.5) * s.horizon}
			q := vector.Point{X: p.X + s.u*0.22, Y: p.Y - s.u*0.13}
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon([]vector.Point{p, q}, s.u*0.008, 0.3)}, Shading: vector.Linear, From: p, To: q, Lit: pixel.RGB{R: 1, G: 1, B: 0.95}, Dim: s.sky.zenith, Alpha: 0.9})
			s.Halo(p, s.u*0.03, s.u*0.03, pixel.RGB{R: 1, G: 1, B: 0.9}, 0.8, vector.Glow)
		}
	}
	if s.scene.SkyThing("lightning") != nil || s.scene.weather("storm") && !s.scene.without("lightning") {
		s.drawLightning()
	}
	if s.scene.SkyThing("fireworks") != nil {
		s.drawFireworks()
	}
	if s.scene.SkyThing("birds") != nil || s.world == "" && s.sky.night < 0.5 && !s.scene.isFoulWeather() && s.dice("gulls").Chance(0.35) && !s.scene.without("bird") {
		d := s.dice("birds")
		c := vector.Point{X: d.In(0.2, 0.8) * s.w, Y: d.In(0.2, 0.45) * s.horizon}
		for range 5 {
			p := vector.Point{X: c.X + d.Around(0.14)*s.u + s.at*s.u*0.03, Y: c.Y + d.Around(0.07)*s.u}
			k := s.u * d.In(0.010, 0.020)
			flap := 0.5 + 0.3*math.Sin(s.at*9+p.Y)
			wing := vector.Spline(vector.Knots([]vector.Point{{X: p.X - k, Y: p.Y - k*flap}, {X: p.X - k*0.4, Y: p.Y - k*flap*0.9}, p, {X: p.X + k*0.4, Y: p.Y - k*flap*0.9}, {X: p.X + k, Y: p.Y - k*flap}}), false)
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(wing, k*0.16, k*0.1)}, Lit: pixel.RGB{R: 0.15, G: 0.15, B: 0.2}, Alpha: 0.7})
		}
	}
}

func (s *renderer) drawRainbow() {
	c := vector.Point{X: s.w * 0.5, Y: s.horizon * 1.12}
	inner, outer := float32(s.h*0.50), float32(s.h*0.60)
	s.WashBox(vector.Box{X0: 0, Y0: 0, X1: s.w, Y1: s.horizon}, 0, func(x, y float32) (pixel.RGB, float32) {
		dx, dy := x-float32(c.X), y-float32(c.Y)
		r := float32(math.Sqrt(float64(dx*dx + dy*dy)))
		if r < inner || r > outer {
			return pixel.RGB{}, 0
		}
		t := (r - inner) / (outer - inner)
		return pixel.FromHSL(0.78*(1-t), 0.9, 0.58), 0.55 * pixel.Smooth(0, 0.12, t) * pixel.Smooth(1, 0.88, t)
	})
}

func (s *renderer) drawAurora() {
	seed := uint32(s.dice("aurora").Next())
	u, top := float32(s.u), float32(s.horizon)
	drift := float32(s.at) * 0.15
	s.Add(vector.Stroke{Box: vector.Box{X0: 0, Y0: 0, X1: s.w, Y1: s.horizon}, Shading: vector.Custom, Alpha: 1, Blend: vector.Glow, Shade: func(x, y float32) (pixel.RGB, float32) {
		var sum pixel.RGB
		for i := range 3 {
			k := float32(i)
			line := top * (0.30 + 0.14*k + 0.34*(chance.Fractal(x/u*1.4+k*9+drift, k*3+drift*0.5, 3, seed)-0.5))
			above := (line - y) / (top * 0.42)
			if above < -0.06 || above > 1 {
				continue
			}
			ray := 0.45 + 0.55*chance.Noise(x/u*26+k*5, drift, seed+7)
			v := pixel.Smooth(-0.06, 0.03, above) * (1 - above) * (1 - above) * ray
			sum = sum.Plus(pixel.Mix(pixel.RGB{R: 0.15, G: 0.95, B: 0.55}, pixel.RGB{R: 0.55, G: 0.25, B: 0.85}, pixel.Unit(above*1.4)).Scaled(v * 0.62))
		}
		return sum, 1
	}})
}

func (s *renderer) drawLightning() {
	d := s.dice("lightning")
	x := d.In(0.15, 0.85) * s.w
	if s.at > 0 && math.Mod(s.at, 2.3) > 0.35 {
		return // between two flashes in a clip
	}
	bolt := func(from vector.Point, to vector.Point, w float64) []vector.Point {
		line := []vector.Point{from}
		for i := 1; i <= 9; i++ {
			t := float64(i) / 9
			p := vector.Between(from, to, t)
			line = append(line, vector.Point{X: p.X + d.Around(0.035)*s.u, Y: p.Y})
		}
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(line, w, w*0.35)}, Lit: pixel.RGB{R: 1, G: 0.99, B: 0.92}, Alpha: 1})
		return line
	}
	s.Halo(vector.Point{X: x, Y: s.horizon * 0.35}, s.u*0.5, s.horizon*0.75, pixel.RGB{R: 0.6, G: 0.65, B: 0.95}, 0.4, vector.Glow)
	main := bolt(vector.Point{X: x, Y: 0}, vector.Point{X: x + d.Around(0.1)*s.u, Y: s.horizon * 0.98}, s.u*0.011)
	for _, i := range []int{3, 5} {
		bolt(main[i], vector.Point{X: main[i].X + d.Around(0.2)*s.u, Y: main[i].Y + s.horizon*0.3}, s.u*0.005)
	}
}

func (s *renderer) drawFireworks() {
	d := s.dice("fireworks")
	for range 5 {
		c := vector.Point{X: d.In(0.1, 0.9) * s.w, Y: d.In(0.1, 0.55) * s.horizon}
		tone := pixel.FromHSL(d.In32(0, 1), 0.9, 0.62)
		reach := s.u * d.In(0.08, 0.17)
		s.Halo(c, reach*1.5, reach*1.5, tone, 0.35, vector.Glow)
		for i := range 22 {
			sn, cs := math.Sincos(2*math.Pi*float64(i)/22 + d.Around(0.08))
			q := vector.Point{X: c.X + cs*reach, Y: c.Y + sn*reach + reach*0.15}
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon([]vector.Point{vector.Between(c, q, 0.25), q}, 0.6, s.u*0.006)}, Lit: tone.Shifted(25), Alpha: 0.95})
		}
	}
}

// drawCloudSea fills the lower sky with banks of cloud, for a picture high above.
func (s *renderer) drawCloudSea() {
	for layer := range 3 {
		d := s.dice("bank", string(rune('a'+layer)))
		y := s.h * (0.66 + 0.13*float64(layer))
		far := float32(0.45 - 0.2*float64(layer))
		for range 16 {
			p := vector.Point{X: d.In(-0.1, 1.1) * s.w, Y: y + d.Around(0.03)*s.h}
			r := s.u * d.In(0.08, 0.17)
			st := s.shadedStroke(vector.Oval(p, r*1.5, r, 0), pixel.Mix(s.sky.cloud, s.sky.horizon, far), 0, uint8(20+layer*20))
			st.Lit, st.Dim = pixel.Mix(s.sky.cloud, s.sky.horizon, far), pixel.Mix(s.sky.under, s.sky.horizon, far)
			st.Alpha = 0.92
			s.Add(st)
		}
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(0, y+s.u*0.05, s.w, s.h)}, Lit: pixel.Mix(s.sky.cloud, s.sky.under, 0.35), Alpha: 0.85, Depth: uint8(20 + layer*20)})
	}
}
