package picture

import "math"

// heavens paints the sky and what is in it.
func (s *stage) heavens() {
	d := &s.sky
	bottom := float32(s.horizon)
	if s.world == "clouds" {
		bottom = float32(s.h)
	}
	seed := uint32(s.dice("sky").next())
	u := float32(s.u)
	cover := s.cloudiness()
	drift := float32(s.at) * 0.03
	sun := point{d.sunAt.x * s.w, d.sunAt.y * s.horizon}
	if s.dice("side").chance(0.5) && !s.scene.Symmetric {
		sun.x = s.w - sun.x
		s.light.from[0] = -s.light.from[0]
	}
	if s.scene.Symmetric {
		sun.x = s.w / 2
	}
	flat := s.light.flat
	s.washLines(box{0, 0, s.w, float64(bottom) + 2}, 0, func(y float32) func(x float32) (rgb, float32) {
		t := y / bottom
		air := d.at(t)
		if flat {
			return func(float32) (rgb, float32) { return air, 1 }
		}
		dy := (y - float32(sun.y)) / u
		shine := d.sun.scaled(0.15 * (1 - d.night*0.75))
		// Clouds are flatter near the horizon, where they are far away.
		flatter := 1.3 / (1.15 - min(t, 1)*0.92)
		cy := y / u * 2.4 * flatter
		lean := 0.05 * float32(sun.x/s.w-0.5)
		body := fractalLine(2.1/u, 5, func(x float32) float32 { return fractal(x/u*2.1+drift*3, cy, 5, seed) })
		top := fractalLine(2.1/u, 3, func(x float32) float32 { return fractal(x/u*2.1+drift*3+lean, cy-0.16, 3, seed) })
		thin, dense, strong := 0.62-cover*0.34, 0.80-cover*0.22, 0.9-0.3*t
		return func(x float32) (rgb, float32) {
			dx := (x - float32(sun.x)) / u
			c := air.plus(shine.scaled(1 / (1 + 14*(dx*dx+dy*dy))))
			if cover > 0 && t < 1 {
				n := body(x)
				if v := smooth(thin, dense, n); v > 0 {
					c = mix(c, mix(d.under, d.cloud, unit(0.5+(n-top(x))*3.2)), v*strong)
				}
			}
			return c, 1
		}
	})
	if d.night > 0.6 && cover < 0.75 || s.scene.sky("stars") != nil {
		s.stars(s.horizon, 1-float32(cover)*0.6)
	}
	s.luminary(sun)
	s.wonders()
}

func (s *stage) cloudiness() float32 {
	switch {
	case s.scene.without("clouds"):
		return 0
	case s.scene.weather("storm"):
		return 1.2
	case s.scene.weather("rain"), s.scene.sky("clouds") != nil:
		return 0.9
	case s.scene.weather("fog"), s.scene.weather("snow"):
		return 0.45
	case s.sky.night == 1:
		return 0.15
	}
	return s.dice("clouds").in32(0.2, 0.6)
}

// stars strews stars over the sky down to a line, fewer near it.
func (s *stage) stars(down float64, strength float32) {
	d := s.dice("stars")
	n := int(150 * math.Sqrt(s.w*s.h) / s.u)
	for range n {
		p := point{d.unit() * s.w, d.unit() * d.unit() * down}
		bright := d.unit()
		r := s.u * (0.0009 + 0.0022*bright*bright*bright)
		twinkle := float32(0.75 + 0.25*math.Sin(s.at*5+bright*40))
		c := mix(rgb{1, 0.95, 0.8}, rgb{0.75, 0.86, 1}, float32(d.unit()))
		s.put(stroke{loops: [][]point{oval(p, max(r, 0.6), max(r, 0.6), 0)}, lit: c, alpha: strength * twinkle * float32(0.4+0.6*bright)})
		if bright > 0.93 {
			s.halo(p, r*6, r*6, c, 0.5*strength, glow)
		}
	}
}

// luminary is the sun, or the moon at night.
func (s *stage) luminary(at point) {
	d := &s.sky
	thing := s.scene.sky("sun")
	night := d.night > 0.6
	if night || thing == nil && s.scene.sky("moon") != nil {
		thing = s.scene.sky("moon")
	}
	if thing == nil && (s.scene.weather("storm") || s.scene.weather("rain") || s.scene.without("sun") && !night || s.scene.without("moon") && night) {
		return
	}
	if thing == nil && s.world == "" && s.time == "day" && s.dice("sun").chance(0.4) {
		return
	}
	size, tone := 1.0, d.sun
	if thing != nil {
		size = thing.Size * 1.15
		if len(thing.Colours) > 0 {
			tone = thing.Colours[0].tint()
		}
		if thing.Size > 1.2 {
			at.y = max(at.y, s.u*0.24*size/1.6)
			at.y = min(at.y, s.horizon*0.62)
		}
	}
	moon := night || thing != nil && thing.Key == "moon"
	r := s.u * 0.055 * size
	if moon {
		r = s.u * 0.068 * size * size
		at.y = max(at.y, r*1.5)
		if thing != nil && s.world == "" { // in a picture that exists it shall be seen whole
			at.x = min(max(at.x, r*1.3), s.w-r*1.3)
		}
	}
	s.halo(at, r*5, r*5, tone, 0.20, glow)
	s.halo(at, r*2.2, r*2.2, tone, 0.28, glow)
	s.put(stroke{loops: [][]point{oval(at, r, r, 0)}, lit: tone, alpha: 1, depth: 2})
	if !moon || s.light.flat {
		return
	}
	roll := s.dice("craters")
	for range 9 {
		a, q := roll.in(0, 2*math.Pi), r*math.Sqrt(roll.unit())*0.72
		cr := r * roll.in(0.07, 0.2)
		p := point{at.x + math.Cos(a)*q, at.y + math.Sin(a)*q}
		s.put(stroke{loops: [][]point{oval(p, cr, cr*0.92, 0)}, lit: tone.shifted(-22), alpha: 0.45})
	}
	if thing != nil && (thing.Word == "crescent" || thing.Word == "crescent moon") {
		s.put(stroke{loops: [][]point{oval(point{at.x + r*0.45, at.y - r*0.2}, r*0.92, r*0.92, 0)}, lit: d.at(float32(at.y / s.horizon)), alpha: 1})
	}
}

// wonders are the rare things of the sky.
func (s *stage) wonders() {
	if s.scene.sky("rainbow") != nil {
		s.rainbow()
	}
	if s.scene.sky("aurora") != nil {
		s.aurora()
	}
	if s.scene.sky("comet") != nil {
		d := s.dice("comet")
		for range 3 {
			p := point{d.in(0.2, 0.9) * s.w, d.in(0.08, 0.5) * s.horizon}
			q := point{p.x + s.u*0.22, p.y - s.u*0.13}
			s.put(stroke{loops: [][]point{ribbon([]point{p, q}, s.u*0.008, 0.3)}, shading: linear, from: p, to: q, lit: rgb{1, 1, 0.95}, dim: s.sky.zenith, alpha: 0.9})
			s.halo(p, s.u*0.03, s.u*0.03, rgb{1, 1, 0.9}, 0.8, glow)
		}
	}
	if s.scene.sky("lightning") != nil || s.scene.weather("storm") && !s.scene.without("lightning") {
		s.lightning()
	}
	if s.scene.sky("fireworks") != nil {
		s.fireworks()
	}
	if s.scene.sky("birds") != nil || s.world == "" && s.sky.night < 0.5 && !s.scene.foul() && s.dice("gulls").chance(0.35) && !s.scene.without("bird") {
		d := s.dice("birds")
		c := point{d.in(0.2, 0.8) * s.w, d.in(0.2, 0.45) * s.horizon}
		for range 5 {
			p := point{c.x + d.around(0.14)*s.u + s.at*s.u*0.03, c.y + d.around(0.07)*s.u}
			k := s.u * d.in(0.010, 0.020)
			flap := 0.5 + 0.3*math.Sin(s.at*9+p.y)
			wing := spline(knots([]point{{p.x - k, p.y - k*flap}, {p.x - k*0.4, p.y - k*flap*0.9}, p, {p.x + k*0.4, p.y - k*flap*0.9}, {p.x + k, p.y - k*flap}}), false)
			s.put(stroke{loops: [][]point{ribbon(wing, k*0.16, k*0.1)}, lit: rgb{0.15, 0.15, 0.2}, alpha: 0.7})
		}
	}
}

func (s *stage) rainbow() {
	c := point{s.w * 0.5, s.horizon * 1.12}
	inner, outer := float32(s.h*0.50), float32(s.h*0.60)
	s.washBox(box{0, 0, s.w, s.horizon}, 0, func(x, y float32) (rgb, float32) {
		dx, dy := x-float32(c.x), y-float32(c.y)
		r := float32(math.Sqrt(float64(dx*dx + dy*dy)))
		if r < inner || r > outer {
			return rgb{}, 0
		}
		t := (r - inner) / (outer - inner)
		return fromHSL(0.78*(1-t), 0.9, 0.58), 0.55 * smooth(0, 0.12, t) * smooth(1, 0.88, t)
	})
}

func (s *stage) aurora() {
	seed := uint32(s.dice("aurora").next())
	u, top := float32(s.u), float32(s.horizon)
	drift := float32(s.at) * 0.15
	s.put(stroke{box: box{0, 0, s.w, s.horizon}, shading: custom, alpha: 1, blend: glow, shade: func(x, y float32) (rgb, float32) {
		var sum rgb
		for i := range 3 {
			k := float32(i)
			line := top * (0.30 + 0.14*k + 0.34*(fractal(x/u*1.4+k*9+drift, k*3+drift*0.5, 3, seed)-0.5))
			above := (line - y) / (top * 0.42)
			if above < -0.06 || above > 1 {
				continue
			}
			ray := 0.45 + 0.55*noise(x/u*26+k*5, drift, seed+7)
			v := smooth(-0.06, 0.03, above) * (1 - above) * (1 - above) * ray
			sum = sum.plus(mix(rgb{0.15, 0.95, 0.55}, rgb{0.55, 0.25, 0.85}, unit(above*1.4)).scaled(v * 0.62))
		}
		return sum, 1
	}})
}

func (s *stage) lightning() {
	d := s.dice("lightning")
	x := d.in(0.15, 0.85) * s.w
	if s.at > 0 && math.Mod(s.at, 2.3) > 0.35 {
		return // in a clip the bolt flashes
	}
	bolt := func(from point, to point, w float64) []point {
		line := []point{from}
		for i := 1; i <= 9; i++ {
			t := float64(i) / 9
			p := between(from, to, t)
			line = append(line, point{p.x + d.around(0.035)*s.u, p.y})
		}
		s.put(stroke{loops: [][]point{ribbon(line, w, w*0.35)}, lit: rgb{1, 0.99, 0.92}, alpha: 1})
		return line
	}
	s.halo(point{x, s.horizon * 0.35}, s.u*0.5, s.horizon*0.75, rgb{0.6, 0.65, 0.95}, 0.4, glow)
	main := bolt(point{x, 0}, point{x + d.around(0.1)*s.u, s.horizon * 0.98}, s.u*0.011)
	for _, i := range []int{3, 5} {
		bolt(main[i], point{main[i].x + d.around(0.2)*s.u, main[i].y + s.horizon*0.3}, s.u*0.005)
	}
}

func (s *stage) fireworks() {
	d := s.dice("fireworks")
	for range 5 {
		c := point{d.in(0.1, 0.9) * s.w, d.in(0.1, 0.55) * s.horizon}
		tone := fromHSL(d.in32(0, 1), 0.9, 0.62)
		reach := s.u * d.in(0.08, 0.17)
		s.halo(c, reach*1.5, reach*1.5, tone, 0.35, glow)
		for i := range 22 {
			sn, cs := math.Sincos(2*math.Pi*float64(i)/22 + d.around(0.08))
			q := point{c.x + cs*reach, c.y + sn*reach + reach*0.15}
			s.put(stroke{loops: [][]point{ribbon([]point{between(c, q, 0.25), q}, 0.6, s.u*0.006)}, lit: tone.shifted(25), alpha: 0.95})
		}
	}
}

// cloudSea fills the lower sky with banks of cloud, for a picture high above.
func (s *stage) cloudSea() {
	for layer := range 3 {
		d := s.dice("bank", string(rune('a'+layer)))
		y := s.h * (0.66 + 0.13*float64(layer))
		far := float32(0.45 - 0.2*float64(layer))
		for range 16 {
			p := point{d.in(-0.1, 1.1) * s.w, y + d.around(0.03)*s.h}
			r := s.u * d.in(0.08, 0.17)
			st := s.body(oval(p, r*1.5, r, 0), mix(s.sky.cloud, s.sky.horizon, far), 0, uint8(20+layer*20))
			st.lit, st.dim = mix(s.sky.cloud, s.sky.horizon, far), mix(s.sky.under, s.sky.horizon, far)
			st.alpha = 0.92
			s.put(st)
		}
		s.put(stroke{loops: [][]point{rectangle(0, y+s.u*0.05, s.w, s.h)}, lit: mix(s.sky.cloud, s.sky.under, 0.35), alpha: 0.85, depth: uint8(20 + layer*20)})
	}
}
