package edit

import (
	"testing"

	"github.com/atelier-project/atelier/internal/kit/studio/lexicon"
	"github.com/atelier-project/atelier/internal/kit/studio/pixel"
	"github.com/atelier-project/atelier/internal/kit/studio/selection"
)

// Every word of the data files must be reachable: in a group that is read, with
// attributes that can be read.
func TestWordsOfEditsAndSelections(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		l      *lexicon.Lexicon
		groups []string
	}{
		"select": {selection.SelectWords(), []string{"area", "matter", "zone", "part", "order", "ignore"}},
		"edit":   {editWords(), []string{"tone", "touch", "form", "verb", "join", "pronoun", "amount", "less", "way", "ignore"}},
		"view":   {viewWords(), []string{"yaw", "pitch", "roll", "zoom", "amount", "behind", "front"}},
	} {
		known := map[string]bool{}
		for _, g := range c.groups {
			known[g] = true
		}
		for _, m := range c.l.Keys {
			if !known[m.Group] {
				t.Errorf("%s: %s is in the group %s, which nobody reads", name, m.Key, m.Group)
			}
			if colour := m.Attributes["colour"]; colour != "" {
				if _, ok := pixel.ColourNamed(colour); !ok {
					t.Errorf("%s: %s has the colour %s, which has no value", name, m.Key, colour)
				}
			}
		}
	}
}
