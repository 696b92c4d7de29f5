package catalog

import "slices"

// ToolEntry is the public part of a tool, with the JSON names of the API: what a form
// needs to ask for its arguments.
type ToolEntry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Runs        string `json:"runs"`
	// Produces is the kind of media that it makes, empty for a tool that makes none.
	Produces Kind `json:"produces,omitzero"`
	// CountArgument has the number of results, and ModelArgument names the model.
	CountArgument string `json:"countArgument,omitzero"`
	ModelArgument string `json:"modelArgument,omitzero"`
	// DefaultModel is the selector that applies when the caller names none and sends
	// nothing that selects another.
	DefaultModel string      `json:"defaultModel,omitzero"`
	Models       []ToolModel `json:"models"`
	// Needs lists the media that it cannot work without.
	Needs     []ToolNeed  `json:"needs"`
	Arguments []*Argument `json:"arguments"`
}

// ToolModel is a model that a tool can use. Each selector chooses it, and so does its id;
// a selector that several models share chooses among them by the arguments.
type ToolModel struct {
	ModelID   string   `json:"modelId"`
	Selectors []string `json:"selectors"`
}

// ToolNeed is a kind of media that a tool works on, and the arguments that address it.
type ToolNeed struct {
	Kind      Kind     `json:"kind"`
	Arguments []string `json:"arguments"`
}

// ToolEntries lists the tools that run in one way, or all that a workflow step can run, in
// the order of the data.
func (c *Catalog) ToolEntries(runs string) []ToolEntry {
	var list []ToolEntry
	for _, t := range c.tools {
		if t.Runs == runs || runs == "" && t.Durable() {
			list = append(list, c.toolEntry(t))
		}
	}
	return list
}

// numbering says what the numbers of media mean.
const numbering = " By number: 0 and up are results of earlier steps, -1 and below media of the request."

// forPeople are arguments with the texts for people in place of those for language models.
func forPeople(list []*Argument) []*Argument {
	out := slices.Clone(list)
	for i, a := range out {
		b := *a
		if b.Fields = forPeople(a.Fields); a.Items != nil {
			b.Items = forPeople([]*Argument{a.Items})[0]
		}
		if a.Help != "" {
			b.Text = a.Help
			if a.Media != "" && !a.URL {
				b.Text += numbering
			}
		}
		out[i] = &b
	}
	return out
}

func (c *Catalog) toolEntry(t *Tool) ToolEntry {
	e := ToolEntry{
		Name: t.Name, Description: t.Description, Runs: t.Runs, ModelArgument: t.Models.Argument,
		Models: []ToolModel{}, Needs: []ToolNeed{}, Arguments: forPeople(t.Arguments),
	}
	if t.Produces != nil {
		e.Produces, e.CountArgument = t.Produces.Kind, t.Produces.Count
	}
	if n := len(t.Models.Defaults); n > 0 {
		e.DefaultModel = t.Models.Defaults[n-1].Selector
	}
	for _, m := range c.models {
		if t.serving[m.ID] != nil {
			selectors := slices.DeleteFunc(slices.Clone(m.Selectors[t.Name]), func(s string) bool { return s == auto })
			e.Models = append(e.Models, ToolModel{ModelID: m.ID, Selectors: selectors})
		}
	}
	for _, n := range t.Needs {
		e.Needs = append(e.Needs, ToolNeed{Kind: n.Kind, Arguments: append([]string{n.Argument}, n.Unless...)})
	}
	return e
}
