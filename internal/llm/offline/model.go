package offline

import (
	"context"
	"fmt"
	"sync"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// Model is the offline language model. It is immutable and safe for concurrent
// use.
type Model struct {
	catalog *catalog.Catalog
	lexicon *lexicon
	phrases *phrases
	planner *planner
}

// knowledge is the content of the data files. It does not depend on a catalog.
type knowledge struct {
	lexicon *lexicon
	rules   []rule
	phrases *phrases
	topics  []topic
}

// loadKnowledge reads the embedded files once.
var loadKnowledge = sync.OnceValues(func() (*knowledge, error) {
	k := new(knowledge)
	var err error
	if k.lexicon, err = readLexicon(); err != nil {
		return nil, err
	}
	if k.rules, err = readRules(); err != nil {
		return nil, err
	}
	if k.phrases, err = readPhrases(); err != nil {
		return nil, err
	}
	if k.topics, err = readTopics(k.lexicon); err != nil {
		return nil, err
	}
	return k, nil
})

// New makes the model for a catalog: it offers the tools and knows the models
// that are in it.
func New(c *catalog.Catalog) (*Model, error) {
	k, err := loadKnowledge()
	if err != nil {
		return nil, fmt.Errorf("offline language model: %w", err)
	}
	names := newNaming(c, k.lexicon)
	p := &planner{catalog: c, lexicon: k.lexicon, rules: k.rules, phrases: k.phrases, naming: names, guide: &guide{catalog: c, naming: names, topics: k.topics}}
	return &Model{catalog: c, lexicon: k.lexicon, phrases: k.phrases, planner: p}, nil
}

// Speak implements llm.Speaker. The same conversation has the same answer.
func (m *Model) Speak(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := m.answer(r)
	a.format(m.lexicon, r)
	a.limit(r)
	return a.deliver(ctx, r, emit)
}
