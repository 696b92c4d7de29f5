package paint

import (
	"math"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/vector"
)

// putOnTop puts a figure on top of another: a cat on a chair, a train on a bridge.
func (s *renderer) putOnTop(a, under *figure, n int) {
	if under == nil {
		under = &figure{base: vector.Point{X: s.w / 2, Y: s.horizon + (s.h-s.horizon)*0.7}, height: s.u * 0.3, width: s.u * 0.3}
	}
	lexicon := lexicon.Words()
	mine, theirs := lexicon.Subject(a.thing.Key).Number("size", 1), lexicon.Subject(under.thing.Key).Number("size", 1)
	top := vector.Point{X: under.base.X, Y: under.base.Y - under.height}
	ratio := min(max(math.Pow(mine/theirs, 0.6), 0.4), 1.5)
	a.height = under.height * ratio
	if under.d != nil {
		for _, name := range []string{"deck", "back", "seat", "top"} {
			if p, ok := under.d.Anchors[name]; ok {
				top = placeDrawing(under.d, under.base, under.height, under.flip).Apply(p)
				break
			}
		}
	}
	if under.on == "span" {
		a.height = s.u * 0.24
		if w := a.height * a.aspect(); w > s.w*0.86 {
			a.height *= s.w * 0.86 / w
		}
		a.flip = false
		top = vector.Point{X: s.w / 2, Y: s.deckHeight() + s.u*0.002}
	}
	a.width = a.height * a.aspect()
	a.base, a.on = vector.Point{X: top.X, Y: top.Y + a.height*0.02}, "mounted"
	if a.thing.Count > 1 {
		share := min(a.width*0.7, under.width/float64(a.thing.Count))
		a.base.X += (float64(n) - float64(a.thing.Count-1)/2) * share
		a.base.Y += float64(n%2) * a.height * 0.03
	}
	if lexicon.Subject(under.thing.Key).Attributes["holds"] != "" {
		a.on, a.height = "inside", under.height*1.15
		a.behind = under.base.Y
	}
	a.height = min(a.height, a.base.Y-s.h*0.04)
	a.width = a.height * a.aspect()
	s.animate(a)
}

// putInHands puts a thing into the hands of a person.
func (s *renderer) putInHands(a, by *figure) {
	if a.d == nil || by.d == nil {
		return
	}
	place := placeDrawing(by.d, by.base, by.height, by.flip)
	p := vector.Pose{Light: &s.light, Depth: 250, Seed: a.seed, Seconds: s.at, Opacity: 1, Colours: a.palette()}
	b := a.d.Extent()
	if a.thing.Key == "guitar" || a.thing.Key == "violin" {
		k := by.height * 0.62 / b.Height()
		centre := place.Apply(vector.Point{X: 50, Y: 57})
		p.Place = vector.Moved(-50, -66).Then(vector.Scaled(k, k)).Then(vector.Turned(1.05+0.03*math.Sin(s.at*6), vector.Point{})).Then(vector.Moved(centre.X, centre.Y))
		a.d.Draw(s.Canvas, p)
		return
	}
	hand, ok := by.d.Anchors["hand"]
	if !ok {
		hand = vector.Point{X: 70, Y: 56}
	}
	at := place.Apply(hand)
	p.Place = placeDrawing(a.d, vector.Point{X: at.X, Y: at.Y + by.height*0.06}, by.height*0.42, by.flip)
	a.d.Draw(s.Canvas, p)
}
