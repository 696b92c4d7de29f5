package picture

import "math"

// space is a nebula with stars and, unless the prompt is about one, a planet.
func (s *stage) space() {
	d := s.dice("space")
	seed := uint32(d.next())
	hue := d.in32(0.55, 0.95)
	one, two := fromHSL(hue, 0.65, 0.42), fromHSL(hue+0.18, 0.7, 0.45)
	if t := s.scene.setting("space"); t != nil && len(t.Colours) > 0 {
		one, two = t.Colours[0].tint(), t.Colours[0].tint().turned(0.09)
	}
	deep := rgb{0.015, 0.02, 0.06}
	u, drift := float32(s.u), float32(s.at)*0.01
	s.wash(0, func(x, y float32) (rgb, float32) {
		px, py := x/u*1.7+drift, y/u*1.7
		warp := fractal(px, py, 3, seed)
		n := fractal(px+warp*1.6, py+warp*1.2, 5, seed+1)
		m := fractal(px*0.8-warp, py*0.8+3, 4, seed+2)
		c := mix(deep, one, smooth(0.46, 0.82, n)*0.85)
		c = c.plus(two.scaled(smooth(0.5, 0.85, m) * 0.6))
		return c.plus(rgb{1, 0.9, 0.85}.scaled(smooth(0.7, 0.9, n) * 0.3)), 1
	})
	s.horizon = s.h * 1.6
	s.stars(s.h*1.5, 1)
	s.horizon = s.h * 0.6
	s.light.lit, s.light.dim = rgb{1.05, 1.03, 1.0}, rgb{0.20, 0.22, 0.36}
	s.light.haze, s.light.night = mix(deep, one, 0.4), 0.7
	if find(s.scene.Subjects, "planet") == nil && !s.scene.without("planet") && len(s.scene.Subjects) > 0 {
		c := point{choose(d, 0.14, 0.86) * s.w, d.in(0.16, 0.3) * s.h}
		s.planet(c, s.u*d.in(0.10, 0.17), 6, d.next())
	}
	if find(s.scene.Sky, "moon") != nil {
		s.luminary(point{s.w * 0.8, s.h * 0.2})
	}
}

// planet is a lit globe with bands or continents, sometimes with a ring.
func (s *stage) planet(c point, r float64, depth uint8, seed uint64, asked ...rgb) {
	d := newDice(seed, "planet")
	hue := d.in32(0, 1)
	a, b := fromHSL(hue, 0.5, 0.55), fromHSL(hue+0.08, 0.55, 0.36)
	if len(asked) > 0 {
		a, b = asked[0].shifted(15), asked[0].shifted(-25)
	}
	noiseSeed := uint32(d.next())
	banded := d.chance(0.5)
	ringed := d.chance(0.45)
	tilt := d.in(-0.45, -0.15)
	half := func(front bool) {
		if !ringed {
			return
		}
		for i := range 3 {
			out := r * (1.55 + 0.2*float64(i))
			arc := make([]point, 0, 40)
			for k := range 40 {
				t := math.Pi * float64(k) / 39
				if !front {
					t += math.Pi
				}
				sn, cs := math.Sincos(t)
				x, y := cs*out, sn*out*0.28
				sn, cs = math.Sincos(tilt)
				arc = append(arc, point{c.x + x*cs - y*sn, c.y + x*sn + y*cs})
			}
			s.put(stroke{loops: [][]point{ribbon(arc, r*0.12, r*0.12)}, lit: a.shifted(float32(25 - 18*i)), alpha: 0.75, depth: depth})
		}
	}
	s.halo(c, r*1.5, r*1.5, a, 0.35, glow)
	half(false)
	cx, cy, k := float32(c.x), float32(c.y), float32(r)
	l := s.light.from
	spin := float32(s.at) * 0.06
	globe := stroke{loops: [][]point{oval(c, r, r, 0)}, depth: depth, shading: custom, alpha: 1}
	globe.shade = func(x, y float32) (rgb, float32) {
		u, v := (x-cx)/k, (y-cy)/k
		z := float32(math.Sqrt(float64(max(0, 1-u*u-v*v))))
		lon, lat := u/(0.4+z)+spin, v*float32(math.Cos(tilt))+u*float32(math.Sin(-tilt))
		var t float32
		if banded {
			t = 0.5 + 0.5*float32(math.Sin(float64(lat*11+2.4*fractal(lon*2, lat*5, 3, noiseSeed))))
		} else {
			t = smooth(0.46, 0.56, fractal(lon*1.7+3, lat*1.7, 5, noiseSeed))
		}
		light := smooth(-0.25, 0.75, u*l[0]+v*l[1]+z*l[2]*0.8)
		return mix(b, a, t).scaled(0.06 + 0.98*light), 1
	}
	s.put(globe)
	half(true)
}
