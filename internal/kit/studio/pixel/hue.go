package pixel

import (
	"math"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
)

// MatchesName returns how well a colour fits a name, from 0 to 1. Names with a
// hue are matched by hue: light and shade on a red car are red too. Others are
// matched by lightness.
func (c Lab) MatchesName(name Colour) float64 {
	want := name.lab()
	chroma, wanted := float64(c.chroma()), float64(want.chroma())
	light := math.Abs(float64(c.L - want.L))
	if wanted < 0.07 { // white, grey, black, silver
		plain := ease(0.13, 0.05, chroma)
		if want.L > 0.9 {
			light = max(float64(want.L-c.L)-0.02, 0)
		}
		if want.L < 0.3 {
			light = max(float64(c.L-want.L), 0)
		}
		return plain * ease(0.26, 0.10, light)
	}
	strong := ease(0.05, 0.13, chroma)
	near := ease(0.48, 0.24, hueDistance(c.hue(), want.hue()))
	// The name of a pale or dark colour needs its lightness; that of a full
	// colour takes any.
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

// ColourNamed returns the colour of a name that the lexicon has.
func ColourNamed(name string) (Colour, bool) {
	m, _ := lexicon.Words().Find(name)
	if m == nil || m.Group != "colour" {
		return Colour{}, false
	}
	return ColourOf(m), true
}

// plainNames are the colours without a hue, by their lightness.
var plainNames = []struct {
	below float32
	name  string
}{{0.30, "black"}, {0.42, "dark grey"}, {0.74, "grey"}, {0.90, "light grey"}, {2, "white"}}

// nearestName returns the name of a colour; with a hue, the nearest one in the
// lexicon.
func nearestName(c Lab) string {
	if c.chroma() < 0.08 || c.L < 0.22 && c.chroma() < 0.10 {
		for _, p := range plainNames {
			if c.L >= p.below {
				continue
			}
			if c.chroma() < 0.04 || p.name == "black" || p.name == "white" {
				return p.name
			}
			return hueHint(c) + " " + p.name
		}
	}
	best, name := float32(math.MaxFloat32), ""
	l := lexicon.Words()
	for _, key := range lexicon.SortedKeys(l.Keys) {
		if m := l.Keys[key]; m.Group == "colour" && ColourOf(m).lab().chroma() >= 0.045 {
			if d := c.distance(ColourOf(m).lab()); d < best {
				best, name = d, m.Key
			}
		}
	}
	return Spaced(name)
}

// hueHint returns the hint of a hue in a grey.
func hueHint(c Lab) string {
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

// Spaced returns a key of the lexicon as it is written.
func Spaced(name string) string {
	for _, first := range []string{"light", "dark"} {
		if rest, ok := strings.CutPrefix(name, first); ok && rest != "" {
			return first + " " + rest
		}
	}
	return name
}

// ColourOf returns the named colour of a meaning in the group colour.
func ColourOf(m *lexicon.Meaning) Colour {
	c, _ := Hex(m.Attributes["value"])
	return Colour{m.Key, ByteOf(c.R), ByteOf(c.G), ByteOf(c.B)}
}

// Colour is a named colour of the prompt.
type Colour struct {
	Name    string
	R, G, B uint8
}

// Tint returns the colour as RGB.
func (c Colour) Tint() RGB {
	return RGB{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255}
}
