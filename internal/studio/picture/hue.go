package picture

import (
	"math"
	"strings"
)

// fits is how much a colour is what people call by a name, from 0 to 1. Names
// with a hue are judged by it: light and shade on a red car are red too. Names
// without one are judged by lightness.
func (c lab) fits(name Colour) float64 {
	want := name.lab()
	chroma, wanted := float64(c.chroma()), float64(want.chroma())
	light := math.Abs(float64(c.l - want.l))
	if wanted < 0.07 { // white, grey, black, silver
		plain := ease(0.13, 0.05, chroma)
		if want.l > 0.9 {
			light = max(float64(want.l-c.l)-0.02, 0)
		}
		if want.l < 0.3 {
			light = max(float64(c.l-want.l), 0)
		}
		return plain * ease(0.26, 0.10, light)
	}
	strong := ease(0.05, 0.13, chroma)
	near := ease(0.48, 0.24, turnOf(c.hue(), want.hue()))
	// A pale or a dark name needs its lightness; a full one takes any.
	slack := 0.34
	switch name.Name {
	case "pink", "lightblue", "mint", "lavender", "cream", "tan", "brown", "navy", "maroon", "darkgreen", "olive":
		slack = 0.20
	case "red", "orange", "yellow":
		slack = 0.30
	}
	return strong * near * ease(slack+0.12, slack, light)
}

// ease goes from 0 at lo to 1 at hi, which may lie below it.
func ease(lo, hi, v float64) float64 {
	t := min(max((v-lo)/(hi-lo), 0), 1)
	return t * t * (3 - 2*t)
}

// ColourNamed is the colour of a name that the lexicon has.
func ColourNamed(name string) (Colour, bool) {
	m, _ := words().find(name)
	if m == nil || m.group != "colour" {
		return Colour{}, false
	}
	return m.colour(), true
}

// plainNames are the colours without a hue, by their lightness.
var plainNames = []struct {
	below float32
	name  string
}{{0.30, "black"}, {0.42, "dark grey"}, {0.74, "grey"}, {0.90, "light grey"}, {2, "white"}}

// nearestName is the name of a colour: the lexicon's nearest when it has a hue.
func nearestName(c lab) string {
	if c.chroma() < 0.08 || c.l < 0.22 && c.chroma() < 0.10 {
		for _, p := range plainNames {
			if c.l >= p.below {
				continue
			}
			if c.chroma() < 0.04 || p.name == "black" || p.name == "white" {
				return p.name
			}
			return shadeOf(c) + " " + p.name
		}
	}
	best, name := float32(math.MaxFloat32), ""
	l := words()
	for _, key := range sortedKeys(l.keys) {
		if m := l.keys[key]; m.group == "colour" && m.colour().lab().chroma() >= 0.045 {
			if d := c.distance(m.colour().lab()); d < best {
				best, name = d, m.key
			}
		}
	}
	return spaced(name)
}

// shadeOf is the hint of a hue in a grey.
func shadeOf(c lab) string {
	switch h := c.hue(); {
	case h > -2.9 && h < -0.9:
		return "bluish"
	case h >= -0.9 && h < 0.6:
		return "reddish"
	case h >= 0.6 && h < 2:
		return "brownish"
	}
	return "greenish"
}

// spaced is a key of the lexicon as it is written.
func spaced(name string) string {
	for _, first := range []string{"light", "dark"} {
		if rest, ok := strings.CutPrefix(name, first); ok && rest != "" {
			return first + " " + rest
		}
	}
	return name
}
