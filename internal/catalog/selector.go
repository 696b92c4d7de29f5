package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/atelier-project/atelier"
)

// Routing reports how a step got its model, with the JSON names of the API.
type Routing struct {
	SelectedBy   string        `json:"selectedBy"` // caller, default or inputs
	Reasons      []string      `json:"reasons"`
	Alternatives []Alternative `json:"alternatives"`
}

// Alternative is another model that could have done the step.
type Alternative struct {
	ModelID   string `json:"modelId"`
	Available *bool  `json:"available,omitempty"` // known to the fleet, not to the catalog
	Reason    string `json:"reason,omitempty"`
}

// maxAlternatives keeps the record of a step short: the tool's schema lists all models.
const maxAlternatives = 3

// auto is the selector that leaves the choice to the tool. Errors name the chosen model
// instead.
const auto = "auto"

// choice is a model and the name by which it was chosen.
type choice struct {
	model   *Model
	name    string
	routing Routing
}

// choose finds the model for a step, or reports why it finds none. A tool without models
// chooses none.
func (c *Catalog) choose(t *Tool, s *scope, in Counts) (choice, error) {
	if len(t.Models.Defaults) == 0 || t.Models.Unless != "" && s.isGiven(t.Models.Unless) {
		return choice{routing: Routing{Reasons: []string{}, Alternatives: []Alternative{}}}, nil
	}
	var ch choice
	var candidates []*Model
	named, _ := s.args[t.Models.Argument].(string)
	if named != "" {
		ch.name = named
		ch.routing = Routing{SelectedBy: "caller", Reasons: []string{t.Models.Argument + " is " + named}}
		var err error
		if candidates, err = c.named(t, named); err != nil {
			return ch, err
		}
	} else {
		d := t.defaultFor(s, in)
		ch.name = d.Selector
		ch.routing = Routing{SelectedBy: "default", Reasons: []string{d.Reason}}
		if len(d.When)+len(d.Given)+len(d.With) > 0 {
			ch.routing.SelectedBy = "inputs"
		}
		candidates = t.selectors[d.Selector]
	}
	m, err := t.fitting(candidates, s, in, ch.name)
	if err != nil {
		return ch, err
	}
	ch.model = m
	if ch.name == auto {
		ch.name = m.Selector(t.Name)
	}
	if len(candidates) > 1 {
		ch.routing.Reasons = append(ch.routing.Reasons, fmt.Sprintf("%s from %s is %s", ch.name, in, m.Name))
	}
	if slices.Contains(m.Legacy[t.Name], named) && named != "" {
		ch.routing.Reasons = append(ch.routing.Reasons, fmt.Sprintf("%s is retired and rendered by %s", named, m.Selector(t.Name)))
	}
	ch.routing.Alternatives = t.alternatives(m, named, s, in)
	return ch, nil
}

// named returns the models that a caller's choice may mean: those of a selector, or the
// one with that catalog id if the tool can use it.
func (c *Catalog) named(t *Tool, name string) ([]*Model, error) {
	if list := t.selectors[name]; list != nil {
		return list, nil
	}
	if m := t.serving[name]; m != nil {
		return []*Model{m}, nil
	}
	field := "arguments." + t.Models.Argument
	if m, ok := c.read().modelByID[name]; ok {
		return nil, atelier.Refuse(field, "is %s, which %s cannot use; choose one of %s", m.ID, t.Name, strings.Join(t.published, ", "))
	}
	for _, other := range c.read().tools {
		if other.selectors[name] != nil {
			return nil, atelier.Refuse(field, "is %s, which is for %s; choose one of %s", name, other.Name, strings.Join(t.published, ", "))
		}
	}
	return nil, atelier.Refuse(field, "must be one of %s, or the catalog id of a model that %s can use", strings.Join(t.published, ", "), t.Name)
}

// defaultFor returns the first default that applies. The data checks ensure that the last
// one always does.
func (t *Tool) defaultFor(s *scope, in Counts) Default {
	for _, d := range t.Models.Defaults {
		if !matches(d.When, s.value, false) || len(d.Given) > 0 && !anyGiven(d.Given, s) {
			continue
		}
		if len(d.With) > 0 && !slices.ContainsFunc(d.With, func(k Kind) bool { return in.Of(k) > 0 }) {
			continue
		}
		return d
	}
	return t.Models.Defaults[len(t.Models.Defaults)-1]
}

// fitting picks the first candidate that supports the arguments and the media.
func (t *Tool) fitting(candidates []*Model, s *scope, in Counts, name string) (*Model, error) {
	var serving []*Model
	for _, m := range candidates {
		if !matches(m.When, s.value, true) {
			continue
		}
		if t.Models.AnyInputs || m.Takes.fit(in) {
			return m, nil
		}
		serving = append(serving, m)
	}
	if serving == nil {
		return nil, t.unserved(candidates, s, name)
	}
	return nil, t.misfit(serving, s, in, name)
}

// unserved reports the argument whose value no candidate supports.
func (t *Tool) unserved(candidates []*Model, s *scope, name string) error {
	when := candidates[0].When
	for _, arg := range slices.Sorted(maps.Keys(when)) {
		var offered []string
		for _, m := range candidates {
			offered = append(offered, m.When[arg]...)
		}
		if v := s.value(arg); !slices.Contains(offered, v) {
			return atelier.Refuse("arguments."+arg, "is %s, which %s does not offer; it offers %s", v, name, strings.Join(offered, ", "))
		}
	}
	return atelier.Refuse("arguments."+t.Models.Argument, "is %s, which does not support these arguments together", name)
}

// misfit reports the media that no candidate accepts.
func (t *Tool) misfit(list []*Model, s *scope, in Counts, name string) error {
	for _, k := range []Kind{Image, Video, Audio} {
		var most, least = 0, list[0].Takes.rangeOf(k).Min
		for _, m := range list {
			r := m.Takes.rangeOf(k)
			most, least = max(most, r.Max), min(least, r.Min)
		}
		n := in.Of(k)
		field := "arguments." + t.blame(k, s, n > most)
		switch {
		case n > most && most == 0:
			return atelier.Refuse(field, "is not taken by %s; leave it out or choose another model", name)
		case n > most:
			return atelier.Refuse(field, "makes %s, but %s takes at most %d", k.count(n), name, most)
		case n < least:
			return atelier.Refuse(field, "is required: %s needs at least %s and has %d", name, k.count(least), n)
		}
	}
	if m := list[0]; len(list) == 1 {
		switch {
		case m.Takes.AudioNeedsVisual && in.Audio > 0 && in.Images+in.Videos == 0:
			return atelier.Refuse("arguments."+t.blame(Audio, s, true), "needs an image or a video beside it for %s", name)
		case in.total() > m.Takes.Total.Max:
			return atelier.Refuse("arguments."+t.blame(Image, s, true), "is too much: %s takes at most %d references in all, not %d", name, m.Takes.Total.Max, in.total())
		case in.total() < m.Takes.Total.Min:
			return atelier.Refuse("arguments."+t.blame(Image, s, false), "is required: %s renders from at least %d reference, such as -1 for the first image in media_references", name, m.Takes.Total.Min)
		}
	}
	return atelier.Refuse("arguments."+t.Models.Argument, "is %s, which cannot render from %s together", name, in)
}

// blame names the argument that adds media of a kind: the last given one if there is too
// much, else the first missing one.
func (t *Tool) blame(k Kind, s *scope, given bool) string {
	name := t.Models.Argument
	for _, a := range t.Arguments {
		brings := a.Media == k || a.nested() != nil && a.nested().Media == k
		if !brings || a.Aside || a.FanOut || a.URL && !s.isGiven(a.Name) {
			continue
		}
		if s.isGiven(a.Name) == given {
			name = a.Name
			if !given {
				break
			}
		}
	}
	return name
}

// alternatives lists a few other models for the same arguments.
func (t *Tool) alternatives(chosen *Model, named string, s *scope, in Counts) []Alternative {
	list := []Alternative{}
	if named != "" || t.Models.AnyInputs {
		return list
	}
	for _, name := range t.published {
		for _, m := range t.selectors[name] {
			if m == chosen || !matches(m.When, s.value, true) || !m.Takes.fit(in) {
				continue
			}
			if list = append(list, Alternative{ModelID: m.ID, Reason: "selector " + name}); len(list) == maxAlternatives {
				return list
			}
			break
		}
	}
	return list
}
