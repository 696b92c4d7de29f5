package picture

import "math"

// diorama is the isometric picture: a tile of the world with blocks on it, seen
// from above at an angle.
func (s *stage) diorama() {
	d := s.dice("diorama")
	night := s.light.night
	a, b := mix(s.sky.horizon, s.sky.middle, 0.3), s.sky.zenith
	h := float32(s.h)
	s.wash(0, func(x, y float32) (rgb, float32) { return mix(b, a, y/h).scaled(1 - 0.25*night), 1 })
	if night > 0.6 {
		s.stars(s.h*0.6, 0.5)
	}
	const n = 7
	k := min(s.w*1.04, s.h*1.30) / (2 * n * 0.866)
	origin := point{s.w / 2, s.h*0.585 - float64(n)*k*0.5}
	iso := func(x, y, z float64) point {
		return point{origin.x + (x-y)*k*0.866, origin.y + (x+y)*k*0.5 - z*k}
	}
	near, _ := s.groundTone()
	city := s.scene.setting("city") != nil || s.scene.setting("street") != nil
	if city {
		near = ink("#565b68")
	}
	s.block(iso, box{0, 0, n, n}, -0.7, 0, near, 60)
	wet := s.waterAhead()
	towers := city || len(s.scene.Subjects) == 0
	for sum := 0; sum < 2*n-1; sum++ {
		for x := 0; x < n; x++ {
			y := sum - x
			if y < 0 || y >= n {
				continue
			}
			fx, fy := float64(x), float64(y)
			road := city && (x%3 == 1 || y%3 == 1)
			middle := len(s.scene.Subjects) > 0 && math.Abs(fx-3) < 1.6 && math.Abs(fy-3) < 1.6
			switch {
			case road:
				s.put(stroke{loops: [][]point{{iso(fx, fy, 0), iso(fx+1, fy, 0), iso(fx+1, fy+1, 0), iso(fx, fy+1, 0)}}, lit: ink("#363a46").times(s.light.lit), alpha: 1, depth: 62})
				s.traffic(iso, fx, fy, x%3 == 1, d)
			case middle:
			case towers:
				tall := d.in(0.7, 3.4)
				if d.chance(0.14) {
					s.tree(iso(fx+0.5, fy+0.5, 0), k*1.1, 0, 80, d.next())
					continue
				}
				tone := mix(ink("#8a94a8"), fromHSL(d.in32(0, 1), 0.5, 0.55), 0.5)
				s.block(iso, box{fx + 0.1, fy + 0.1, fx + 0.9, fy + 0.9}, 0, tall, tone, 80)
				s.panes(iso, fx+0.1, fy+0.1, 0.8, tall, d)
			case wet && d.chance(0.5):
				s.put(stroke{loops: [][]point{{iso(fx, fy, 0), iso(fx+1, fy, 0), iso(fx+1, fy+1, 0), iso(fx, fy+1, 0)}}, lit: ink("#3f8ab8").times(s.light.lit), alpha: 1, depth: 62})
			case s.scene.setting("desert") != nil:
				if d.chance(0.2) {
					s.prop("cactus", iso(fx+0.5, fy+0.5, 0), k*0.9, 0, 80, d.next(), false)
				}
			case d.chance(0.4):
				if s.snow || d.chance(0.4) {
					s.pine(iso(fx+0.5, fy+0.5, 0), k*1.3, 0, 80, d.next())
				} else {
					s.tree(iso(fx+0.5, fy+0.5, 0), k*1.2, 0, 80, d.next())
				}
			}
		}
	}
	actors := s.actors()
	s.measure(actors)
	for i, a := range actors {
		off := (float64(i) - float64(len(actors)-1)/2) * 1.3
		a.base = iso(3.9+off*0.7, 3.9-off*0.7, 0)
		a.height *= 0.62
		a.width *= 0.62
		a.on = "ground"
		s.perform(a)
	}
}

// block is a box with a light top and two sides.
func (s *stage) block(iso func(x, y, z float64) point, b box, z0, z1 float64, tone rgb, depth uint8) {
	lit, dim := s.light.tones(tone, 0)
	face := func(c rgb, ps ...point) {
		s.put(stroke{loops: [][]point{ps}, lit: c, alpha: 1, depth: depth})
	}
	face(mix(dim, lit, 0.15), iso(b.x1, b.y0, z0), iso(b.x1, b.y1, z0), iso(b.x1, b.y1, z1), iso(b.x1, b.y0, z1))
	face(mix(dim, lit, 0.6), iso(b.x0, b.y1, z0), iso(b.x1, b.y1, z0), iso(b.x1, b.y1, z1), iso(b.x0, b.y1, z1))
	face(lit.shifted(8), iso(b.x0, b.y0, z1), iso(b.x1, b.y0, z1), iso(b.x1, b.y1, z1), iso(b.x0, b.y1, z1))
}

// panes are the windows on the two visible sides of a tower.
func (s *stage) panes(iso func(x, y, z float64) point, x, y, w, tall float64, d *dice) {
	lamps := []rgb{s.light.lamp}
	if s.manner.neon {
		lamps = []rgb{{0.15, 0.95, 1}, {1, 0.2, 0.75}, {0.7, 0.35, 1}, {1, 0.8, 0.3}}
	}
	lamp := choose(d, lamps...)
	off := ink("#33435c").times(s.light.lit)
	floors := int(tall / 0.34)
	for f := range floors {
		z := (float64(f) + 0.35) * 0.34
		for i := range 3 {
			p := (float64(i) + 0.25) / 3 * w
			q := p + w*0.16
			c := off
			if d.chance(0.2 + 0.5*float64(s.light.night)) {
				c = mix(off, lamp, max(s.light.night, 0.25))
			}
			s.put(stroke{loops: [][]point{{iso(x+p, y+w, z), iso(x+q, y+w, z), iso(x+q, y+w, z+0.17), iso(x+p, y+w, z+0.17)}}, lit: c, alpha: 1, depth: 81})
			s.put(stroke{loops: [][]point{{iso(x+w, y+p, z), iso(x+w, y+q, z), iso(x+w, y+q, z+0.17), iso(x+w, y+p, z+0.17)}}, lit: c.scaled(0.85), alpha: 1, depth: 81})
		}
	}
	if s.manner.neon {
		rim := []point{iso(x, y+w, tall), iso(x+w, y+w, tall), iso(x+w, y, tall)}
		s.put(stroke{loops: [][]point{ribbon(rim, s.u*0.004, s.u*0.004)}, lit: lamp.shifted(20), alpha: 1, depth: 81})
		s.halo(iso(x+w, y+w, tall*0.6), s.u*0.08, s.u*0.10, lamp, 0.22, glow)
	}
}

// traffic is a car's lights on a street.
func (s *stage) traffic(iso func(x, y, z float64) point, x, y float64, along bool, d *dice) {
	if !d.chance(0.45) {
		return
	}
	t := math.Mod(d.unit()+s.at*0.4, 1)
	p, w, l := point{x + 0.35, y + t*0.6}, 0.26, 0.4
	b := box{p.x, p.y, p.x + w, p.y + l}
	if !along {
		b = box{x + t*0.6, y + 0.35, x + t*0.6 + l, y + 0.35 + w}
	}
	s.block(iso, b, 0.02, 0.2, fromHSL(d.in32(0, 1), 0.7, 0.5), 70)
	if s.light.night > 0.5 {
		s.halo(iso(b.x1, b.y1, 0.1), s.u*0.025, s.u*0.018, rgb{1, 0.9, 0.6}, 0.9, glow)
	}
}
