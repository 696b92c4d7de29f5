package llm

import (
	"cmp"
	"fmt"
	"sync/atomic"
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

// Models are the models that a service offers. Their context lengths change as servers report
// them, and Replace exchanges all of them.
type Models struct{ now atomic.Pointer[offer] }

// offer is what Models are at one time.
type offer struct {
	list []Model
	byID map[string]int // current and retired ids
	def  int
}

// NewModels collects the offered models. The default is the named one, or the
// first when no name is given.
func NewModels(list []Model, defaultID string) (*Models, error) {
	m := &Models{}
	return m, m.Replace(list, defaultID)
}

// Replace offers other models from now on. What was found before stays usable.
func (m *Models) Replace(list []Model, defaultID string) error {
	o := &offer{list: list, byID: map[string]int{}}
	for i, model := range list {
		if _, taken := o.byID[model.ID]; taken {
			return fmt.Errorf("two models have the id %s", model.ID)
		}
		o.byID[model.ID] = i
	}
	for i, model := range list {
		for _, old := range model.Replaces {
			if _, taken := o.byID[old]; !taken { // an id that is offered is not retired
				o.byID[old] = i
			}
		}
	}
	if defaultID != "" {
		i, ok := o.byID[defaultID]
		if !ok {
			return fmt.Errorf("there is no model %s", defaultID)
		}
		o.def = i
	}
	m.now.Store(o)
	return nil
}

// modelAt is a model with its current context length.
func (o *offer) modelAt(i int) Model {
	model := o.list[i]
	if servers, ok := model.Completer.(*Router); ok {
		model.ContextLength = cmp.Or(servers.ContextLength(model.ID), model.ContextLength)
	}
	return model
}

// All lists the models, the default's place among them unchanged.
func (m *Models) All() []Model {
	o := m.now.Load()
	all := make([]Model, len(o.list))
	for i := range all {
		all[i] = o.modelAt(i)
	}
	return all
}

// Find returns the model of an id; of a retired one, its replacement.
func (m *Models) Find(id string) (Model, bool) {
	o := m.now.Load()
	i, ok := o.byID[id]
	if !ok {
		return Model{}, false
	}
	return o.modelAt(i), true
}

// Default is the model of a request that names none.
func (m *Models) Default() (Model, bool) {
	o := m.now.Load()
	if len(o.list) == 0 {
		return Model{}, false
	}
	return o.modelAt(o.def), true
}
