package paint

import (
	"fmt"
	"strings"

	"github.com/atelier-project/atelier/internal/studio/lexicon"
)

// Describe says in one line what was understood of a prompt.
func Describe(s Scene) string {
	var parts []string
	var nouns []string
	for _, t := range s.Subjects {
		if t.Key != "" {
			nouns = append(nouns, t.describe())
		}
	}
	if len(nouns) > 0 {
		parts = append(parts, strings.Join(nouns, " and "))
	}
	if where := keysOf(s.Settings); where != "" {
		parts = append(parts, "in: "+where)
	}
	if above := keysOf(s.Sky); above != "" {
		parts = append(parts, "sky: "+above)
	}
	say := func(name string, values ...string) {
		if text := strings.Join(values, ", "); text != "" {
			parts = append(parts, name+": "+text)
		}
	}
	say("time", s.Time)
	say("weather", s.Weather...)
	say("season", s.Season)
	say("mood", s.Moods...)
	say("style", s.Styles...)
	say("framing", s.Framing)
	for _, c := range s.Palette {
		say("colour", c.Name)
	}
	for _, t := range s.Text {
		say("text", fmt.Sprintf("%q", t))
	}
	say("without", s.Without...)
	say("not understood", s.Unknown...)
	if len(parts) == 0 {
		return "an emblem of the words"
	}
	return strings.Join(parts, "; ")
}

func (t Thing) describe() string {
	var w []string
	if t.Count > 1 {
		w = append(w, fmt.Sprint(t.Count))
	}
	if t.Size > 1.1 {
		w = append(w, "large")
	} else if t.Size < 0.9 {
		w = append(w, "small")
	}
	for _, c := range t.Colours {
		w = append(w, c.Name)
	}
	w = append(w, t.name())
	if t.Action != "" {
		w = append(w, "("+t.Action+")")
	}
	if t.Place != "" {
		w = append(w, "at "+t.Place)
	}
	return strings.Join(w, " ")
}

// name is what is painted, and the word of the prompt that it is only near to.
func (t Thing) name() string {
	if lexicon.Words().Loose(t.Word) {
		return t.Key + " (nearest to " + t.Word + ")"
	}
	return t.Key
}

func keysOf(things []Thing) string {
	var keys []string
	for _, t := range things {
		if t.Key != "" {
			keys = append(keys, t.name())
		}
	}
	return strings.Join(keys, ", ")
}
