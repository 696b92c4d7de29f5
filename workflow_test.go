package atelier_test

import (
	"testing"

	"github.com/atelier-project/atelier"
)

func TestCaveat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   atelier.ArtifactRef
		want string
	}{
		{atelier.ArtifactRef{Renderer: "comfyui"}, ""},
		{atelier.ArtifactRef{Renderer: "atelier-cpu", Preview: true}, "Preview made by atelier-cpu: no other connected worker offers the model."},
		{atelier.ArtifactRef{Preview: true}, "Preview made by a fallback worker: no other connected worker offers the model."},
		{atelier.ArtifactRef{Renderer: "comfyui", NotUnderstood: []string{"upside down", "twice."}}, "Not understood: upside down; twice."},
		{atelier.ArtifactRef{Renderer: "atelier-cpu", Preview: true, NotUnderstood: []string{"upside down"}},
			"Preview made by atelier-cpu: no other connected worker offers the model. Not understood: upside down."},
	} {
		if got := c.of.Caveat(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.of, got, c.want)
		}
	}
}

func TestServedBy(t *testing.T) {
	t.Parallel()
	d := atelier.Demand{Models: map[string]map[atelier.Network]atelier.ModelDemand{"m": {
		atelier.NetworkFast: {ServedBy: atelier.ServedByPreview}, atelier.NetworkRelaxed: {ServedBy: atelier.ServedByVendor},
	}}}
	for _, c := range []struct {
		model    string
		networks []atelier.Network
		want     atelier.Server
	}{
		{"m", []atelier.Network{atelier.NetworkFast, atelier.NetworkRelaxed}, atelier.ServedByVendor},
		{"m", []atelier.Network{atelier.NetworkFast}, atelier.ServedByPreview},
		{"m", nil, atelier.ServedByNobody},
		{"other", []atelier.Network{atelier.NetworkFast}, atelier.ServedByNobody},
	} {
		if got := d.ServedBy(c.model, c.networks...); got != c.want {
			t.Errorf("%s in %v: got %s, want %s", c.model, c.networks, got, c.want)
		}
	}
}
