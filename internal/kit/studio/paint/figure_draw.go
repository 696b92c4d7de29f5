package paint

import (
	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// palette maps the prompt's colours to those of the drawing. A natural subject
// keeps a part of its own colour, so that a red fox is still a fox.
func (a *figure) palette() map[string]pixel.RGB {
	out := map[string]pixel.RGB{}
	if a.d == nil {
		return out
	}
	for i, c := range a.thing.Colours {
		if i < len(a.d.Colours) {
			tone := c.Tint()
			if own := a.d.Colours[i].Tone; i == 0 && own.Name == "" {
				tone = pixel.Mix(tone, own.Value, ownColourShare(tone, own.Value))
			}
			out[a.d.Colours[i].Name] = tone
		}
	}
	for part, c := range a.thing.Parts {
		out[part] = c.Tint()
		if part == "eye" {
			out["iris"] = c.Tint()
		}
		if part == "cloth" {
			out["suit"] = c.Tint()
		}
	}
	return out
}

// ownColourShare returns how much of its own colour a subject keeps: more when the asked
// colour is near to it.
func ownColourShare(asked, own pixel.RGB) float32 {
	h1, s1, _ := asked.HSL()
	h2, s2, _ := own.HSL()
	d := chance.Abs32(h1 - h2)
	d = min(d, 1-d)
	if s1 < 0.15 || s2 < 0.15 || d > 0.1 {
		return 0.08
	}
	return 0.45 - 3.4*d
}

// mainTone returns the colour a thing will mostly have.
func (s *renderer) mainTone(t Thing) pixel.RGB {
	if len(t.Colours) > 0 {
		return t.Colours[0].Tint()
	}
	m := lexicon.Words().Subject(t.Key)
	if d := vector.Drawings()[m.Text("draw", t.Key)]; d != nil {
		return d.Palette(nil, &s.light)[d.Colours[0].Name]
	}
	return pixel.MustHex("#5f8a4a")
}

// drawFigure draws one figure with its shadow or reflection.
func (s *renderer) drawFigure(a *figure) {
	depth := uint8(200 + min(a.index, 4)*10)
	s.drawShadow(a)
	if a.d == nil {
		s.drawGenerated(a, depth)
		return
	}
	p := vector.Pose{Light: &s.light, Far: a.far, Depth: depth, Seed: a.seed, Seconds: s.at, Opacity: 1, Colours: a.palette()}
	if a.on == "span" {
		// A bridge reaches from edge to edge.
		k := max(a.height/60, s.w/216)
		deck := s.deckHeight()
		p.Place = vector.Moved(-50, -44).Then(vector.Scaled(k, k*1.15)).Then(vector.Moved(s.w/2, deck))
		a.base, a.height = vector.Point{X: s.w / 2, Y: deck + 55*k}, 55*k
		a.d.Draw(s.Canvas, p)
		return
	}
	p.Place = placeDrawing(a.d, a.base, a.height, a.flip)
	if a.on == "water" {
		s.drawReflection(a, p)
	}
	switch a.thing.Action {
	case "run":
		p.Place = p.Place.Then(vector.Turned(0.05, a.base))
		s.drawSpeedLines(a)
	case "sleep":
		mid := vector.Point{X: a.base.X, Y: a.base.Y}
		p.Place = p.Place.Then(vector.Moved(-mid.X, -mid.Y)).Then(vector.Scaled(1.1, 0.78)).Then(vector.Moved(mid.X, mid.Y))
	}
	a.d.Draw(s.Canvas, p)
	s.writeOnFigure(a, p)
	if a.on == "water" {
		s.drawWaterline(a)
	}
	if a.thing.Key == "train" && !s.scene.without("smoke") {
		s.drawSmoke(p.Place.Apply(vector.Point{X: 83, Y: 12}), a.height, a.flip)
	}
	if a.thing.Key == "lighthouse" && s.light.Night > 0.3 {
		s.drawBeam(p.Place.Apply(a.d.Anchors["lamp"]))
	}
}

// deckHeight returns the height of a bridge's roadway.
func (s *renderer) deckHeight() float64 { return s.horizon + (s.h-s.horizon)*0.10 }

// drawShadow darkens the ground under a figure's feet and away from the light.
func (s *renderer) drawShadow(a *figure) {
	switch {
	case a.on == "air", a.on == "inside", a.on == "space", a.on == "under", a.on == "water", a.on == "span", a.on == "mounted" && a.thing.Key == "train":
		return
	case s.light.Flat && s.world != "plain":
		return
	}
	shift := -float64(s.light.From[0]) * a.width * 0.16
	wide := a.width * 0.52
	if a.generator == "tree" || a.generator == "palm" {
		wide = a.width * 0.4
	}
	tone := s.light.Dim.Scaled(0.7)
	s.Halo(vector.Point{X: a.base.X + shift, Y: a.base.Y - a.height*0.005}, wide*1.25, max(a.height*0.07, s.u*0.012), tone, 0.75, vector.Stain)
	s.Halo(vector.Point{X: a.base.X, Y: a.base.Y}, wide*0.9, max(a.height*0.035, s.u*0.008), tone, 0.7, vector.Stain)
}

// drawGenerated draws a figure that Go code generates instead of a drawing.
func (s *renderer) drawGenerated(a *figure, depth uint8) {
	var asked []pixel.RGB
	for _, c := range a.thing.Colours {
		asked = append(asked, c.Tint())
	}
	switch a.generator {
	case "pine":
		s.drawPine(a.base, a.height, a.far, depth, a.seed, asked...)
	case "palm":
		s.drawPalm(a.base, a.height, a.far, depth, a.seed, asked...)
	case "planet":
		r := a.height * 0.5
		if a.thing.Word == "earth" && len(asked) == 0 {
			asked = []pixel.RGB{pixel.MustHex("#3f7ac0")}
		}
		if a.thing.Word == "mars" && len(asked) == 0 {
			asked = []pixel.RGB{pixel.MustHex("#c8603a")}
		}
		s.drawPlanet(vector.Point{X: a.base.X, Y: a.base.Y - a.height*0.5}, r, depth, a.seed, asked...)
	default:
		s.drawTree(a.base, a.height, a.far, depth, a.seed, asked...)
	}
}

// drawReflection draws the figure upside down in the water, faint and squeezed.
func (s *renderer) drawReflection(a *figure, p vector.Pose) {
	p.Place = p.Place.Then(vector.Moved(0, -a.base.Y)).Then(vector.Scaled(1, -0.55)).Then(vector.Moved(0, a.base.Y-a.height*0.04))
	p.Opacity, p.Depth = 0.30, 0
	lit := s.light
	lit.Outline = 0
	p.Light = &lit
	a.d.Draw(s.Canvas, p)
}

// drawWaterline hides the feet of a swimmer behind small waves.
func (s *renderer) drawWaterline(a *figure) {
	foam, _ := s.light.Tones(pixel.RGB{R: 0.92, G: 0.97, B: 1}, 0)
	d := chance.New(a.seed, "ripple")
	for i := range 4 {
		y := a.base.Y - a.height*0.02 + float64(i)*a.height*0.035
		w := a.width * (0.36 + 0.09*float64(i)) * d.In(0.85, 1.1)
		line := []vector.Point{{X: a.base.X - w, Y: y}, {X: a.base.X - w*0.3, Y: y + a.height*0.012}, {X: a.base.X + w*0.3, Y: y - a.height*0.006}, {X: a.base.X + w, Y: y}}
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon(vector.Spline(vector.Knots(line), false), a.height*0.006, a.height*0.016)}, Lit: foam, Alpha: float32(0.6 - 0.12*float64(i))})
	}
}

func (s *renderer) drawSpeedLines(a *figure) {
	d := chance.New(a.seed, "speed")
	back := 1.0
	if !a.flip {
		back = -1
	}
	for range 6 {
		y := a.base.Y - a.height*d.In(0.1, 0.9)
		x := a.base.X + back*a.width*d.In(0.5, 0.65)
		s.Add(vector.Stroke{Loops: [][]vector.Point{vector.Ribbon([]vector.Point{{X: x, Y: y}, {X: x + back*a.width*d.In(0.1, 0.3), Y: y}}, s.u*0.005, 0.5)}, Lit: pixel.RGB{R: 1, G: 1, B: 1}, Alpha: 0.55})
	}
}

// drawSmoke draws the smoke of a funnel, which drifts back over the train.
func (s *renderer) drawSmoke(from vector.Point, height float64, flip bool) {
	d := s.dice("smoke")
	back := -1.0
	if flip {
		back = 1
	}
	lit, dim := s.light.Tones(pixel.MustHex("#eceef0"), 0.1)
	for i := range 16 {
		t := float64(i) / 16
		p := vector.Point{X: from.X + back*height*(2.4*t*t+0.6*t) + d.Around(0.1)*height, Y: from.Y - height*(0.12+0.75*t) + d.Around(0.12)*height*t}
		r := height * (0.08 + 0.26*t)
		s.Add(vector.Stroke{Loops: [][]vector.Point{lumpyOutline(p, r, d)}, Shading: vector.Round, Light: s.light.From, Cel: s.light.Cel, Lit: lit, Dim: pixel.Mix(dim, lit, 0.45), Alpha: float32(0.9 - 0.75*t), Depth: 190})
	}
}

// drawBeam draws the light of a lighthouse, swinging in a clip.
func (s *renderer) drawBeam(from vector.Point) {
	for _, side := range []float64{-1, 1} {
		far := vector.Point{X: from.X + side*s.w, Y: from.Y - s.u*0.10}
		loop := []vector.Point{from, {X: far.X, Y: far.Y - s.u*0.16}, {X: far.X, Y: far.Y + s.u*0.16}}
		s.Add(vector.Stroke{Loops: [][]vector.Point{loop}, Shading: vector.Linear, From: from, To: far, Lit: pixel.RGB{R: 1, G: 0.95, B: 0.7}, Dim: pixel.RGB{}, Alpha: 0.42, Blend: vector.Glow})
	}
	s.Halo(from, s.u*0.16, s.u*0.16, pixel.RGB{R: 1, G: 0.92, B: 0.6}, 0.7, vector.Glow)
}

// frameBust frames head and shoulders; it returns false when there is no head.
func (s *renderer) frameBust(actors []*figure) bool {
	n := min(len(actors), 3)
	for i, a := range actors[:n] {
		if a.d == nil {
			return i > 0
		}
		head, ok := a.d.Anchors["head"]
		if !ok {
			return i > 0
		}
		b := a.d.Extent()
		frame := min(head.Y+2.3*(head.Y-b.Y0), b.Y1)
		k := s.h * 0.90 / (frame - b.Y0)
		k = min(k, s.w*0.94/float64(n)/max(b.Width()*0.42, 30))
		top := max(s.h*0.085, s.h-(b.Y1-b.Y0)*k*1.02)
		x := s.w * (float64(i) + 0.5) / float64(n)
		place := vector.Moved(-head.X, -b.Y0).Then(vector.Scaled(k, k)).Then(vector.Moved(x, top))
		if a.flip {
			place = vector.Moved(-head.X, -b.Y0).Then(vector.Scaled(-k, k)).Then(vector.Moved(x, top))
		}
		a.base, a.height = vector.Point{X: x, Y: top + (b.Y1-b.Y0)*k}, (b.Y1-b.Y0)*k
		a.d.Draw(s.Canvas, vector.Pose{Place: place, Light: &s.light, Depth: 230, Seed: a.seed, Seconds: s.at, Opacity: 1, Colours: a.palette()})
		for _, held := range actors {
			if held.thing.HeldBy == a.index {
				s.putInHands(held, a)
			}
		}
	}
	return true
}
