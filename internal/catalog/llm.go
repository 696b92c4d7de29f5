package catalog

import (
	"github.com/atelier-project/atelier"
)

// LLM has the known facts of a language model. The service offers the models that its
// configuration names; these facts are the defaults.
type LLM struct {
	ID            string        `yaml:"id"`
	Name          string        `yaml:"name"`
	ContextLength int           `yaml:"contextLength"`
	Reasoning     bool          `yaml:"reasoning"`
	Vision        bool          `yaml:"vision"`
	InputUSD      atelier.Money `yaml:"inputUSD"`  // for a million tokens
	OutputUSD     atelier.Money `yaml:"outputUSD"` // for a million tokens
	Replaces      []string      `yaml:"replaces"`  // retired ids that mean this model
	Removed       bool          `yaml:"removed"`
}

// LLMs lists the language models known by name; the first is the default.
func (c *Catalog) LLMs() []*LLM { return c.read().llms }

// LLM finds the facts of a language model by its id or by a retired id that it
// replaces.
func (c *Catalog) LLM(id string) (*LLM, bool) {
	m, ok := c.read().llmByID[id]
	return m, ok
}
