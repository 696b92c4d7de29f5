package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawForeground draws what is before the subjects: grass, stones, drifts.
func (s *renderer) drawForeground() {
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
	if s.light.Flat {
		n /= 3
	}
	for range n {
		k := d.Unit()
		p := vector.Point{X: d.Unit() * s.w, Y: s.h - s.u*0.16*k*k - s.u*0.005 + s.u*0.02}
		size := s.u * (0.065 - 0.04*k)
		switch {
		case sc.setting("desert") != nil, sc.setting("moonland") != nil, sc.setting("beach") != nil:
			if d.Chance(0.25) {
				r := size * d.In(0.15, 0.4)
				s.Add(s.shadedStroke(lumpyOutline(vector.Point{X: p.X, Y: p.Y - r*0.4}, r, d), near.Shifted(-28), 0, 240))
			}
		case s.snow:
			if d.Chance(0.35) {
				s.Add(s.shadedStroke(vector.Oval(vector.Point{X: p.X, Y: p.Y}, size*1.6, size*0.34, 0), pixel.MustHex("#eef4fb"), 0, 240))
			}
		default:
			s.drawTuft(p, size, near, d)
			if sc.setting("garden") != nil || (sc.setting("meadow") != nil || sc.setting("park") != nil) && d.Chance(0.3) || sc.Season == "spring" && d.Chance(0.4) {
				s.drawBloom(p, size, d)
			}
		}
	}
	if sc.Season == "autumn" {
		for range 40 {
			p := vector.Point{X: d.Unit() * s.w, Y: math.Mod(d.Unit()*s.h+s.at*s.u*0.12, s.h)}
			r := s.u * d.In(0.005, 0.012)
			c, _ := s.light.Tones(s.leafTone(d), 0)
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(p, r, r*0.5, d.In(0, 3))}, Lit: c, Alpha: 0.9, Depth: 240})
		}
	}
}

func (s *renderer) drawTuft(p vector.Point, size float64, tone pixel.RGB, d *chance.Dice) {
	for i := range 5 {
		f := float64(i) - 2
		lean := f*0.22 + d.Around(0.15) + 0.06*math.Sin(s.at*2+p.X)
		tip := vector.Point{X: p.X + lean*size*1.2, Y: p.Y - size*d.In(0.7, 1.2)}
		line := vector.Spline(vector.Knots([]vector.Point{{X: p.X + f*size*0.06, Y: p.Y}, {X: p.X + lean*size*0.4, Y: p.Y - size*0.5}, tip}), false)
		lit, dim := s.light.Tones(tone.Shifted(float32(d.In(-22, 14))), 0)
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(line, size*0.09, size*0.015)}, Lit: pixel.Mix(dim, lit, 0.7), Alpha: 1, Depth: 240})
	}
}

func (s *renderer) drawBloom(p vector.Point, size float64, d *chance.Dice) {
	c := chance.Choose(d, pixel.MustHex("#e8586a"), pixel.MustHex("#f2d04a"), pixel.MustHex("#f4f0ea"), pixel.MustHex("#b07ad0"), pixel.MustHex("#f09ab8"))
	lit, _ := s.light.Tones(c, 0)
	top := vector.Point{X: p.X + d.Around(0.3)*size, Y: p.Y - size*d.In(0.9, 1.3)}
	r := size * 0.16
	for i := range 5 {
		sn, cs := math.Sincos(2 * math.Pi * float64(i) / 5)
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(vector.Point{X: top.X + cs*r, Y: top.Y + sn*r}, r*0.8, r*0.8, 0)}, Lit: lit, Alpha: 1, Depth: 240})
	}
	core, _ := s.light.Tones(pixel.MustHex("#f0b83a"), 0)
	s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(top, r*0.6, r*0.6, 0)}, Lit: core, Alpha: 1, Depth: 240})
}

// drawWeather draws rain and snow before everything else.
func (s *renderer) drawWeather() {
	if s.world != "" && s.world != "clouds" {
		return
	}
	if s.scene.weather("fog") {
		s.drawMist(s.h*0.93, s.u*0.16, 0.35)
	}
	d := s.dice("weather")
	if s.scene.weather("snow") {
		for range int(190 * s.w * s.h / (s.u * s.u)) {
			k := d.Unit()
			r := s.u * (0.0016 + 0.007*k*k*k)
			x := d.Unit()*s.w + math.Sin(s.at*1.4+k*20)*s.u*0.02
			y := math.Mod(d.Unit()*s.h+s.at*s.u*(0.06+0.16*k), s.h)
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Oval(vector.Point{X: x, Y: y}, r, r, 0)}, Lit: pixel.Mix(pixel.RGB{R: 1, G: 1, B: 1}, s.light.Haze, s.light.Night*0.3), Alpha: float32(0.5 + 0.4*k)})
		}
	}
	if s.scene.weather("rain") || s.scene.weather("storm") {
		slant := 0.10
		if s.scene.weather("storm") {
			slant = 0.28
		}
		for range int(240 * s.w * s.h / (s.u * s.u)) {
			k := d.Unit()
			x := d.In(-0.2, 1) * s.w
			y := math.Mod(d.Unit()*s.h*1.2+s.at*s.u*(1.4+k), s.h*1.2) - 0.1*s.h
			long := s.u * (0.025 + 0.05*k)
			w := max(s.u*(0.0008+0.0014*k), 0.5)
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon([]vector.Point{{X: x, Y: y}, {X: x + long*slant, Y: y + long}}, w, w)}, Lit: pixel.Mix(pixel.RGB{R: 0.85, G: 0.9, B: 1}, s.light.Haze, 0.25), Alpha: 0.42})
		}
	}
}
