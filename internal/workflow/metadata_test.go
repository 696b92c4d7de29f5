package workflow_test

import (
	"strings"
	"testing"

	"github.com/atelier-project/atelier/internal/store/storetest"
)

// An artifact has only a bounded part of the metadata of its worker: it is shown to people
// and to language models.
func TestArtifactMetadataIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, storetest.SQLite(t), full)
	id := f.begin(plan(image("a", "a fox"))).WorkflowID
	words := make([]any, 50)
	for i := range words {
		words[i] = strings.Repeat("ü", 5000)
	}
	if err := f.completeWith(f.must("step/0"), map[string]any{"renderer": strings.Repeat("x", 5000), "notUnderstood": words}); err != nil {
		t.Fatal(err)
	}
	a := f.get(id).Artifacts[0]
	if a.Renderer != strings.Repeat("x", 200) {
		t.Errorf("the renderer has %d bytes", len(a.Renderer))
	}
	if len(a.NotUnderstood) != 16 || a.NotUnderstood[0] != strings.Repeat("ü", 200) {
		t.Errorf("not understood are %d texts of %d bytes", len(a.NotUnderstood), len(a.NotUnderstood[0]))
	}
}
