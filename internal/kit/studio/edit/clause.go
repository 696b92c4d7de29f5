package edit

import (
	"slices"
	"strings"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/paint"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/selection"
)

// readRemoval reads what a clause removes.
func (c clause) readRemoval(rest clause) []Edit {
	if c.find("touch") >= 0 || c.find("tone") >= 0 {
		if e := c.readTones(); e != nil {
			return e
		}
	}
	text := rest.plain()
	w := selection.ParseQuery(text)
	cuts := c.find("verb") >= 0 && (strings.HasPrefix(c[c.find("verb")].text, "cut") || c[c.find("verb")].text == "isolate")
	if w.Area == "background" && w.Noun == "" && len(w.Unknown) == 0 || cuts && (w.Area == "subject" || text == "") {
		return []Edit{{Kind: EditCutout, Amount: 1}}
	}
	return []Edit{{Kind: EditRemove, Target: text, Amount: 1}}
}

// readReplacement reads a replacement: "the sky with a sunset", "the fox by a cat".
func (c clause) readReplacement(rest clause) []Edit {
	i := rest.find("join")
	if i < 0 {
		return nil
	}
	target, by := rest[:i].plain(), rest[i+1:].text()
	w := selection.ParseQuery(target)
	scene := paint.Read(by)
	switch {
	case w.Area == "background":
		return backdropOr(scene, freeColour(scene))
	case w.Area == "sky" && (scene.Time != "" || len(scene.Weather) > 0 || len(scene.Sky) > 0):
		return newSky(scene)
	case len(scene.Subjects) > 0:
		return []Edit{{Kind: EditReplace, Target: target, Scene: paint.Scene{Subjects: scene.Subjects, Text: scene.Text, Unknown: scene.Unknown, Lost: scene.Lost}, Amount: 1}}
	case freeColour(scene).Name != "":
		return []Edit{{Kind: EditRecolour, Target: target, Colour: freeColour(scene), Amount: 1}}
	}
	return nil
}

// newSky returns the edits for another sky: time of day, weather, and what it
// contains.
func newSky(scene paint.Scene) (out []Edit) {
	if scene.Time == "" && (scene.SkyThing("stars") != nil || scene.SkyThing("moon") != nil || scene.SkyThing("aurora") != nil) {
		scene.Time = "night"
	}
	if scene.Time != "" || len(scene.Weather) > 0 {
		out = append(out, Edit{Kind: EditLight, Scene: paint.Scene{Time: scene.Time, Weather: scene.Weather}, Amount: 1})
	}
	things := slices.DeleteFunc(slices.Clone(scene.Sky), func(t paint.Thing) bool { return scene.Time == "night" && (t.Key == "stars" || t.Key == "moon") })
	if len(things) > 0 {
		out = append(out, Edit{Kind: EditAdd, Scene: paint.Scene{Sky: things}, Amount: 1})
	}
	return out
}

// readBackground reads a clause about the background.
func (c clause) readBackground() []Edit {
	at := slices.IndexFunc(c, func(t token) bool {
		m, _ := selection.SelectWords().Find(t.text)
		return m != nil && m.Key == "background"
	})
	if at < 0 {
		return nil
	}
	if e := c.readTones(); e != nil {
		for i := range e {
			if e[i].Target == "" || strings.Contains(e[i].Target, c[at].text) {
				e[i].Target = "background"
			}
		}
		return e
	}
	rest := slices.Delete(slices.Clone(c), at, at+1)
	scene := paint.Read(slices.DeleteFunc(rest, func(t token) bool { return t.is("verb") }).text())
	scene.Subjects = slices.DeleteFunc(scene.Subjects, func(t paint.Thing) bool { return t.Place == "back" })
	return backdropOr(scene, freeColour(scene))
}

// freeColour returns the colour that a scene names for no thing.
func freeColour(s paint.Scene) pixel.Colour {
	if len(s.Palette) > 0 {
		return s.Palette[len(s.Palette)-1]
	}
	return pixel.Colour{}
}

func backdropOr(scene paint.Scene, colour pixel.Colour) []Edit {
	if !scene.Empty() || scene.Time != "" || len(scene.Weather) > 0 {
		return backdrop(scene, pixel.Colour{})
	}
	if colour.Name != "" {
		return backdrop(paint.Scene{}, colour)
	}
	return nil
}

func backdrop(scene paint.Scene, colour pixel.Colour) []Edit {
	if colour.Name == "" && scene.Empty() && scene.Time == "" && len(scene.Weather) == 0 {
		return nil
	}
	return []Edit{{Kind: EditBackdrop, Scene: scene, Colour: colour, Amount: 1}}
}

// changesClothes reports whether a clause changes the clothes or hair of a person.
// They cannot be fitted to the person in a picture, and a second person is not
// meant.
func (c clause) changesClothes() bool {
	if len(c) == 0 {
		return false
	}
	if c[0].text == "dress" && len(c) > 1 && !c[1].is("join") {
		return true
	}
	verb := c.find("verb", "add", "put")
	if verb < 0 {
		return false
	}
	worn, there := false, c[verb].text == "give"
	for i, t := range c {
		m, _ := lexicon.Words().Find(t.text)
		worn = worn || m != nil && m.Group == "part" && (m.Key == "cloth" || m.Key == "trousers" || m.Key == "hair")
		there = there || m != nil && m.Group == "subject" && i > 0 && (c[i-1].text == "the" || c[i-1].text == "this")
		there = there || i > verb && (t.text == "him" || t.text == "her" || t.text == "them")
	}
	return worn && there
}

// readAddition reads what a clause adds to the picture.
func (c clause) readAddition(rest clause) []Edit {
	text := rest.text()
	s := paint.Read(text)
	// "A hat on the cat", "give this cat a hat": a noun with "the" or "this" is
	// in the picture already.
	first := 1
	if len(rest) < len(c) && c[len(c)-len(rest)-1].text == "give" {
		first = 0
	}
	if len(s.Subjects) > first {
		var there []string
		for _, t := range s.Subjects[first:] {
			if strings.Contains(text, "the "+t.Word) || strings.Contains(text, "this "+t.Word) {
				there = append(there, t.Key)
			}
		}
		s.Exclude(there...)
		s.Without = nil
	}
	var out []Edit
	if len(s.Subjects) > 0 || len(s.Sky) > 0 {
		out = append(out, Edit{Kind: EditAdd, Scene: paint.Scene{Subjects: s.Subjects, Sky: s.Sky, Unknown: s.Unknown, Without: s.Without, Lost: s.Lost}, Amount: 1})
	}
	if len(s.Weather) > 0 || s.Time != "" || s.Season != "" {
		out = append(out, Edit{Kind: EditLight, Scene: paint.Scene{Time: s.Time, Season: s.Season, Weather: s.Weather}, Amount: 1})
	}
	return out
}

// readChange reads a clause that changes a thing: its colour, its style, the time
// of day, or into another thing.
func (c clause) readChange(verb int) []Edit {
	rest := c[verb+1:]
	// The last part is the result; a joining word marks where it begins.
	before, after := clause(nil), rest
	if i := lastJoin(rest); i >= 0 && i+1 < len(rest) {
		before, after = rest[:i], rest[i+1:]
	}
	scene := paint.Read(after.text())
	if to := lastColour(after); to.Name != "" && len(scene.Styles) == 0 {
		target := append(slices.Clone(before), after...)
		return []Edit{{Kind: EditRecolour, Target: target.without(), Colour: to, Amount: c.amount()}}
	}
	if looks := c.readLooks(true); len(looks) > 0 {
		return looks
	}
	if len(scene.Moods) > 0 && len(scene.Subjects) == 0 {
		return []Edit{{Kind: EditStyle, Scene: paint.Scene{Moods: scene.Moods}, Amount: c.amount()}}
	}
	switch {
	case verb >= 0 && before != nil && len(scene.Subjects) > 0:
		return []Edit{{Kind: EditReplace, Target: before.plain(), Scene: paint.Scene{Subjects: scene.Subjects, Unknown: scene.Unknown, Lost: scene.Lost}, Amount: 1}}
	case len(scene.Settings) > 0 && len(scene.Subjects) == 0:
		return backdrop(scene, pixel.Colour{})
	case verb < 0 && (len(scene.Subjects) > 0 || len(scene.Sky) > 0):
		return c.readAddition(c)
	}
	return nil
}

func lastJoin(c clause) int {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].is("join") {
			return i
		}
	}
	return -1
}

// lastColour returns the last colour that a clause names.
func lastColour(c clause) pixel.Colour {
	_, _, colour := c.colourAt()
	return colour
}

// colourAt returns where a clause names its last colour, and in how many
// tokens. Words that mean something else together, such as "golden hour", are
// no colour.
func (c clause) colourAt() (at, n int, colour pixel.Colour) {
	at = -1
	for i := 0; i < len(c); {
		step := 1
		for k := min(3, len(c)-i); k > 0; k-- {
			m, _ := lexicon.Words().Find(c[i : i+k].text())
			if m == nil || m.Group == "ignore" && k == 1 {
				continue
			}
			if step = k; m.Group == "colour" {
				at, n, colour = i, k, pixel.ColourOf(m)
			}
			break
		}
		i += step
	}
	return at, n, colour
}

// without returns the clause as the words for a thing, without its last colour.
func (c clause) without() string {
	at, n, _ := c.colourAt()
	if at < 0 {
		return c.target()
	}
	return slices.Delete(slices.Clone(c), at, at+n).target()
}
