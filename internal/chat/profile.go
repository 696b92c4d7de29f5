package chat

import (
	"maps"

	"github.com/atelier-project/atelier/internal/wire"
)

// Profile is what sort of task a conversation is. It decides how freely the
// model chooses its words, as far as the caller leaves that open.
type Profile string

// The profiles of the specification.
const (
	General   Profile = "general"
	Coding    Profile = "coding"
	Reasoning Profile = "reasoning"
)

// samplings are what each profile says for the two parameters that every
// server takes; the others are the server's own affair.
var samplings = map[Profile]map[string]wire.Raw{
	General:   {"temperature": wire.Raw("0.7"), "top_p": wire.Raw("0.8")},
	Coding:    {"temperature": wire.Raw("0.6"), "top_p": wire.Raw("0.95")},
	Reasoning: {"temperature": wire.Raw("1"), "top_p": wire.Raw("0.95")},
}

// fill adds what a profile says to parameters. A caller that sets one of the
// two has a mind of its own, and neither is added.
func (p Profile) fill(params map[string]wire.Raw) map[string]wire.Raw {
	for name := range samplings[p] {
		if _, given := params[name]; given {
			return params
		}
	}
	out := maps.Clone(params)
	if out == nil {
		out = map[string]wire.Raw{}
	}
	maps.Copy(out, samplings[p])
	return out
}
