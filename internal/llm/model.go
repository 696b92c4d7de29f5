package llm

import (
	"cmp"
	"fmt"
	"time"

	"github.com/atelier-project/atelier"
)

// Model is one language model that clients can ask for.
type Model struct {
	ID            string
	OwnedBy       string
	Created       time.Time
	ContextLength int // in tokens; see Upstream.ContextLength
	Reasoning     bool
	Vision        bool
	Replaces      []string // retired ids that mean this model

	Tools ToolDetail // how hosted tools are described to the model

	// The price of a million tokens, in dollars.
	PriceIn  atelier.Money
	PriceOut atelier.Money

	NoPlan bool // no plan covers it: the balance pays

	Completer Completer // sends requests to the model
}

// Price is what an answer costs, in dollars, rounded up to a millionth.
func (m Model) Price(u Usage) atelier.Money {
	const million = 1_000_000
	sum := atelier.Money(u.PromptTokens)*m.PriceIn + atelier.Money(u.CompletionTokens)*m.PriceOut
	return (sum + million - 1) / million
}

// ToolDetail is in how much detail hosted tools are described to a model.
type ToolDetail string

// The details: by what fits into the context, or always the same.
const (
	ToolsAuto    ToolDetail = "auto"
	ToolsFull    ToolDetail = "full"
	ToolsCompact ToolDetail = "compact"
	ToolsNone    ToolDetail = "none"
)

// maxSafetyMargin is the margin of a context of 32,768 tokens and more.
const maxSafetyMargin = 2048

// SafetyMargin is kept free of the context, because token counts are estimates.
// A sixteenth is enough: what is estimated is smaller in a smaller context.
func (m Model) SafetyMargin() int { return min(maxSafetyMargin, m.ContextLength/16) }

// UsableContext is what messages, schemas and output may fill together.
func (m Model) UsableContext() int { return m.ContextLength - m.SafetyMargin() }

// BuiltinID is the id of the built-in model.
const BuiltinID = "atelier-builtin"

// Builtin is the model that is always there: rules instead of weights.
func Builtin(created time.Time) Model {
	return Model{ID: BuiltinID, OwnedBy: "atelier", Created: created, ContextLength: 32768}
}

// Models are the models that a service offers. Only their context lengths change,
// as servers report them.
type Models struct {
	list []Model
	byID map[string]int // current and retired ids
	def  int
}

// NewModels collects the offered models. The default is the named one, or the
// first when no name is given.
func NewModels(list []Model, defaultID string) (*Models, error) {
	m := &Models{list: list, byID: map[string]int{}}
	for i, model := range list {
		if _, taken := m.byID[model.ID]; taken {
			return nil, fmt.Errorf("two models have the id %s", model.ID)
		}
		m.byID[model.ID] = i
	}
	for i, model := range list {
		for _, old := range model.Replaces {
			if _, taken := m.byID[old]; !taken { // an id that is offered is not retired
				m.byID[old] = i
			}
		}
	}
	if defaultID == "" {
		return m, nil
	}
	i, ok := m.byID[defaultID]
	if !ok {
		return nil, fmt.Errorf("there is no model %s", defaultID)
	}
	m.def = i
	return m, nil
}

// modelAt is a model with its current context length.
func (m *Models) modelAt(i int) Model {
	model := m.list[i]
	if servers, ok := model.Completer.(*Router); ok {
		model.ContextLength = cmp.Or(servers.ContextLength(model.ID), model.ContextLength)
	}
	return model
}

// All lists the models, the default's place among them unchanged.
func (m *Models) All() []Model {
	all := make([]Model, len(m.list))
	for i := range all {
		all[i] = m.modelAt(i)
	}
	return all
}

// Find returns the model of an id; of a retired one, its replacement.
func (m *Models) Find(id string) (Model, bool) {
	i, ok := m.byID[id]
	if !ok {
		return Model{}, false
	}
	return m.modelAt(i), true
}

// Default is the model of a request that names none.
func (m *Models) Default() (Model, bool) {
	if len(m.list) == 0 {
		return Model{}, false
	}
	return m.modelAt(m.def), true
}
