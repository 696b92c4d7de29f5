package picture

import "math"

// mount puts an actor on top of another: a cat on a chair, a train on a bridge.
func (s *stage) mount(a, under *actor, n int) {
	if under == nil {
		under = &actor{base: point{s.w / 2, s.horizon + (s.h-s.horizon)*0.7}, height: s.u * 0.3, width: s.u * 0.3}
	}
	lexicon := words()
	mine, theirs := lexicon.subject(a.thing.Key).number("size", 1), lexicon.subject(under.thing.Key).number("size", 1)
	top := point{under.base.x, under.base.y - under.height}
	ratio := min(max(math.Pow(mine/theirs, 0.6), 0.4), 1.5)
	a.height = under.height * ratio
	if under.d != nil {
		for _, name := range []string{"deck", "back", "seat", "top"} {
			if p, ok := under.d.anchors[name]; ok {
				top = under.d.stand(under.base, under.height, under.flip).apply(p)
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
		top = point{s.w / 2, s.deck() + s.u*0.002}
	}
	a.width = a.height * a.aspect()
	a.base, a.on = point{top.x, top.y + a.height*0.02}, "mounted"
	if a.thing.Count > 1 {
		share := min(a.width*0.7, under.width/float64(a.thing.Count))
		a.base.x += (float64(n) - float64(a.thing.Count-1)/2) * share
		a.base.y += float64(n%2) * a.height * 0.03
	}
	if lexicon.subject(under.thing.Key).attributes["holds"] != "" {
		a.on, a.height = "inside", under.height*1.15
		a.behind = under.base.y
	}
	a.height = min(a.height, a.base.y-s.h*0.04)
	a.width = a.height * a.aspect()
	s.stir(a)
}

// hold puts a thing into the hands of a person.
func (s *stage) hold(a, by *actor) {
	if a.d == nil || by.d == nil {
		return
	}
	place := by.d.stand(by.base, by.height, by.flip)
	p := pose{light: &s.light, depth: 250, seed: a.seed, at: s.at, ghost: 1, colours: a.colours()}
	b := a.d.extent()
	if a.thing.Key == "guitar" || a.thing.Key == "violin" {
		k := by.height * 0.62 / b.height()
		centre := place.apply(point{50, 57})
		p.place = moved(-50, -66).then(scaled(k, k)).then(turned(1.05+0.03*math.Sin(s.at*6), point{})).then(moved(centre.x, centre.y))
		a.d.draw(s.easel, p)
		return
	}
	hand, ok := by.d.anchors["hand"]
	if !ok {
		hand = point{70, 56}
	}
	at := place.apply(hand)
	p.place = a.d.stand(point{at.x, at.y + by.height*0.06}, by.height*0.42, by.flip)
	a.d.draw(s.easel, p)
}
