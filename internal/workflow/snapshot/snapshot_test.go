package snapshot_test

import (
	"testing"

	"github.com/atelier-project/atelier/internal/workflow/snapshot"
)

func TestCaveat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   snapshot.ArtifactRef
		want string
	}{
		{snapshot.ArtifactRef{Renderer: "comfyui"}, ""},
		{snapshot.ArtifactRef{Renderer: "atelier-cpu", Preview: true}, "Preview made by atelier-cpu: no other connected worker offers the model."},
		{snapshot.ArtifactRef{Preview: true}, "Preview made by a fallback worker: no other connected worker offers the model."},
		{snapshot.ArtifactRef{Renderer: "comfyui", NotUnderstood: []string{"upside down", "twice."}}, "Not understood: upside down; twice."},
		{snapshot.ArtifactRef{Renderer: "atelier-cpu", Preview: true, NotUnderstood: []string{"upside down"}},
			"Preview made by atelier-cpu: no other connected worker offers the model. Not understood: upside down."},
	} {
		if got := c.of.Caveat(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.of, got, c.want)
		}
	}
}
