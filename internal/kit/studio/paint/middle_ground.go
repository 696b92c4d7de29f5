package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// drawMiddleGround draws what stands between the horizon and the subjects.
func (s *renderer) drawMiddleGround() {
	for _, t := range s.scene.Settings {
		switch t.Key {
		case "forest", "jungle":
			s.drawForest(t)
		case "city", "street":
			s.drawCity(t)
		case "village":
			s.drawVillage()
		case "graveyard":
			s.drawGraveyard()
		case "savanna", "park", "farm", "garden", "meadow", "hill", "river", "lake", "field", "road", "castleland":
			s.drawSparseTrees(t.Key)
		}
	}
}

// drawForest draws trees in three rows that take on the air's colour with
// distance, and leaves the middle of the nearest row to the subjects.
func (s *renderer) drawForest(t Thing) {
	var asked []pixel.RGB
	if len(t.Colours) > 0 {
		asked = append(asked, t.Colours[0].Tint())
	}
	conifers := s.snow || s.scene.setting("mountain") != nil || s.dice("forest").Chance(0.35) && s.scene.Season == "" && t.Key == "forest"
	for row := range 3 {
		d := s.dice("row", string(rune('a'+row)))
		far := float32([]float64{0.66, 0.42, 0.16}[row])
		y := s.horizon + s.u*[]float64{0.015, 0.05, 0.10}[row]
		height := s.u * []float64{0.30, 0.44, 0.66}[row]
		gap := s.u * []float64{0.060, 0.11, 0.19}[row]
		if row == 2 {
			y += s.u * 0.02
		}
		for x := -gap; x < s.w+gap; x += gap * d.In(0.75, 1.25) {
			if row == 2 && math.Abs(x-s.w/2) < s.w*0.5-s.u*0.20 && (len(s.scene.Subjects) > 0 || d.Chance(0.55)) {
				continue
			}
			if s.scene.setting("waterfall") != nil && math.Abs(x-s.w/2) < s.u*0.3 {
				continue
			}
			base := vector.Point{X: x, Y: y + d.Around(0.012)*s.u}
			size := height * d.In(0.8, 1.2)
			depth := uint8(12 + 6*row)
			switch {
			case t.Key == "jungle" && d.Chance(0.45):
				s.drawPalm(base, size, far, depth, d.Next(), asked...)
			case conifers:
				s.drawPine(base, size, far, depth, d.Next(), asked...)
			default:
				s.drawTree(base, size, far, depth, d.Next(), asked...)
			}
		}
		if row < 2 {
			s.drawMist(y-s.u*0.04, s.u*0.11, 0.38)
		}
	}
}

// drawMist draws a soft bank of the air's colour.
func (s *renderer) drawMist(y, height float64, alpha float32) {
	mid, half := float32(y), float32(height)
	tone := s.light.Haze
	seed := uint32(s.dice("mist").Next())
	u, drift := float32(s.u), float32(s.at)*0.05
	s.WashBox(vector.Box{X0: 0, Y0: y - height, X1: s.w, Y1: y + height}, 0, func(x, y float32) (pixel.RGB, float32) {
		t := 1 - chance.Abs32(y-mid)/half
		return tone, alpha * t * t * (0.4 + 1.2*chance.Noise(x/u*3+drift, y/u*9, seed))
	})
}

func (s *renderer) drawSparseTrees(kind string) {
	d := s.dice("sparse")
	n := 5
	if s.scene.Season != "" || kind == "river" {
		n = 12
	}
	for range n {
		x := d.Unit()
		if math.Abs(x-0.5) < 0.22 {
			x += math.Copysign(0.25, x-0.5)
		}
		base := vector.Point{X: x * s.w, Y: s.horizon + s.u*d.In(0.02, 0.06)}
		height := s.u * d.In(0.22, 0.36)
		if kind == "savanna" {
			s.drawAcacia(base, height*0.8, 0.2, 20, d.Next())
		} else {
			s.drawTree(base, height, 0.26, 20, d.Next())
		}
	}
	if kind == "farm" {
		s.drawProp("barn", vector.Point{X: s.w * 0.22, Y: s.horizon + s.u*0.06}, s.u*0.24, 0.14, 22, d.Next(), false)
	}
}

// drawTreeline draws a dark row of firs at the foot of mountains.
func (s *renderer) drawTreeline() {
	d := s.dice("treeline")
	for x := 0.0; x < s.w; x += s.u * d.In(0.012, 0.03) {
		s.drawPine(vector.Point{X: x, Y: s.horizon + s.u*0.016}, s.u*d.In(0.035, 0.075), 0.22, 22, d.Next())
	}
}

func (s *renderer) drawAcacia(base vector.Point, height float64, far float32, depth uint8, seed uint64) {
	d := chance.New(seed, "acacia")
	top := vector.Point{X: base.X, Y: base.Y - height*0.7}
	s.Add(s.shadedStroke(vector.Ribbon(vector.Spline(vector.Knots([]vector.Point{base, {X: base.X + d.Around(0.05)*height, Y: base.Y - height*0.4}, top}), false), height*0.07, height*0.03), pixel.MustHex("#5a4430"), far, depth))
	for i := range 5 {
		p := vector.Point{X: top.X + (float64(i)-2)*height*0.2, Y: top.Y - height*d.In(0.02, 0.10)}
		s.Add(s.shadedStroke(vector.Oval(p, height*0.24, height*0.075, 0), pixel.MustHex("#6f8a3c"), far, depth))
	}
}

// drawProp draws a drawing as scenery.
func (s *renderer) drawProp(name string, base vector.Point, height float64, far float32, depth uint8, seed uint64, flip bool) {
	d := vector.Drawings()[name]
	if d == nil || s.scene.without(name) {
		return
	}
	d.Draw(s.Canvas, vector.Pose{Place: placeDrawing(d, base, height, flip), Light: &s.light, Far: far, Depth: depth, Seed: seed, Seconds: s.at, Opacity: 1})
}

// placeDrawing returns the transform that gives a drawing a height and puts its
// feet at base.
func placeDrawing(d *vector.Drawing, base vector.Point, height float64, flip bool) vector.Affine {
	b := d.Extent()
	k := height / b.Height()
	m := vector.Moved(-(b.X0+b.X1)/2, -b.Y1)
	if flip {
		m = m.Then(vector.Scaled(-1, 1))
	}
	return m.Then(vector.Scaled(k, k)).Then(vector.Moved(base.X, base.Y))
}

func (s *renderer) drawVillage() {
	d := s.dice("village")
	for i := range 7 {
		x := (float64(i)+0.5)/7 + d.Around(0.04)
		if math.Abs(x-0.5) < 0.13 && len(s.scene.Subjects) > 0 {
			continue
		}
		name := chance.Choose(d, "house", "cottage", "house", "church")
		s.drawProp(name, vector.Point{X: x * s.w, Y: s.horizon + s.u*d.In(0.02, 0.07)}, s.u*d.In(0.13, 0.19), 0.2, 20, d.Next(), d.Chance(0.5))
	}
}

func (s *renderer) drawGraveyard() {
	d := s.dice("graves")
	for range 12 {
		k := d.Unit()
		p := vector.Point{X: d.Unit() * s.w, Y: s.horizon + s.u*(0.04+0.26*k)}
		h := s.u * (0.05 + 0.08*k)
		stone := vector.Spline([]vector.Knot{{Point: vector.Point{X: p.X - h*0.4, Y: p.Y}, Sharp: true}, {Point: vector.Point{X: p.X - h*0.4, Y: p.Y - h*0.7}, Sharp: false}, {Point: vector.Point{X: p.X, Y: p.Y - h}, Sharp: false}, {Point: vector.Point{X: p.X + h*0.4, Y: p.Y - h*0.7}, Sharp: false}, {Point: vector.Point{X: p.X + h*0.4, Y: p.Y}, Sharp: true}}, true)
		s.Add(s.shadedStroke(stone, pixel.MustHex("#8a8c92"), float32(0.3-0.25*k), 36))
	}
}

// drawCity draws a skyline in three depths with windows that light up in the dark.
func (s *renderer) drawCity(t Thing) {
	wall := pixel.MustHex("#7a8496")
	if len(t.Colours) > 0 {
		wall = t.Colours[0].Tint()
	}
	if s.scene.setting("beach") == nil && s.scene.setting("sea") == nil && s.scene.setting("lake") == nil && len(s.scene.Subjects) == 0 {
		s.horizon += s.u * 0.12
	}
	for row := range 3 {
		d := s.dice("skyline", string(rune('a'+row)))
		far := float32([]float64{0.55, 0.32, 0.06}[row])
		for x := -0.05 * s.u; x < s.w; {
			w := s.u * d.In(0.05, 0.11) * (0.7 + 0.25*float64(row))
			h := s.u * d.In(0.14, 0.46) * []float64{1.25, 1, 0.72}[row]
			if row == 2 && len(s.scene.Subjects) > 0 && math.Abs(x+w/2-s.w/2) < s.u*0.26 {
				h *= 0.45
			}
			tone := pixel.Mix(wall, pixel.FromHSL(d.In32(0, 1), 0.35, 0.5), 0.25)
			s.drawTower(vector.Box{X0: x, Y0: s.horizon - h, X1: x + w, Y1: s.horizon + s.u*0.02}, tone, far, uint8(10+5*row), d)
			x += w * d.In(1.0, 1.25)
		}
	}
}

// drawTower draws one building: a face with a grid of windows, a darker side, a roof.
func (s *renderer) drawTower(b vector.Box, tone pixel.RGB, far float32, depth uint8, d *chance.Dice) {
	lit, dim := s.light.Tones(tone, far)
	seed := uint32(d.Next())
	cell := float32(max(b.Width()/float64(4+d.UpTo(4)), 2))
	x0, y0 := float32(b.X0), float32(b.Y0)
	night := s.light.Night
	lamp := s.light.Lamp
	if s.manner.neon {
		lamp = chance.Choose(d, pixel.RGB{R: 0.2, G: 0.95, B: 1}, pixel.RGB{R: 1, G: 0.25, B: 0.8}, pixel.RGB{R: 0.95, G: 0.85, B: 0.35}, pixel.RGB{R: 0.6, G: 0.35, B: 1})
	}
	glass := pixel.Mix(pixel.MustHex("#3f5a78").Times(s.light.Lit), s.light.Haze, far)
	side := x0 + float32(b.Width())*0.72
	flicker := int32(s.at * 0.7)
	face := vector.Stroke{Loops: [][]vector.Point{vector.Rectangle(b.X0, b.Y0, b.X1, b.Y1)}, Depth: depth, Shading: vector.Custom, Alpha: 1}
	face.Shade = func(x, y float32) (pixel.RGB, float32) {
		c := pixel.Mix(lit, dim, 0.25)
		if x > side {
			c = dim
		}
		u, v := (x-x0)/cell, (y-y0)/(cell*1.35)
		iu, iv := chance.Floor32(u), chance.Floor32(v)
		fu, fv := u-float32(iu), v-float32(iv)
		if fu > 0.22 && fu < 0.8 && fv > 0.25 && fv < 0.8 && v > 0.5 {
			on := chance.CellUnit(iu, iv, seed+uint32(flicker)*uint32(windowState(iu, iv)))
			c = pixel.Mix(c, glass, 0.7)
			if on < 0.55*night {
				c = pixel.Mix(lamp.Scaled(0.75+0.5*on), s.light.Haze, far*0.5)
			}
		}
		return c, 1
	}
	s.Add(face)
	top := vector.Point{X: (b.X0 + b.X1) / 2, Y: b.Y0}
	switch d.UpTo(4) {
	case 0:
		s.fillShape(vector.Ribbon([]vector.Point{top, {X: top.X, Y: top.Y - s.u*0.06}}, s.u*0.006, 0.6), tone.Shifted(-30), far, depth)
		if night > 0.5 {
			s.Halo(vector.Point{X: top.X, Y: top.Y - s.u*0.06}, s.u*0.012, s.u*0.012, pixel.RGB{R: 1, G: 0.2, B: 0.2}, 0.9, vector.Glow)
		}
	case 1:
		s.fillShape(vector.Rectangle(b.X0+b.Width()*0.25, b.Y0-s.u*0.025, b.X1-b.Width()*0.25, b.Y0), tone.Shifted(-12), far, depth)
	case 2:
		s.fillShape([]vector.Point{{X: b.X0, Y: b.Y0 + 0.5}, {X: top.X, Y: b.Y0 - s.u*0.04}, {X: b.X1, Y: b.Y0 + 0.5}}, tone.Shifted(-20), far, depth)
	}
	if s.manner.neon && depth > 12 && d.Chance(0.6) {
		p := vector.Point{X: b.X0 + b.Width()*d.In(0.2, 0.6), Y: b.Y0 + b.Height()*d.In(0.15, 0.4)}
		w, h := b.Width()*0.18, b.Height()*0.26
		c := chance.Choose(d, pixel.RGB{R: 1, G: 0.2, B: 0.7}, pixel.RGB{R: 0.1, G: 0.95, B: 1}, pixel.RGB{R: 1, G: 0.55, B: 0.1})
		s.Halo(vector.Point{X: p.X + w/2, Y: p.Y + h/2}, w*4, h*1.1, c, 0.5, vector.Glow)
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Rounded(p.X, p.Y, p.X+w, p.Y+h, w*0.3)}, Lit: c.Shifted(15), Alpha: 0.95, Depth: depth})
	}
}

// windowState makes one window in nine change with time.
func windowState(x, y int32) int32 {
	if (x*7+y*13)%9 == 0 {
		return 1
	}
	return 0
}
