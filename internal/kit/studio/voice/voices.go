package voice

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
)

//go:embed data/cast.json
var castJSON []byte

// trait is what some words of a description do to a voice. Traits are applied
// in the order of the file: who speaks first, then how.
type trait struct {
	Words   []string           `json:"words"`
	Set     map[string]float64 `json:"set"`
	Times   map[string]float64 `json:"times"`
	Add     map[string]float64 `json:"add"`
	Machine bool               `json:"machine"`
}

var cast = func() (c struct {
	Voices  map[string]Timbre `json:"voices"`
	Neutral Timbre            `json:"neutral"`
	Design  []trait           `json:"design"`
}) {
	if err := json.Unmarshal(castJSON, &c); err != nil {
		panic(err) // the file is part of the program
	}
	return c
}()

// DefaultVoice speaks when none is named.
const DefaultVoice = "serena"

// Voices returns the names of the built-in voices in alphabetical order.
func Voices() []string {
	var out []string
	for name := range cast.Voices {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Named returns the timbre of a built-in voice.
func Named(name string) (Timbre, bool) {
	t, ok := cast.Voices[strings.ToLower(strings.TrimSpace(name))]
	return t, ok
}

// Design makes a timbre from a description and says which of its words counted.
func Design(description string) (Timbre, []string) {
	words := strings.FieldsFunc(strings.ToLower(description), func(r rune) bool { return !unicode.IsLetter(r) })
	t := cast.Neutral
	var used []string
	for _, d := range cast.Design {
		for _, w := range d.Words {
			if slices.Contains(words, w) {
				d.apply(&t)
				used = append(used, w)
				break
			}
		}
	}
	return t.clamped(), used
}

func (d trait) apply(t *Timbre) {
	fields := map[string]*float64{
		"pitch": &t.Pitch, "range": &t.Range, "size": &t.Size, "pace": &t.Pace, "breath": &t.Breath, "tilt": &t.Tilt, "rough": &t.Rough,
	}
	for name, f := range fields {
		if v, ok := d.Set[name]; ok {
			*f = v
		}
		if v, ok := d.Times[name]; ok {
			*f *= v
		}
		*f += d.Add[name]
	}
	t.Machine = t.Machine || d.Machine
}
