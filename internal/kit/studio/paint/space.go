package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawSpace draws a nebula with stars and, unless the prompt is about one, a planet.
func (s *renderer) drawSpace() {
	d := s.dice("space")
	seed := uint32(d.Next())
	hue := d.In32(0.55, 0.95)
	one, two := pixel.FromHSL(hue, 0.65, 0.42), pixel.FromHSL(hue+0.18, 0.7, 0.45)
	if t := s.scene.setting("space"); t != nil && len(t.Colours) > 0 {
		one, two = t.Colours[0].Tint(), t.Colours[0].Tint().Turned(0.09)
	}
	deep := pixel.RGB{R: 0.015, G: 0.02, B: 0.06}
	u, drift := float32(s.u), float32(s.at)*0.01
	s.Wash(0, func(x, y float32) (pixel.RGB, float32) {
		px, py := x/u*1.7+drift, y/u*1.7
		warp := chance.Fractal(px, py, 3, seed)
		n := chance.Fractal(px+warp*1.6, py+warp*1.2, 5, seed+1)
		m := chance.Fractal(px*0.8-warp, py*0.8+3, 4, seed+2)
		c := pixel.Mix(deep, one, pixel.Smooth(0.46, 0.82, n)*0.85)
		c = c.Plus(two.Scaled(pixel.Smooth(0.5, 0.85, m) * 0.6))
		return c.Plus(pixel.RGB{R: 1, G: 0.9, B: 0.85}.Scaled(pixel.Smooth(0.7, 0.9, n) * 0.3)), 1
	})
	s.horizon = s.h * 1.6
	s.drawStars(s.h*1.5, 1)
	s.horizon = s.h * 0.6
	s.light.Lit, s.light.Dim = pixel.RGB{R: 1.05, G: 1.03, B: 1.0}, pixel.RGB{R: 0.20, G: 0.22, B: 0.36}
	s.light.Haze, s.light.Night = pixel.Mix(deep, one, 0.4), 0.7
	if find(s.scene.Subjects, "planet") == nil && !s.scene.without("planet") && len(s.scene.Subjects) > 0 {
		c := vector.Point{X: chance.Choose(d, 0.14, 0.86) * s.w, Y: d.In(0.16, 0.3) * s.h}
		s.drawPlanet(c, s.u*d.In(0.10, 0.17), 6, d.Next())
	}
	if find(s.scene.Sky, "moon") != nil {
		s.drawSunOrMoon(vector.Point{X: s.w * 0.8, Y: s.h * 0.2})
	}
}

// drawPlanet draws a lit globe with bands or continents, sometimes with a ring.
func (s *renderer) drawPlanet(c vector.Point, r float64, depth uint8, seed uint64, asked ...pixel.RGB) {
	d := chance.New(seed, "planet")
	hue := d.In32(0, 1)
	a, b := pixel.FromHSL(hue, 0.5, 0.55), pixel.FromHSL(hue+0.08, 0.55, 0.36)
	if len(asked) > 0 {
		a, b = asked[0].Shifted(15), asked[0].Shifted(-25)
	}
	noiseSeed := uint32(d.Next())
	banded := d.Chance(0.5)
	ringed := d.Chance(0.45)
	tilt := d.In(-0.45, -0.15)
	half := func(front bool) {
		if !ringed {
			return
		}
		for i := range 3 {
			out := r * (1.55 + 0.2*float64(i))
			arc := make([]vector.Point, 0, 40)
			for k := range 40 {
				t := math.Pi * float64(k) / 39
				if !front {
					t += math.Pi
				}
				sn, cs := math.Sincos(t)
				x, y := cs*out, sn*out*0.28
				sn, cs = math.Sincos(tilt)
				arc = append(arc, vector.Point{X: c.X + x*cs - y*sn, Y: c.Y + x*sn + y*cs})
			}
			s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(arc, r*0.12, r*0.12)}, Lit: a.Shifted(float32(25 - 18*i)), Alpha: 0.75, Depth: depth})
		}
	}
	s.Halo(c, r*1.5, r*1.5, a, 0.35, vector.Glow)
	half(false)
	cx, cy, k := float32(c.X), float32(c.Y), float32(r)
	l := s.light.From
	spin := float32(s.at) * 0.06
	globe := vector.Stroke{Loops: [][]vector.Point{vector.Oval(c, r, r, 0)}, Depth: depth, Shading: vector.Custom, Alpha: 1}
	globe.Shade = func(x, y float32) (pixel.RGB, float32) {
		u, v := (x-cx)/k, (y-cy)/k
		z := float32(math.Sqrt(float64(max(0, 1-u*u-v*v))))
		lon, lat := u/(0.4+z)+spin, v*float32(math.Cos(tilt))+u*float32(math.Sin(-tilt))
		var t float32
		if banded {
			t = 0.5 + 0.5*float32(math.Sin(float64(lat*11+2.4*chance.Fractal(lon*2, lat*5, 3, noiseSeed))))
		} else {
			t = pixel.Smooth(0.46, 0.56, chance.Fractal(lon*1.7+3, lat*1.7, 5, noiseSeed))
		}
		light := pixel.Smooth(-0.25, 0.75, u*l[0]+v*l[1]+z*l[2]*0.8)
		return pixel.Mix(b, a, t).Scaled(0.06 + 0.98*light), 1
	}
	s.Add(globe)
	half(true)
}
