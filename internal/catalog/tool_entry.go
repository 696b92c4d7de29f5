package catalog

import (
	"math/big"
	"slices"

	"github.com/atelier-project/atelier"
)

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
	// Price is that of the tool without a model; without it, the models have prices.
	Price *ToolPrice `json:"price,omitzero"`
	// Needs lists the media that it cannot work without.
	Needs     []ToolNeed  `json:"needs"`
	Arguments []*Argument `json:"arguments"`
	// Example are arguments that the tool accepts; media is addressed as -1, the first that
	// the request brings.
	Example map[string]any `json:"example,omitzero"`
}

// ToolModel is a model that a tool can use. Each selector chooses it, and so does its id;
// a selector that several models share chooses among them by the arguments.
type ToolModel struct {
	ModelID   string    `json:"modelId"`
	Name      string    `json:"name"`
	Selectors []string  `json:"selectors"`
	Price     ToolPrice `json:"price"`
}

// ToolPrice is what a run of a tool costs before plans and discounts: nothing, or the price
// of a unit.
type ToolPrice struct {
	Free       bool             `json:"free,omitzero"`
	USD        atelier.Money    `json:"usd,omitzero"`
	Spark      atelier.Money    `json:"spark,omitzero"`
	Per        string           `json:"per,omitzero"`        // output, second, megapixel (at least one) or operation
	Factors    []PriceFactor    `json:"factors,omitzero"`    // each multiplies the price
	Surcharges []PriceSurcharge `json:"surcharges,omitzero"` // of those for one kind of media, the first that applies
}

// String is the price for people.
func (p ToolPrice) String() string {
	if p.Free {
		return "free"
	}
	return p.Spark.Short() + " Spark per " + p.Per
}

// PriceFactor multiplies a price by the entry for the value of an argument. A value without
// an entry does not change it.
type PriceFactor struct {
	Argument string                   `json:"argument"`
	By       map[string]atelier.Money `json:"by"`
}

// PriceSurcharge is added for each second that is rendered when the caller brings media of a
// kind.
type PriceSurcharge struct {
	Input Kind                `json:"input"`
	USD   atelier.Money       `json:"usd"`
	Spark atelier.Money       `json:"spark"`
	When  map[string][]string `json:"when,omitzero"` // arguments with one of these values
}

// ToolNeed is a kind of media that a tool works on, and the arguments that address it.
type ToolNeed struct {
	Kind      Kind     `json:"kind"`
	Arguments []string `json:"arguments"`
}

// ToolEntries lists the tools that run in one way, or all, in the order of the data.
func (c *Catalog) ToolEntries(runs string) []ToolEntry {
	var list []ToolEntry
	for _, t := range c.read().tools {
		if runs == "" || t.Runs == runs {
			list = append(list, c.ToolEntry(t))
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

// ToolEntry is the public part of a tool.
func (c *Catalog) ToolEntry(t *Tool) ToolEntry {
	e := ToolEntry{
		Name: t.Name, Description: t.Description, Runs: t.Runs, ModelArgument: t.Models.Argument,
		Models: []ToolModel{}, Needs: []ToolNeed{}, Arguments: forPeople(t.Arguments), Example: t.Example,
	}
	if t.Produces != nil {
		e.Produces, e.CountArgument = t.Produces.Kind, t.Produces.Count
	}
	if n := len(t.Models.Defaults); n > 0 {
		e.DefaultModel = t.Models.Defaults[n-1].Selector
	}
	for _, m := range c.read().models {
		if t.serving[m.ID] != nil {
			selectors := slices.DeleteFunc(slices.Clone(m.Selectors[t.Name]), func(s string) bool { return s == auto })
			e.Models = append(e.Models, ToolModel{ModelID: m.ID, Name: m.Name, Selectors: selectors, Price: c.toolPrice(t, m)})
		}
	}
	if t.Price != nil || len(e.Models) == 0 {
		own := c.toolPrice(t, nil)
		e.Price = &own
	}
	for _, n := range t.Needs {
		e.Needs = append(e.Needs, ToolNeed{Kind: n.Kind, Arguments: append([]string{n.Argument}, n.Unless...)})
	}
	return e
}

// toolPrice is the price of a tool with a model, which may be nil.
func (c *Catalog) toolPrice(t *Tool, m *Model) ToolPrice {
	p := t.price(m)
	if p.Free {
		return ToolPrice{Free: true}
	}
	spark := func(usd atelier.Money) atelier.Money {
		return money(new(big.Rat).Quo(rat(usd), rat(c.read().sparkUSD)))
	}
	out := ToolPrice{USD: p.USD, Spark: spark(p.USD), Per: p.Per}
	for _, f := range slices.Concat(p.Factors, t.Factors) {
		out.Factors = append(out.Factors, PriceFactor(f))
	}
	for _, s := range p.Surcharges {
		out.Surcharges = append(out.Surcharges, PriceSurcharge{Input: s.Input, USD: s.USD, Spark: spark(s.USD), When: s.When})
	}
	return out
}
