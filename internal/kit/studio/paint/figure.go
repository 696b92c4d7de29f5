package paint

import (
	"math"
	"slices"

	"github.com/atelier-project/atelier/internal/kit/studio/chance"
	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// figure is one subject with its place and size in the picture.
type figure struct {
	thing     Thing
	index     int // of the thing in the scene
	d         *vector.Drawing
	generator string // the function that draws it, when there is no drawing
	height    float64
	width     float64
	base      vector.Point
	far       float32
	flip      bool
	seed      uint64
	on        string
	behind    float64 // the feet of the vessel it stands in
}

// drawFigures places the figures and draws them from far to near.
func (s *renderer) drawFigures() {
	actors := s.newFigures()
	if len(actors) == 0 {
		return
	}
	if s.scene.Framing == "bust" && s.frameBust(actors) {
		return
	}
	free := slices.DeleteFunc(slices.Clone(actors), func(a *figure) bool {
		return a.thing.HeldBy >= 0 || s.restsOnAnother(a)
	})
	// Figures in the air and on the ground do not compete for space.
	aloft := slices.DeleteFunc(slices.Clone(free), func(a *figure) bool { return a.on != "air" })
	grounded := slices.DeleteFunc(slices.Clone(free), func(a *figure) bool { return a.on == "air" })
	s.scaleFigures(free)
	if len(aloft) > 0 && len(grounded) > 0 {
		for _, a := range aloft {
			a.height, a.width = min(a.height, s.horizon*0.42), min(a.height, s.horizon*0.42)*a.aspect()
		}
	}
	s.placeFigures(grounded)
	s.placeFigures(aloft)
	placed := map[int]*figure{}
	for _, a := range free {
		if placed[a.index] == nil {
			placed[a.index] = a
		}
	}
	riders := map[int]int{}
	for _, a := range actors {
		if s.restsOnAnother(a) {
			s.putOnTop(a, placed[a.thing.On], riders[a.index])
			riders[a.index]++
		}
	}
	slices.SortStableFunc(actors, func(a, b *figure) int {
		return int(math.Copysign(1, a.drawOrder()-b.drawOrder()))
	})
	for _, a := range actors {
		if a.thing.HeldBy >= 0 {
			continue
		}
		s.drawFigure(a)
		for _, held := range actors {
			if held.thing.HeldBy == a.index {
				s.putInHands(held, a)
			}
		}
	}
}

// drawOrder returns the order of drawing: far before near, and what rests on
// another after it.
func (a *figure) drawOrder() float64 {
	if a.on == "inside" {
		return a.behind - 0.5
	}
	if a.on == "mounted" {
		return a.base.Y + 1e5
	}
	return a.base.Y
}

func (s *renderer) restsOnAnother(a *figure) bool {
	on := a.thing.On
	if on < 0 || on >= len(s.scene.Subjects) || on == a.index || s.scene.Subjects[on].On == a.index {
		return false
	}
	// Nothing large climbs a tree or a house: it stands beside it.
	mine, theirs := lexicon.Words().Subject(a.thing.Key), lexicon.Words().Subject(s.scene.Subjects[on].Key)
	kind := theirs.Attributes["kind"]
	if (kind == "plant" || kind == "building") && theirs.Attributes["on"] != "span" {
		return mine.Number("size", 1) < 0.6 && mine.Attributes["kind"] == "animal"
	}
	return true
}

// newFigures returns a figure for each subject, as many as the prompt says.
func (s *renderer) newFigures() (out []*figure) {
	lexicon := lexicon.Words()
	for i, t := range s.scene.Subjects {
		m := lexicon.Subject(t.Key)
		if m.Key == "" || m.Attributes["kind"] == "abstract" {
			continue
		}
		name := m.Text("draw", t.Key)
		if t.Key == "portrait" && s.dice("who").Chance(0.5) {
			name = "man"
		}
		for n := range max(t.Count, 1) {
			a := &figure{thing: t, index: i, generator: m.Attributes["make"], on: m.Text("on", "ground")}
			a.seed = s.dice("actor", t.Key, string(rune('0'+n))).Next()
			a.d = vector.Drawings()[name]
			if a.d == nil && a.generator == "" {
				continue
			}
			a.height = math.Pow(m.Number("size", 1), 0.55) * t.Size
			a.width = a.height * a.aspect()
			a.flip = chance.New(a.seed, "flip").Chance(0.4)
			if t.Action == "fly" {
				a.on = "air"
			}
			if s.world == "undersea" && m.Attributes["kind"] != "plant" {
				a.on = "under"
			}
			if s.world == "space" && a.on != "space" {
				a.on = "air"
			}
			if (s.world == "table" || s.world == "room") && a.on != "air" {
				a.on = "ground"
			}
			if a.on == "under" && s.world != "undersea" {
				a.on = "water"
				if !s.waterAhead() && s.scene.setting("beach") == nil {
					a.on = "ground"
				}
			}
			if a.on == "water" && (s.world != "" || !s.waterAhead() && s.scene.setting("beach") == nil && s.scene.setting("island") == nil) {
				a.on = "ground"
			}
			out = append(out, a)
		}
	}
	return out
}

func (a *figure) aspect() float64 {
	if a.d == nil {
		return map[string]float64{"tree": 0.8, "pine": 0.5, "palm": 0.8}[a.generator] + map[bool]float64{true: 1}[a.generator == "planet"]
	}
	b := a.d.Extent()
	return b.Width() / b.Height()
}

// scaleFigures scales the figures, whose sizes are relative to each other, to the
// canvas: the tallest fills what the framing allows and all fit side by side.
func (s *renderer) scaleFigures(actors []*figure) {
	tallest, widths, above := 0.0, 0.0, 0.0
	for _, a := range actors {
		tallest = max(tallest, a.height)
		switch a.on {
		case "span":
		case "air":
			above += a.width
		default:
			widths += a.width
		}
	}
	widths = max(widths, above)
	reach := 0.60
	for _, t := range s.scene.Subjects {
		if t.On >= 0 {
			reach = 0.50 // leave room on top
		}
	}
	switch s.scene.Framing {
	case "close":
		reach = 0.86
	case "wide":
		reach = 0.32
	case "above":
		reach = 0.42
	}
	if s.world == "plain" {
		reach = 0.52
	}
	if s.scene.setting("wave") != nil {
		reach = 0.26
	}
	if len(actors) == 1 && s.scene.Framing == "" && (actors[0].on == "under" || actors[0].on == "air" || actors[0].aspect() > 1.6) {
		reach = 0.48
	}
	if len(actors) == 1 && actors[0].thing.Size < 0.9 {
		reach *= 0.7
	}
	if len(actors) == 1 && actors[0].thing.Size > 1.1 {
		reach = min(reach*1.25, 0.84)
	}
	k := s.u * reach / max(tallest, 1e-6)
	if s.h > s.w*1.25 {
		k *= math.Pow(min(s.h/s.w, 1.7), 0.8)
	}
	overlap := 0.94
	if len(actors) > 4 {
		overlap = 0.6 // two rows
	}
	if room := s.w * 0.86; widths*k*overlap > room {
		k = room / (widths * overlap)
	}
	for _, a := range actors {
		a.height *= k
		a.width *= k
	}
}

// placeFigures gives each figure a place on the ground, on water or in the air.
func (s *renderer) placeFigures(actors []*figure) {
	ordered := slices.Clone(actors)
	rank := map[string]int{"left": -1, "right": 1}
	slices.SortStableFunc(ordered, func(a, b *figure) int { return rank[a.thing.Place] - rank[b.thing.Place] })
	total := 0.0
	for _, a := range ordered {
		total += a.width
	}
	d := s.dice("arrange")
	gap := (s.w*0.9 - total) / float64(len(ordered)+1)
	gap = min(gap, s.u*0.16)
	x := (s.w - total - gap*float64(len(ordered)-1)) / 2
	for i, a := range ordered {
		c := x + a.width/2
		x += a.width + gap
		if len(ordered) == 1 && !s.scene.Symmetric && s.world != "plain" && s.scene.Framing == "" && s.w >= s.h {
			c += d.Around(0.10) * s.w * max(0, 1-a.width/s.w)
		}
		switch a.thing.Place {
		case "left":
			if len(ordered) == 1 || i == 0 {
				c = max(s.w*0.25, a.width*0.52)
			}
		case "right":
			if len(ordered) == 1 || i == len(ordered)-1 {
				c = min(s.w*0.75, s.w-a.width*0.52)
			}
		case "middle":
			if len(ordered) == 1 {
				c = s.w / 2
			}
		}
		depth := 0.0
		if len(ordered) > 1 {
			depth = map[bool]float64{true: 0.5, false: 0}[i%2 == 1] + d.Around(0.12)
		}
		if a.on == "air" && len(ordered) > 1 {
			k := d.In(0.68, 1.06)
			a.height, a.width = a.height*k, a.width*k
			depth += d.In(-0.5, 0.5)
		}
		if a.thing.Place == "front" {
			depth = -0.2
		}
		a.base = vector.Point{X: c, Y: s.footHeight(a, depth)}
		if depth > 0.2 && a.on == "ground" {
			a.height *= 1 - 0.10*depth
			a.width *= 1 - 0.10*depth
		}
		if a.thing.Place == "back" {
			a.height *= 0.55
			a.base.Y = s.horizon + (s.h-s.horizon)*0.16
			a.far = 0.32
		}
		s.animate(a)
	}
}

// footHeight returns the height of a figure's feet on the canvas.
func (s *renderer) footHeight(a *figure, depth float64) float64 {
	deep := s.h - s.horizon
	switch a.on {
	case "air", "space":
		y := s.h * (0.46 - 0.14*depth)
		if s.world == "" {
			y = min(y, s.horizon*0.62)
		}
		if len(s.scene.Subjects) > 1 && s.world == "" {
			y = min(y, s.horizon*0.36)
		}
		return max(y, a.height*0.58) + a.height*0.5 - depth*s.h*0.05
	case "under":
		return s.h*(0.50-0.16*depth) + a.height*0.5
	case "water":
		y := s.horizon + deep*(0.62-0.26*depth)
		if s.scene.setting("beach") != nil {
			y = s.horizon + deep*0.24
		}
		if s.scene.setting("wave") != nil {
			y = s.h * 0.775
			a.base.X = s.w * 0.74
		}
		return y
	case "shore":
		return s.horizon + deep*0.52
	case "span":
		return s.horizon + deep*0.72
	}
	line := 0.78
	if s.scene.setting("island") != nil && s.scene.setting("beach") == nil {
		a.height, a.width = a.height*0.45, a.width*0.45
		return s.horizon + s.u*0.06
	}
	switch s.world {
	case "table":
		line = 0.60
	case "plain":
		return s.h * 0.86
	case "studio":
		return s.h*0.90 - depth*0.04*s.h
	}
	if s.scene.setting("beach") != nil || s.scene.setting("lake") != nil || s.scene.setting("sea") != nil {
		line = 0.90
	}
	return s.horizon + deep*(line-0.24*depth)
}

// animate moves a figure with time, by its kind.
func (s *renderer) animate(a *figure) {
	if s.scene.setting("wave") != nil && a.on == "water" {
		a.base.X = s.w * 0.78
		if a.index > 0 || a.seed%2 == 0 {
			a.base.X = s.w * 0.70
		}
	}
	if a.thing.Action == "jump" {
		a.base.Y -= s.u * (0.08 + 0.05*math.Abs(math.Sin(s.at*4)))
	}
	if s.at == 0 {
		return
	}
	phase := float64(a.seed%100) / 16
	switch a.on {
	case "water":
		a.base.Y += math.Sin(s.at*1.7+phase) * s.u * 0.008
		a.base.X += s.at * s.u * 0.012
	case "air", "under", "space":
		a.base.Y += math.Sin(s.at*1.3+phase) * s.u * 0.018
		step := s.at * s.u * 0.03
		if a.flip {
			step = -step
		}
		a.base.X += step
	}
	if a.thing.Action == "run" || a.thing.Action == "walk" || a.thing.Key == "car" || a.thing.Key == "train" {
		step := s.at * s.u * 0.05
		if a.flip {
			step = -step
		}
		a.base.X += step
	}
}
