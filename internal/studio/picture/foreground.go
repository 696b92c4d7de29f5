package picture

import "math"

// foreground is what lies between the eye and the subjects: grass, stones, drifts.
func (s *stage) foreground() {
	if s.scene.styled("glass") || s.world != "" || s.scene.Framing == "above" || s.manner.plainGround {
		return
	}
	d := s.dice("foreground")
	sc := &s.scene
	switch {
	case sc.setting("sea") != nil, sc.setting("wave") != nil, sc.setting("island") != nil && sc.setting("beach") == nil:
		return
	case sc.setting("street") != nil, sc.setting("road") != nil, sc.setting("city") != nil:
		return
	}
	near, _ := s.groundTone()
	n := int(46 * s.w / s.u)
	if s.light.flat {
		n /= 3
	}
	for range n {
		k := d.unit()
		p := point{d.unit() * s.w, s.h - s.u*0.16*k*k - s.u*0.005 + s.u*0.02}
		size := s.u * (0.065 - 0.04*k)
		switch {
		case sc.setting("desert") != nil, sc.setting("moonland") != nil, sc.setting("beach") != nil:
			if d.chance(0.25) {
				r := size * d.in(0.15, 0.4)
				s.put(s.body(puff(point{p.x, p.y - r*0.4}, r, d), near.shifted(-28), 0, 240))
			}
		case s.snow:
			if d.chance(0.35) {
				s.put(s.body(oval(point{p.x, p.y}, size*1.6, size*0.34, 0), ink("#eef4fb"), 0, 240))
			}
		default:
			s.tuft(p, size, near, d)
			if sc.setting("garden") != nil || (sc.setting("meadow") != nil || sc.setting("park") != nil) && d.chance(0.3) || sc.Season == "spring" && d.chance(0.4) {
				s.bloom(p, size, d)
			}
		}
	}
	if sc.Season == "autumn" {
		for range 40 {
			p := point{d.unit() * s.w, math.Mod(d.unit()*s.h+s.at*s.u*0.12, s.h)}
			r := s.u * d.in(0.005, 0.012)
			c, _ := s.light.tones(s.leafTone(d), 0)
			s.put(stroke{loops: [][]point{oval(p, r, r*0.5, d.in(0, 3))}, lit: c, alpha: 0.9, depth: 240})
		}
	}
}

func (s *stage) tuft(p point, size float64, tone rgb, d *dice) {
	for i := range 5 {
		f := float64(i) - 2
		lean := f*0.22 + d.around(0.15) + 0.06*math.Sin(s.at*2+p.x)
		tip := point{p.x + lean*size*1.2, p.y - size*d.in(0.7, 1.2)}
		line := spline(knots([]point{{p.x + f*size*0.06, p.y}, {p.x + lean*size*0.4, p.y - size*0.5}, tip}), false)
		lit, dim := s.light.tones(tone.shifted(float32(d.in(-22, 14))), 0)
		s.put(stroke{loops: [][]point{ribbon(line, size*0.09, size*0.015)}, lit: mix(dim, lit, 0.7), alpha: 1, depth: 240})
	}
}

func (s *stage) bloom(p point, size float64, d *dice) {
	c := choose(d, ink("#e8586a"), ink("#f2d04a"), ink("#f4f0ea"), ink("#b07ad0"), ink("#f09ab8"))
	lit, _ := s.light.tones(c, 0)
	top := point{p.x + d.around(0.3)*size, p.y - size*d.in(0.9, 1.3)}
	r := size * 0.16
	for i := range 5 {
		sn, cs := math.Sincos(2 * math.Pi * float64(i) / 5)
		s.put(stroke{loops: [][]point{oval(point{top.x + cs*r, top.y + sn*r}, r*0.8, r*0.8, 0)}, lit: lit, alpha: 1, depth: 240})
	}
	core, _ := s.light.tones(ink("#f0b83a"), 0)
	s.put(stroke{loops: [][]point{oval(top, r*0.6, r*0.6, 0)}, lit: core, alpha: 1, depth: 240})
}

// weather falls between the eye and everything.
func (s *stage) weather() {
	if s.world != "" && s.world != "clouds" {
		return
	}
	if s.scene.weather("fog") {
		s.mist(s.h*0.93, s.u*0.16, 0.35)
	}
	d := s.dice("weather")
	if s.scene.weather("snow") {
		for range int(190 * s.w * s.h / (s.u * s.u)) {
			k := d.unit()
			r := s.u * (0.0016 + 0.007*k*k*k)
			x := d.unit()*s.w + math.Sin(s.at*1.4+k*20)*s.u*0.02
			y := math.Mod(d.unit()*s.h+s.at*s.u*(0.06+0.16*k), s.h)
			s.put(stroke{loops: [][]point{oval(point{x, y}, r, r, 0)}, lit: mix(rgb{1, 1, 1}, s.light.haze, s.light.night*0.3), alpha: float32(0.5 + 0.4*k)})
		}
	}
	if s.scene.weather("rain") || s.scene.weather("storm") {
		slant := 0.10
		if s.scene.weather("storm") {
			slant = 0.28
		}
		for range int(240 * s.w * s.h / (s.u * s.u)) {
			k := d.unit()
			x := d.in(-0.2, 1) * s.w
			y := math.Mod(d.unit()*s.h*1.2+s.at*s.u*(1.4+k), s.h*1.2) - 0.1*s.h
			long := s.u * (0.025 + 0.05*k)
			w := max(s.u*(0.0008+0.0014*k), 0.5)
			s.put(stroke{loops: [][]point{ribbon([]point{{x, y}, {x + long*slant, y + long}}, w, w)}, lit: mix(rgb{0.85, 0.9, 1}, s.light.haze, 0.25), alpha: 0.42})
		}
	}
}
