package write

import (
	"hash/fnv"
	"math/rand/v2"

	"github.com/atelier-project/atelier/internal/catalog"
	"github.com/atelier-project/atelier/internal/compose/draft"
	"github.com/atelier-project/atelier/internal/wire"
)

// Rules write for the tools and models of a catalog. They are immutable and safe for concurrent use.
type Rules struct {
	catalog *catalog.Catalog
	words   *lexicon
}

// New makes the rules for a catalog.
func New(c *catalog.Catalog) *Rules { return &Rules{catalog: c, words: loadLexicon()} }

// dice is a random generator seeded by the arguments.
func dice(a draft.Arguments) *rand.Rand {
	h := fnv.New64a()
	if text, err := wire.Marshal(map[string]any(a)); err == nil { // maps are written in order
		h.Write(text)
	}
	return rand.New(rand.NewPCG(h.Sum64(), 7))
}

// pick picks an item of a list, or the zero value of an empty one.
func pick[T any](r *rand.Rand, list []T) (v T) {
	if len(list) > 0 {
		v = list[r.IntN(len(list))]
	}
	return v
}
