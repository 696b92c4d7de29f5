package weights

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/catalog"
)

// The tables have as many layers as the published models have linear ones, by each of
// their two sets of names.
func TestTables(t *testing.T) {
	t.Parallel()
	const (
		krea = 28*8 + 4*8 + 8
		qwen = 60*14 + 6
		h3s  = 50*5 + 2*4 + 8 // queries, keys and values in one
		h3d  = 50*7 + 2*6 + 8 // and apart
	)
	for m, want := range map[*model]int{krea2: 2 * krea, qwenImage: qwen, h3: h3s + h3d} {
		index := m.layers()
		if len(index.dotted) != want || len(index.flat) != want {
			t.Errorf("%s has %d layers, and %d with underscores, want %d", m.title, len(index.dotted), len(index.flat), want)
		}
		for path, sizes := range index.dotted {
			for _, s := range sizes {
				if s.in < 1 || s.out < 1 || strings.ContainsAny(path, "{} ") {
					t.Errorf("%s: %s has the size %v", m.title, path, s)
				}
			}
		}
	}
}

// Every family of the catalog has rules.
func TestFamiliesOfTheCatalog(t *testing.T) {
	t.Parallel()
	c, err := catalog.Load("")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.Families() {
		if _, known := families[f.ID]; !known {
			t.Errorf("the family %s has no rules", f.ID)
		}
	}
	if len(c.Families()) != len(families) {
		t.Errorf("the catalog has %d families, and %d have rules", len(c.Families()), len(families))
	}
}
