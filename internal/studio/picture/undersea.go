package picture

import "math"

// undersea is the world below the surface: shafts of light, a bed of sand with
// coral and weed, small fish, bubbles.
func (s *stage) undersea() {
	tone := colourOf(s.scene.setting("undersea"), ink("#1f86ae"))
	if t := s.scene.setting("sea"); t != nil {
		tone = colourOf(t, tone)
	}
	top, low := tone.shifted(38), tone.shifted(-62)
	if s.sky.night > 0.6 {
		top, low = top.scaled(0.45), low.scaled(0.5)
	}
	seed := uint32(s.dice("undersea").next())
	u, h, drift := float32(s.u), float32(s.h), float32(s.at)*0.12
	flat := s.light.flat
	s.wash(0, func(x, y float32) (rgb, float32) {
		t := y / h
		c := mix(top, low, smooth(-0.05, 1, t))
		if !flat {
			// Shafts fan out from above the picture.
			a := (x - float32(s.w)*0.4) / (y + u*0.5)
			ray := fractal(a*5+drift, 0.5+drift, 3, seed)
			c = c.plus(rgb{0.75, 0.95, 0.95}.scaled(smooth(0.52, 0.78, ray) * 0.34 * (1 - t) * (1 - t)))
			c = c.scaled(0.95 + 0.1*fractal(x/u*3, y/u*3+drift, 3, seed+5))
		}
		return c, 1
	})
	s.light.haze = mix(top, low, 0.45)
	s.light.lit = mix(s.light.lit, rgb{0.88, 1.02, 1.05}, 0.6)
	s.light.dim = mix(s.light.dim, tone.shifted(-30), 0.4)
	d := s.dice("seabed")
	for i := range 3 {
		base := s.h * (0.86 + 0.05*float64(i))
		loop := s.profile(base, s.u*0.10*(1.2-0.3*float64(i)), 1.2, 3, seed+uint32(i), rolling)
		st := s.body(loop, ink("#c9b98a"), float32(0.62-0.18*float64(i)), uint8(10+i*8))
		st.grain = grain{stone, 0.25, float32(s.u * 0.012), 0, 0, seed}
		s.put(st)
		for range 7 {
			x := d.unit() * s.w
			s.weed(point{x, base - s.u*0.02}, s.u*d.in(0.08, 0.2), float32(0.5-0.17*float64(i)), uint8(12+i*8), d)
		}
		for range 3 {
			s.coral(point{d.unit() * s.w, base}, s.u*d.in(0.06, 0.12), float32(0.4-0.16*float64(i)), uint8(12+i*8), d)
		}
	}
	if !s.scene.without("fish") {
		c := point{d.in(0.15, 0.85) * s.w, d.in(0.15, 0.4) * s.h}
		tint := fromHSL(d.in32(0, 1), 0.6, 0.6)
		for range 9 {
			p := point{c.x + d.around(0.2)*s.u + s.at*s.u*0.05, c.y + d.around(0.1)*s.u}
			fish := drawings()["fish"]
			fish.draw(s.easel, pose{place: fish.stand(p, s.u*0.028, false), colours: map[string]rgb{"body": tint}, light: &s.light, far: 0.45, depth: 14, seed: d.next(), at: s.at, ghost: 1})
		}
	}
	for range 26 {
		p := point{d.unit() * s.w, math.Mod(d.unit()*s.h-s.at*s.u*0.12+9*s.h, s.h)}
		r := s.u * d.in(0.003, 0.010)
		s.put(stroke{loops: closedRibbon(oval(p, r, r, 0), max(r*0.3, 0.7)), lit: rgb{0.85, 0.97, 1}, alpha: 0.55, depth: 16})
	}
}

func (s *stage) weed(base point, height float64, far float32, depth uint8, d *dice) {
	tone := choose(d, ink("#3f8a4a"), ink("#5f9a3a"), ink("#2f7a5a"))
	for range 3 {
		x := base.x + d.around(0.2)*height
		var line []point
		for k := range 5 {
			t := float64(k) / 4
			line = append(line, point{x + math.Sin(t*5+base.x+s.at*1.5)*height*0.08*(t+0.2), base.y + height*0.1 - t*height*d.in(0.85, 1.1)})
		}
		s.put(s.body(ribbon(spline(knots(line), false), height*0.09, height*0.02), tone, far, depth))
	}
}

func (s *stage) coral(base point, size float64, far float32, depth uint8, d *dice) {
	tone := choose(d, ink("#e0625a"), ink("#e89a4a"), ink("#c85a9a"), ink("#8a6ac8"))
	for range 7 {
		a := -math.Pi/2 + d.around(1.0)
		sn, cs := math.Sincos(a)
		tip := point{base.x + cs*size, base.y + sn*size}
		mid := point{base.x + cs*size*0.5 + d.around(0.1)*size, base.y + sn*size*0.5}
		s.put(s.body(ribbon(spline(knots([]point{base, mid, tip}), false), size*0.2, size*0.12), tone, far, depth))
	}
}
