package offline

import (
	"context"
	"fmt"
	"sync"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/llm"
)

// Model is the built-in language model. It is immutable and safe for concurrent
// use.
type Model struct {
	catalog *catalog.Catalog
	naming  *naming
	*knowledge
}

// knowledge is what the data files say. It does not depend on a catalog.
type knowledge struct {
	lexicon *lexicon
	rules   []rule
	phrases *phrases
	topics  []topic
}

// loadKnowledge reads the embedded files once.
var loadKnowledge = sync.OnceValues(func() (*knowledge, error) {
	files := map[string]string{}
	for _, name := range []string{"intent.txt", "say.txt", "idea.txt", "help.md"} {
		data, err := embedded.ReadFile("data/" + name)
		if err != nil {
			return nil, err
		}
		files[name] = string(data)
	}
	k := new(knowledge)
	var err error
	if k.lexicon, err = readLexicon(); err != nil {
		return nil, err
	}
	if k.rules, err = readRules(files["intent.txt"]); err != nil {
		return nil, err
	}
	if k.phrases, err = readPhrases(files["say.txt"], files["idea.txt"]); err != nil {
		return nil, err
	}
	if k.topics, err = readTopics(files["help.md"], k.lexicon); err != nil {
		return nil, err
	}
	return k, nil
})

// New makes the model for a catalog: it offers the tools and knows the models
// that are in it.
func New(c *catalog.Catalog) (*Model, error) {
	k, err := loadKnowledge()
	if err != nil {
		return nil, fmt.Errorf("built-in language model: %w", err)
	}
	return &Model{catalog: c, naming: newNaming(c, k.lexicon), knowledge: k}, nil
}

// Speak implements llm.Speaker. The same conversation has the same answer.
func (m *Model) Speak(ctx context.Context, r llm.Request, emit func(llm.Delta) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a := m.answer(r)
	a.format(m, r)
	a.limit(r)
	return a.deliver(ctx, r, emit)
}
