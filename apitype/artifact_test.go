package apitype_test

import (
	"testing"

	"github.com/atelier-project/atelier/apitype"
)

func TestCaveat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   apitype.Artifact
		want string
	}{
		{apitype.Artifact{Renderer: "comfyui"}, ""},
		{apitype.Artifact{Renderer: "atelier-cpu", Preview: true}, "Preview made by atelier-cpu: no other connected worker offers the model."},
		{apitype.Artifact{Preview: true}, "Preview made by a fallback worker: no other connected worker offers the model."},
		{apitype.Artifact{Renderer: "comfyui", NotUnderstood: []string{"upside down", "twice."}}, "Not understood: upside down; twice."},
		{apitype.Artifact{Renderer: "atelier-cpu", Preview: true, NotUnderstood: []string{"upside down"}},
			"Preview made by atelier-cpu: no other connected worker offers the model. Not understood: upside down."},
	} {
		if got := c.of.Caveat(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.of, got, c.want)
		}
	}
}
