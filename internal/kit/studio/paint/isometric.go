package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawIsometric draws the isometric picture: a tile of the world with blocks on it, seen
// from above at an angle.
func (s *renderer) drawIsometric() {
	d := s.dice("diorama")
	night := s.light.Night
	a, b := pixel.Mix(s.sky.horizon, s.sky.middle, 0.3), s.sky.zenith
	h := float32(s.h)
	s.Wash(0, func(x, y float32) (pixel.RGB, float32) { return pixel.Mix(b, a, y/h).Scaled(1 - 0.25*night), 1 })
	if night > 0.6 {
		s.drawStars(s.h*0.6, 0.5)
	}
	const n = 7
	k := min(s.w*1.04, s.h*1.30) / (2 * n * 0.866)
	origin := vector.Point{X: s.w / 2, Y: s.h*0.585 - float64(n)*k*0.5}
	iso := func(x, y, z float64) vector.Point {
		return vector.Point{X: origin.X + (x-y)*k*0.866, Y: origin.Y + (x+y)*k*0.5 - z*k}
	}
	near, _ := s.groundTone()
	city := s.scene.setting("city") != nil || s.scene.setting("street") != nil
	if city {
		near = pixel.MustHex("#565b68")
	}
	s.drawBlock(iso, vector.Box{X0: 0, Y0: 0, X1: n, Y1: n}, -0.7, 0, near, 60)
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
				s.Add(vector.Stroke{Loops: [][]vector.Point{{iso(fx, fy, 0), iso(fx+1, fy, 0), iso(fx+1, fy+1, 0), iso(fx, fy+1, 0)}}, Lit: pixel.MustHex("#363a46").Times(s.light.Lit), Alpha: 1, Depth: 62})
				s.drawTraffic(iso, fx, fy, x%3 == 1, d)
			case middle:
			case towers:
				tall := d.In(0.7, 3.4)
				if d.Chance(0.14) {
					s.drawTree(iso(fx+0.5, fy+0.5, 0), k*1.1, 0, 80, d.Next())
					continue
				}
				tone := pixel.Mix(pixel.MustHex("#8a94a8"), pixel.FromHSL(d.In32(0, 1), 0.5, 0.55), 0.5)
				s.drawBlock(iso, vector.Box{X0: fx + 0.1, Y0: fy + 0.1, X1: fx + 0.9, Y1: fy + 0.9}, 0, tall, tone, 80)
				s.drawWindows(iso, fx+0.1, fy+0.1, 0.8, tall, d)
			case wet && d.Chance(0.5):
				s.Add(vector.Stroke{Loops: [][]vector.Point{{iso(fx, fy, 0), iso(fx+1, fy, 0), iso(fx+1, fy+1, 0), iso(fx, fy+1, 0)}}, Lit: pixel.MustHex("#3f8ab8").Times(s.light.Lit), Alpha: 1, Depth: 62})
			case s.scene.setting("desert") != nil:
				if d.Chance(0.2) {
					s.drawProp("cactus", iso(fx+0.5, fy+0.5, 0), k*0.9, 0, 80, d.Next(), false)
				}
			case d.Chance(0.4):
				if s.snow || d.Chance(0.4) {
					s.drawPine(iso(fx+0.5, fy+0.5, 0), k*1.3, 0, 80, d.Next())
				} else {
					s.drawTree(iso(fx+0.5, fy+0.5, 0), k*1.2, 0, 80, d.Next())
				}
			}
		}
	}
	actors := s.newFigures()
	s.scaleFigures(actors)
	for i, a := range actors {
		off := (float64(i) - float64(len(actors)-1)/2) * 1.3
		a.base = iso(3.9+off*0.7, 3.9-off*0.7, 0)
		a.height *= 0.62
		a.width *= 0.62
		a.on = "ground"
		s.drawFigure(a)
	}
}

// drawBlock draws a box with a light top and two sides.
func (s *renderer) drawBlock(iso func(x, y, z float64) vector.Point, b vector.Box, z0, z1 float64, tone pixel.RGB, depth uint8) {
	lit, dim := s.light.Tones(tone, 0)
	face := func(c pixel.RGB, ps ...vector.Point) {
		s.Add(vector.Stroke{Loops: [][]vector.Point{ps}, Lit: c, Alpha: 1, Depth: depth})
	}
	face(pixel.Mix(dim, lit, 0.15), iso(b.X1, b.Y0, z0), iso(b.X1, b.Y1, z0), iso(b.X1, b.Y1, z1), iso(b.X1, b.Y0, z1))
	face(pixel.Mix(dim, lit, 0.6), iso(b.X0, b.Y1, z0), iso(b.X1, b.Y1, z0), iso(b.X1, b.Y1, z1), iso(b.X0, b.Y1, z1))
	face(lit.Shifted(8), iso(b.X0, b.Y0, z1), iso(b.X1, b.Y0, z1), iso(b.X1, b.Y1, z1), iso(b.X0, b.Y1, z1))
}

// drawWindows draws the windows on the two visible sides of a tower.
func (s *renderer) drawWindows(iso func(x, y, z float64) vector.Point, x, y, w, tall float64, d *chance.Dice) {
	lamps := []pixel.RGB{s.light.Lamp}
	if s.manner.neon {
		lamps = []pixel.RGB{{R: 0.15, G: 0.95, B: 1}, {R: 1, G: 0.2, B: 0.75}, {R: 0.7, G: 0.35, B: 1}, {R: 1, G: 0.8, B: 0.3}}
	}
	lamp := chance.Choose(d, lamps...)
	off := pixel.MustHex("#33435c").Times(s.light.Lit)
	floors := int(tall / 0.34)
	for f := range floors {
		z := (float64(f) + 0.35) * 0.34
		for i := range 3 {
			p := (float64(i) + 0.25) / 3 * w
			q := p + w*0.16
			c := off
			if d.Chance(0.2 + 0.5*float64(s.light.Night)) {
				c = pixel.Mix(off, lamp, max(s.light.Night, 0.25))
			}
			s.Add(vector.Stroke{Loops: [][]vector.Point{{iso(x+p, y+w, z), iso(x+q, y+w, z), iso(x+q, y+w, z+0.17), iso(x+p, y+w, z+0.17)}}, Lit: c, Alpha: 1, Depth: 81})
			s.Add(vector.Stroke{Loops: [][]vector.Point{{iso(x+w, y+p, z), iso(x+w, y+q, z), iso(x+w, y+q, z+0.17), iso(x+w, y+p, z+0.17)}}, Lit: c.Scaled(0.85), Alpha: 1, Depth: 81})
		}
	}
	if s.manner.neon {
		rim := []vector.Point{iso(x, y+w, tall), iso(x+w, y+w, tall), iso(x+w, y, tall)}
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(rim, s.u*0.004, s.u*0.004)}, Lit: lamp.Shifted(20), Alpha: 1, Depth: 81})
		s.Halo(iso(x+w, y+w, tall*0.6), s.u*0.08, s.u*0.10, lamp, 0.22, vector.Glow)
	}
}

// drawTraffic draws a car's lights on a street.
func (s *renderer) drawTraffic(iso func(x, y, z float64) vector.Point, x, y float64, along bool, d *chance.Dice) {
	if !d.Chance(0.45) {
		return
	}
	t := math.Mod(d.Unit()+s.at*0.4, 1)
	p, w, l := vector.Point{X: x + 0.35, Y: y + t*0.6}, 0.26, 0.4
	b := vector.Box{X0: p.X, Y0: p.Y, X1: p.X + w, Y1: p.Y + l}
	if !along {
		b = vector.Box{X0: x + t*0.6, Y0: y + 0.35, X1: x + t*0.6 + l, Y1: y + 0.35 + w}
	}
	s.drawBlock(iso, b, 0.02, 0.2, pixel.FromHSL(d.In32(0, 1), 0.7, 0.5), 70)
	if s.light.Night > 0.5 {
		s.Halo(iso(b.X1, b.Y1, 0.1), s.u*0.025, s.u*0.018, pixel.RGB{R: 1, G: 0.9, B: 0.6}, 0.9, vector.Glow)
	}
}
