package catalog

import (
	"strings"

	"github.com/atelier-project/atelier"
)

// Unknown refuses a name that is not in a list of tools: it suggests the nearest one, and
// the list.
func Unknown(field, name string, tools []string) *atelier.Error {
	advice := " There are no tools here."
	if len(tools) > 0 {
		advice = " Use one of " + strings.Join(tools, ", ") + "."
	}
	nearest := atelier.Nearest(name, tools)
	if nearest != "" {
		advice = " Did you mean " + nearest + "?" + advice
	}
	e := atelier.Refuse(field, "is %q, which is not a tool that can be used here.%s", atelier.Excerpt(name), advice).With("tools", tools)
	if nearest != "" {
		e = e.With("nearest", nearest)
	}
	return e
}

// Names lists the tools for which use holds.
func (c *Catalog) Names(use func(*Tool) bool) (names []string) {
	for _, t := range c.read().tools {
		if use(t) {
			names = append(names, t.Name)
		}
	}
	return names
}
